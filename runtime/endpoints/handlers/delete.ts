import type { ApiObject } from '../../contract/object.ts';
import { ObjectList } from '../../registry/list.ts';
import { splitKey } from '../../registry/selection.ts';
import { newUnsupportedMediaType, type Status, StatusError } from '../../status/status.ts';
import { decodeOptions, readBody } from '../body.ts';
import { type DeleteOptionsBody, deleteOptions, listOptions } from '../options.ts';
import { type ResourceRequest, requireName, sendHubObject, sendStatus } from '../resource-request.ts';
import { sendBytes } from '../respond.ts';
import { admissionAttributes } from './write.ts';

/** DELETE of one object. */
export async function deleteOne(request: ResourceRequest): Promise<void> {
  const { server, store, info } = request;
  requireName(info);
  const options = deleteOptions(info.query, await optionsBody(request), server.identity);
  const { answer } = await store.delete(
    info.namespace,
    info.name,
    options,
    server.ruleContext(options.dryRun, request.resource.apiVersion),
    (old) => admit(request, old, options.dryRun),
  );
  if (isStatus(answer)) return sendStatus(request, answer, 200);
  return sendHubObject(request, answer, 200);
}

function isStatus(answer: ApiObject | Status): answer is Status {
  return answer.kind === 'Status' && answer.apiVersion === 'v1';
}

async function admit(request: ResourceRequest, old: ApiObject, dryRun: boolean): Promise<void> {
  const attributes = admissionAttributes(request, 'delete', dryRun, undefined, old);
  await request.server.admission.mutate(attributes);
  await request.server.admission.validate(attributes);
}

/** @returns undefined for a request without a body. @throws StatusError BadRequest, UnsupportedMediaType */
async function optionsBody(request: ResourceRequest): Promise<DeleteOptionsBody | undefined> {
  const { server, context } = request;
  const body = await readBody(context.req);
  if (body.length === 0) return undefined;
  const encoding = server.negotiator.encodingOf(context.req.headers['content-type'] ?? '');
  if (encoding === undefined) throw newUnsupportedMediaType(server.negotiator.available(false));
  const kind = await server.registry.metaKind('DeleteOptions');
  return decodeOptions(body, encoding, kind) as DeleteOptionsBody;
}

/** DELETE of a collection: each selected object as one delete would go; those that another request removes meanwhile count as gone. */
export async function deleteCollection(request: ResourceRequest): Promise<void> {
  const { server, store, info, resource } = request;
  const options = deleteOptions(info.query, await optionsBody(request), server.identity);
  const selected = listOptions(info.query, false, server.identity);
  const objects = await ObjectList.open(store, server.storage, server.identity, { ...selected, namespace: info.namespace });
  const prefix = store.prefix('').slice(0, -1);
  const namespaced = resource.data.scope === 'Namespaced';
  const names: { namespace: string; name: string }[] = [];
  for (const _slice of objects.slices(({ key }) => {
    names.push(splitKey(key, prefix, namespaced));
    return key.length;
  }));
  const items = await deleteEach(request, names, options);
  const kind = request.kind;
  const value = {
    kind: kind.data.list ?? `${kind.kind}List`,
    apiVersion: kind.apiVersion,
    metadata: {
      resourceVersion: String(objects.revision),
      ...(objects.outcome.continue === '' ? {} : { continue: objects.outcome.continue }),
    },
    items,
  };
  return sendBytes(request.context, 200, 'application/json', `${JSON.stringify(value)}\n`, false);
}

/** Deletes under way at once: enough to share flushes of the store. */
const CONCURRENT_DELETES = 16;

async function deleteEach(
  request: ResourceRequest,
  names: readonly { namespace: string; name: string }[],
  options: ReturnType<typeof deleteOptions>,
): Promise<object[]> {
  const { server, store, kind } = request;
  const context = server.ruleContext(options.dryRun, request.resource.apiVersion);
  const items: (object | undefined)[] = new Array(names.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < names.length; index = next++) {
      const { namespace, name } = names[index] as { namespace: string; name: string };
      try {
        const { object } = store.get(namespace, name);
        await store.delete(namespace, name, options, context, (old) => admit(request, old, options.dryRun));
        const { kind: _kind, apiVersion: _apiVersion, ...rest } = kind.fromHub(object);
        items[index] = rest;
      } catch (error) {
        if (!(error instanceof StatusError) || error.status.reason !== 'NotFound') throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENT_DELETES, names.length) }, worker));
  return items.filter((item) => item !== undefined);
}
