import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { ApiObject } from '../../contract/object.ts';
import { type ListEnd, ObjectList } from '../../registry/list.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { columnDefinitions, partialObjectMetadata, tableRow } from '../../registry/table.ts';
import { encodeProtobuf, wrapEnvelope } from '../../schema/protobuf.ts';
import { drained } from '../drain.ts';
import { listOptions } from '../options.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { includeObject, notAcceptable, sendBytes, takesGzip, wantsPretty } from '../respond.ts';
import { toYaml } from '../yaml-text.ts';

/** GET of a collection. */
export async function list(request: ResourceRequest): Promise<void> {
  const { server, store, info, negotiated } = request;
  const options = listOptions(info.query, false, server.identity);
  if (negotiated.transform === 'PartialObjectMetadata')
    throw notAcceptable(
      'you requested PartialObjectMetadata, but the requested object is a list (of which PartialObjectMetadataList may be had)',
    );
  const objects = await ObjectList.open(store, server.storage, server.identity, { ...options, namespace: info.namespace });
  const plain = negotiated.encoding === 'json' && negotiated.transform === 'none' && !wantsPretty(info.query, negotiated);
  if (plain && request.kind.hub === request.kind) return sendStoredItems(request, objects);
  return sendDecodedItems(request, objects);
}

/** Room for items that are copied before they are sent. */
const CHUNK_BYTES = 256 * 1024;
const COMMA = 0x2c;

/** Copies stored bytes into chunks; a list that fits one chunk is sent with its length, a longer one as a stream with back-pressure. */
async function sendStoredItems(request: ResourceRequest, objects: ObjectList): Promise<void> {
  const { kind, store } = request;
  const chunks = new ItemChunks();
  const take = (_entry: unknown, stored: StoredObject): void => {
    if (stored.schemaHash === kind.data.schemaHash >>> 0) chunks.add(stored.item);
    else chunks.add(itemOf(store.decodeStored(stored)));
  };
  const slices = objects.slices(take);
  const whole = slices.next();
  const listKind = kind.data.list ?? `${kind.kind}List`;
  const head = (end: ListEnd): string =>
    `{"kind":${JSON.stringify(listKind)},"apiVersion":${JSON.stringify(kind.apiVersion)},"metadata":${JSON.stringify(listMetadata(objects.revision, end))},"items":[`;
  if (whole.done === true) {
    const parts = [Buffer.from(head(objects.outcome)), ...chunks.drain(), Buffer.from(']}\n')];
    return sendBytes(request.context, 200, 'application/json', Buffer.concat(parts), true);
  }
  // Metadata stands before the items, but a token is known after them: only a list that ends within its limit is streamed.
  if (objects.limited) {
    while (slices.next().done !== true) await turn();
    const parts = [Buffer.from(head(objects.outcome)), ...chunks.drain(), Buffer.from(']}\n')];
    return sendBytes(request.context, 200, 'application/json', Buffer.concat(parts), true);
  }
  return stream(request, head(objects.outcome), slices, chunks);
}

async function stream(request: ResourceRequest, head: string, slices: Generator<void>, chunks: ItemChunks): Promise<void> {
  const { context } = request;
  const response = context.res;
  context.respond = false;
  response.statusCode = 200;
  response.setHeader('content-type', 'application/json');
  const compressed = takesGzip(context);
  if (compressed) {
    response.setHeader('content-encoding', 'gzip');
    response.setHeader('vary', 'Accept-Encoding');
  }
  const sink = compressed ? createGzip({ level: 1 }) : response;
  if (sink !== response) sink.pipe(response);
  try {
    await write(sink, response, Buffer.from(head));
    for (;;) {
      for (const chunk of chunks.drain()) await write(sink, response, chunk);
      await turn();
      if (response.destroyed || slices.next().done === true) break;
    }
    for (const chunk of chunks.drain()) await write(sink, response, chunk);
    sink.end(']}\n');
  } catch (error) {
    // The status line is out: a broken stream is the only way to say that the list is not whole.
    request.server.log.warn({ err: error }, 'a list broke off');
    response.destroy();
  }
}

