/** The forms in which readers ask for lists and watches; what comes is compared whatever its form. */
import { decodeProtobuf, unwrapEnvelope } from '../../../runtime/schema/protobuf/codec.ts';
import type { Json, ReceivedAnswer } from '../../harness/client.ts';
import type { WatchEvent } from '../../harness/watch.ts';
import { loadKind } from '../../kinds/kind.ts';
import { binaryEvents } from './binary-events.ts';

/** A list, or a page of one, as far as all forms have it. */
export interface Page {
  readonly metadata: Json;
  readonly items: readonly Json[];
}

export interface ListForm {
  /** with the placeholders of names that differ by dialect */
  readonly accept: string;
  readonly query: Readonly<Record<string, string>>;
  read(answer: ReceivedAnswer): Page;
}

const meta = (kind: string): string => `as=${kind};g=meta.\${groupDomain};v=v1`;
const BINARY = 'application/vnd.${mediaProduct}.protobuf';

const plain = ({ body }: ReceivedAnswer): Page => body;
const rows = ({ body }: ReceivedAnswer): Page => ({ metadata: body.metadata, items: body.rows.map(({ object }: Json) => object) });

const secrets = await loadKind('v1', 'SecretList');
const metadataOnly = await loadKind('meta.k8s.io/v1', 'PartialObjectMetadataList');

function binary({ compiled, kind }: typeof secrets): (answer: ReceivedAnswer) => Page {
  return ({ bytes }) => {
    const envelope = unwrapEnvelope(bytes);
    if (envelope.kind !== kind) throw new Error(`${envelope.kind} in place of ${kind}`);
    const { metadata, items } = decodeProtobuf(compiled, envelope.raw) as Json;
    return { metadata: withoutZero(metadata), items: items ?? [] };
  };
}

/** The binary form has texts that JSON leaves out. */
function withoutZero({ resourceVersion, continue: token, remainingItemCount }: Json): Json {
  return {
    resourceVersion,
    ...(token !== '' && { continue: token }),
    ...(remainingItemCount !== undefined && { remainingItemCount: Number(remainingItemCount) }),
  };
}

export const LIST_FORMS: readonly ListForm[] = [
  { accept: 'application/json', query: {}, read: plain },
  { accept: 'application/json', query: { pretty: 'true' }, read: plain },
  {
    accept: `application/json;${meta('PartialObjectMetadataList')}`,
    query: {},
    read: ({ body }) => ({ ...body, items: body.items ?? [] }),
  },
  { accept: `application/json;${meta('Table')}`, query: {}, read: rows },
  { accept: `application/json;${meta('Table')}`, query: { includeObject: 'Object' }, read: rows },
  { accept: BINARY, query: {}, read: binary(secrets) },
  { accept: `${BINARY};${meta('PartialObjectMetadataList')}`, query: {}, read: binary(metadataOnly) },
];

export interface WatchForm {
  readonly accept: string;
  readonly query: Readonly<Record<string, string>>;
  /** the object that an event tells of */
  objectOf(object: Json): Json;
  /** of a stream that is read when it has ended */
  readonly events?: (stream: Buffer) => WatchEvent[];
}

const itself = (object: Json): Json => object;
const row = ({ rows: [only] }: Json): Json => only.object;

export const WATCH_FORMS: readonly WatchForm[] = [
  { accept: 'application/json', query: {}, objectOf: itself },
  { accept: `application/json;${meta('PartialObjectMetadata')}`, query: {}, objectOf: itself },
  { accept: `application/json;${meta('Table')}`, query: {}, objectOf: row },
  { accept: `application/json;${meta('Table')}`, query: { includeObject: 'Object' }, objectOf: row },
  { accept: BINARY, query: {}, objectOf: itself, events: binaryEvents },
  { accept: `${BINARY};${meta('PartialObjectMetadata')}`, query: {}, objectOf: itself, events: binaryEvents },
];
