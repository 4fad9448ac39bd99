/** What a list says besides its items. */
import type { ApiObject } from '../../contract/object.ts';
import type { Kind } from '../../registry/kinds/kind.ts';
import type { ListEnd } from '../../registry/lists/list.ts';
import type { ResourceRequest } from '../resource-request.ts';

/** @returns apiVersion of the metadata kinds in the version that was negotiated */
export function metaVersionOf({ server, negotiated }: Pick<ResourceRequest, 'server' | 'negotiated'>): string {
  return server.identity.text(`meta.\${groupDomain}/${negotiated.transformVersion || 'v1'}`);
}

/** The kind of the list as it is sent as protobuf. */
export function listKindOf({
  server,
  registry,
  kind,
  negotiated,
}: Pick<ResourceRequest, 'server' | 'registry' | 'kind' | 'negotiated'>): Promise<Kind> {
  if (negotiated.transform === 'none') return registry.kind(kind.group, kind.version, kind.data.list ?? `${kind.kind}List`);
  return registry.kind(server.identity.text('meta.${groupDomain}'), negotiated.transformVersion || 'v1', negotiated.transform);
}

/** Field number of a list's member, 1 or 2. */
export function listFieldNumber(list: Kind, name: 'metadata' | 'items'): number {
  const number = list.compiled.byName.get(name)?.field.number;
  if (number === undefined) throw new Error(`${list.kind} has no ${name} in protobuf`);
  return number;
}

/**
 * The whole list around its items, which come last. An empty list of metadata alone has null for items, as in 1.32.
 * @param columns what stands for those of a Table; absent: they themselves
 */
export function listValue(
  request: ResourceRequest,
  metaVersion: string,
  revision: number,
  end: ListEnd,
  items: object[],
  columns?: object,
): ApiObject {
  const { kind, negotiated } = request;
  const metadata = listMetadata(revision, end);
  if (negotiated.transform === 'Table') {
    const columnDefinitions = columns ?? kind.hub.table.columnDefinitions;
    return { kind: 'Table', apiVersion: metaVersion, metadata, columnDefinitions, rows: items };
  }
  if (negotiated.transform === 'PartialObjectMetadataList')
    return { kind: 'PartialObjectMetadataList', apiVersion: metaVersion, metadata, items: items.length === 0 ? null : items };
  const all = kind.compiled.isGo ? metadata : { continue: '', ...metadata };
  return { kind: kind.data.list ?? `${kind.kind}List`, apiVersion: kind.apiVersion, metadata: all, items };
}

function listMetadata(revision: number, end: ListEnd): ApiObject['metadata'] {
  return {
    resourceVersion: String(revision),
    ...(end.continue === '' ? {} : { continue: end.continue }),
    ...(end.remainingItemCount === undefined ? {} : { remainingItemCount: end.remainingItemCount }),
  };
}