async function write(sink: NodeJS.WritableStream, response: ServerResponse, chunk: Buffer): Promise<void> {
  if (response.destroyed || sink.write(chunk)) return;
  await drained(sink, response);
}

/** Items of a JSON list, with their opening braces and commas between them. */
class ItemChunks {
  #full: Buffer[] = [];
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #used = 0;
  #first = true;

  /** @param rest an item without its opening brace; copied */
  add(rest: Buffer): void {
    if (this.#used + rest.length + 2 > this.#chunk.length) this.#turnOver(rest.length + 2);
    if (this.#first) this.#first = false;
    else this.#chunk[this.#used++] = COMMA;
    this.#chunk[this.#used++] = 0x7b;
    this.#used += rest.copy(this.#chunk, this.#used);
  }

  #turnOver(needed: number): void {
    if (this.#used > 0) this.#full.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, needed));
    this.#used = 0;
  }

  /** What was added since the last call. */
  drain(): Buffer[] {
    this.#turnOver(0);
    const full = this.#full;
    this.#full = [];
    return full;
  }
}

function itemOf(object: ApiObject): Buffer {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return Buffer.from(JSON.stringify(rest).slice(1));
}

function listMetadata(revision: number, end: ListEnd): object {
  return {
    resourceVersion: String(revision),
    ...(end.continue === '' ? {} : { continue: end.continue }),
    ...(end.remainingItemCount === undefined ? {} : { remainingItemCount: end.remainingItemCount }),
  };
}

/** Every other form: objects are read, converted and encoded, yielding between slices. */
async function sendDecodedItems(request: ResourceRequest, objects: ObjectList): Promise<void> {
  const { server, store, kind, negotiated, info } = request;
  const metaVersion = server.identity.text(`meta.\${groupDomain}/${negotiated.transformVersion || 'v1'}`);
  const include = includeObject(info.query);
  const now = Date.now();
  const items: object[] = [];
  const take = (_entry: unknown, stored: StoredObject): void => {
    const object = store.decodeStored(stored);
    if (negotiated.transform === 'Table') {
      const shown = include === 'Object' ? kind.fromHub(JSON.parse(JSON.stringify(object))) : object;
      items.push(tableRow(kind.hub, object, shown, include, metaVersion, now));
    } else if (negotiated.transform === 'PartialObjectMetadataList') items.push(partialObjectMetadata(object, metaVersion));
    else items.push(withoutType(kind.fromHub(object)));
  };
  const slices = objects.slices(take);
  while (slices.next().done !== true) await turn();
  const metadata = listMetadata(objects.revision, objects.outcome);
  const value = listValue(request, metaVersion, metadata, items);
  return sendBytes(request.context, 200, server.negotiator.contentType(negotiated), await encodeList(request, value), true);
}

function withoutType(object: ApiObject): object {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}

function listValue({ kind, negotiated }: ResourceRequest, metaVersion: string, metadata: object, items: object[]): ApiObject {
  if (negotiated.transform === 'Table')
    return { kind: 'Table', apiVersion: metaVersion, metadata, columnDefinitions: columnDefinitions(kind.hub), rows: items };
  if (negotiated.transform === 'PartialObjectMetadataList')
    return { kind: 'PartialObjectMetadataList', apiVersion: metaVersion, metadata, items: items.length === 0 ? null : items };
  return { kind: kind.data.list ?? `${kind.kind}List`, apiVersion: kind.apiVersion, metadata, items };
}

async function encodeList(request: ResourceRequest, value: ApiObject): Promise<Buffer | string> {
  const { server, kind, negotiated, info } = request;
  if (negotiated.encoding === 'yaml') return toYaml(value);
  if (negotiated.encoding === 'json')
    return wantsPretty(info.query, negotiated) ? `${JSON.stringify(value, null, 2)}\n` : `${JSON.stringify(value)}\n`;
  const type =
    negotiated.transform === 'none'
      ? await server.registry.kind(kind.group, kind.version, value.kind)
      : await server.registry.metaKind(value.kind);
  return Buffer.from(wrapEnvelope(value.apiVersion, value.kind, encodeProtobuf(type.compiled, value)));
}
