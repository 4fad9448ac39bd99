/**
 * Lists for programs: the bytes of their items one after the other, as a stream with back-pressure where nothing has to be known of the
 * last item before the first is sent.
 */
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { ListEnd, ObjectList } from '../../registry/list.ts';
import { encodeProtobuf, envelopeAround } from '../../schema/protobuf.ts';
import { drained } from '../drain.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { sendBytes, takesGzip } from '../respond.ts';
import { Chunks } from './chunks.ts';
import { type AddItem, jsonItems } from './json-items.ts';
import { listFieldNumber, listKindOf, listValue, metaVersionOf } from './list-value.ts';
import { protobufItems } from './protobuf-items.ts';

const COMMA = 0x2c;
const JSON_END = ']}\n';

export async function sendItemList(request: ResourceRequest, objects: ObjectList): Promise<void> {
  const metaVersion = metaVersionOf(request);
  const chunks = new Chunks();
  if (request.negotiated.encoding === 'protobuf') return sendProtobuf(request, objects, chunks, metaVersion);
  return sendJson(request, objects, chunks, metaVersion, withCommas(jsonItems(request, metaVersion, chunks), chunks));
}

function withCommas(add: AddItem, chunks: Chunks): AddItem {
  return (entry) => {
    if (chunks.length > 0) chunks.byte(COMMA);
    add(entry);
  };
}

/** One slice after the other, each in a turn of its own. */
function slicesOf(objects: ObjectList, chunks: Chunks, add: AddItem): Generator<void, void, void> {
  return objects.slices((entry) => {
    const before = chunks.length;
    add(entry);
    return chunks.length - before;
  });
}

async function sendJson(request: ResourceRequest, objects: ObjectList, chunks: Chunks, metaVersion: string, add: AddItem): Promise<void> {
  const head = (end: ListEnd): Buffer => {
    const text = JSON.stringify(listValue(request, metaVersion, objects.revision, end, [{}]));
    return Buffer.from(text.slice(0, text.lastIndexOf('{}')));
  };
  const slices = slicesOf(objects, chunks, add);
  let done = slices.next().done === true;
  // Metadata stands before the items, but a token is known after them: only a list that ends within its limit is streamed.
  while (!done && objects.limited) {
    await turn();
    done = slices.next().done === true;
  }
  if (!done) return stream(request, head(objects.outcome), slices, chunks);
  if (chunks.length === 0) return sendEmpty(request, objects, metaVersion);
  const parts = [head(objects.outcome), ...chunks.drain(), Buffer.from(JSON_END)];
  return sendBytes(request.context, 200, contentTypeOf(request), Buffer.concat(parts), true);
}

function sendEmpty(request: ResourceRequest, objects: ObjectList, metaVersion: string): Promise<void> {
  const value = listValue(request, metaVersion, objects.revision, objects.outcome, []);
  return sendBytes(request.context, 200, contentTypeOf(request), `${JSON.stringify(value)}\n`, true);
}

const contentTypeOf = ({ server, negotiated }: ResourceRequest): string => server.negotiator.contentType(negotiated);

async function stream(request: ResourceRequest, head: Buffer, slices: Generator<void>, chunks: Chunks): Promise<void> {
  const { context } = request;
  const response = context.res;
  context.respond = false;
  response.statusCode = 200;
  response.setHeader('content-type', contentTypeOf(request));
  const compressed = takesGzip(context);
  if (compressed) {
    response.setHeader('content-encoding', 'gzip');
    response.setHeader('vary', 'Accept-Encoding');
  }
  const sink = compressed ? createGzip({ level: 1 }) : response;
  if (sink !== response) sink.pipe(response);
  try {
    await write(sink, response, head);
    for (;;) {
      for (const chunk of chunks.drain()) await write(sink, response, chunk);
      await turn();
      if (response.destroyed || slices.next().done === true) break;
    }
    for (const chunk of chunks.drain()) await write(sink, response, chunk);
    sink.end(JSON_END);
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

/** The envelope says how long the message is before it begins: items are put together first. */
async function sendProtobuf(request: ResourceRequest, objects: ObjectList, chunks: Chunks, metaVersion: string): Promise<void> {
  const list = await listKindOf(request);
  const slices = slicesOf(objects, chunks, await protobufItems(request, metaVersion, chunks, list));
  while (slices.next().done !== true) await turn();
  const value = listValue(request, metaVersion, objects.revision, objects.outcome, []);
  const metadata = encodeProtobuf(list.compiled, value);
  const { before, after } = envelopeAround(value.apiVersion, value.kind, metadata.length + chunks.length);
  const itemsFirst = listFieldNumber(list, 'items') < listFieldNumber(list, 'metadata');
  const parts = itemsFirst ? [...chunks.drain(), metadata] : [metadata, ...chunks.drain()];
  return sendBytes(request.context, 200, contentTypeOf(request), Buffer.concat([before, ...parts, after]), true);
}
