/** The envelope of each protobuf message: a magic prefix, and a message that names the version and kind of its content. */
import { ProtobufError, requireWire } from './error.ts';
import { DELIMITED } from './layout.ts';
import { Reader } from './reader.ts';
import { BackwardWriter } from './writer.ts';

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** the message; it shares the memory of the bytes it was read from */
  readonly raw: Uint8Array;
  readonly contentEncoding: string;
  readonly contentType: string;
}

const writer = new BackwardWriter();

export function wrapEnvelope(apiVersion: string, kind: string, message: Uint8Array): Buffer {
  writeEnd();
  writer.raw(message);
  writeBeginning(apiVersion, kind, message.length);
  return writer.finish();
}

/** The bytes before and after a message of `length` bytes that is sent in parts. */
export function envelopeAround(apiVersion: string, kind: string, length: number): { before: Buffer; after: Buffer } {
  writeEnd();
  const after = writer.finish();
  writeBeginning(apiVersion, kind, length);
  return { before: writer.finish(), after };
}

function writeEnd(): void {
  writer.text('');
  writer.tag(4, DELIMITED);
  writer.text('');
  writer.tag(3, DELIMITED);
}

function writeBeginning(apiVersion: string, kind: string, length: number): void {
  writer.varint(length);
  writer.tag(2, DELIMITED);
  const before = writer.length;
  writer.text(kind);
  writer.tag(2, DELIMITED);
  writer.text(apiVersion);
  writer.tag(1, DELIMITED);
  writer.varint(writer.length - before);
  writer.tag(1, DELIMITED);
  writer.raw(MAGIC);
}

/** @throws ProtobufError */
export function unwrapEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new ProtobufError('empty data');
  if (MAGIC.some((byte, index) => bytes[index] !== byte))
    throw new ProtobufError(`provided data does not appear to be a protobuf message, expected prefix [${MAGIC.join(' ')}]`);
  if (bytes.length === MAGIC.length) throw new ProtobufError('empty body');
  const reader = new Reader(bytes.subarray(MAGIC.length));
  const envelope = { apiVersion: '', kind: '', raw: bytes.subarray(0, 0), contentEncoding: '', contentType: '' };
  while (reader.more) {
    const tag = reader.tag('Unknown');
    const field = FIELDS[Math.floor(tag / 8)];
    if (field === undefined) {
      reader.skip(tag % 8);
      continue;
    }
    requireWire(tag % 8, DELIMITED, field);
    if (field === 'Raw') envelope.raw = reader.bytes();
    else if (field === 'ContentEncoding') envelope.contentEncoding = reader.text();
    else if (field === 'ContentType') envelope.contentType = reader.text();
    else {
      const outer = reader.enter();
      while (reader.more) readTypeMeta(reader, envelope);
      reader.leave(outer);
    }
  }
  // unlike in JSON, an invalid group version counts as absent
  if (envelope.apiVersion.split('/', 3).length > 2) envelope.apiVersion = '';
  return envelope;
}

const FIELDS: readonly (string | undefined)[] = [undefined, 'TypeMeta', 'Raw', 'ContentEncoding', 'ContentType'];
const TYPE_META: readonly (string | undefined)[] = [undefined, 'APIVersion', 'Kind'];

function readTypeMeta(reader: Reader, typeMeta: { apiVersion: string; kind: string }): void {
  const tag = reader.tag('TypeMeta');
  const field = TYPE_META[Math.floor(tag / 8)];
  if (field === undefined) {
    reader.skip(tag % 8);
    return;
  }
  requireWire(tag % 8, DELIMITED, field);
  if (field === 'Kind') typeMeta.kind = reader.text();
  else typeMeta.apiVersion = reader.text();
}
