/** What a list says besides its items. */
import type { ApiObject } from '../../contract/object.ts';
import type { ListEnd } from '../../registry/list.ts';
import { columnDefinitions } from '../../registry/table.ts';
import type { ResourceRequest } from '../resource-request.ts';

/** @returns apiVersion of the metadata kinds in the version that was negotiated */
export function metaVersionOf({ server, negotiated }: ResourceRequest): string {
  return server.identity.text(`meta.\${groupDomain}/${negotiated.transformVersion || 'v1'}`);
}

/** The whole list around its items, which come last. An empty list of metadata alone has null for items, as in 1.32. */
export function listValue(request: ResourceRequest, metaVersion: string, revision: number, end: ListEnd, items: object[]): ApiObject {
  const { kind, negotiated } = request;
  const metadata = listMetadata(revision, end);
  if (negotiated.transform === 'Table')
    return { kind: 'Table', apiVersion: metaVersion, metadata, columnDefinitions: columnDefinitions(kind.hub), rows: items };
  if (negotiated.transform === 'PartialObjectMetadataList')
    return { kind: 'PartialObjectMetadataList', apiVersion: metaVersion, metadata, items: items.length === 0 ? null : items };
  return { kind: kind.data.list ?? `${kind.kind}List`, apiVersion: kind.apiVersion, metadata, items };
}

function listMetadata(revision: number, end: ListEnd): ApiObject['metadata'] {
  return {
    resourceVersion: String(revision),
    ...(end.continue === '' ? {} : { continue: end.continue }),
    ...(end.remainingItemCount === undefined ? {} : { remainingItemCount: end.remainingItemCount }),
  };
}
