/** Watches as protobuf: each event a length of four bytes, then the message WatchEvent (specification: Protobuf envelope). */
import { decodeProtobuf, unwrapEnvelope } from '../../../runtime/schema/protobuf/codec.ts';
import type { Json } from '../../harness/client.ts';
import type { WatchEvent } from '../../harness/watch.ts';
import { loadKind } from '../../kinds/kind.ts';

const LENGTH = 4;

const kinds = new Map(
  await Promise.all(
    [
      ['v1', 'Secret'],
      ['meta.k8s.io/v1', 'PartialObjectMetadata'],
      ['meta.k8s.io/v1', 'Status'],
    ].map(async ([apiVersion = '', name = '']) => [name, await loadKind(apiVersion, name)] as const),
  ),
);

/** @param stream as much of it as came; an event that is cut off is left out */
export function binaryEvents(stream: Buffer): WatchEvent[] {
  const events: WatchEvent[] = [];
  for (let at = 0; at + LENGTH <= stream.length; ) {
    const end = at + LENGTH + stream.readUInt32BE(at);
    if (end > stream.length) break;
    events.push(eventOf(stream.subarray(at + LENGTH, end)));
    at = end;
  }
  return events;
}

function eventOf(message: Buffer): WatchEvent {
  const [type, extension] = membersOf(message);
  const [raw] = membersOf(extension as Buffer);
  const { kind: name, raw: bytes } = unwrapEnvelope(raw as Buffer);
  const kind = kinds.get(name);
  if (kind === undefined) throw new Error(`an event of the kind ${name}`);
  return { type: String(type) as WatchEvent['type'], object: decodeProtobuf(kind.compiled, bytes) as Json };
}

/** Members of a message that has each of its fields once, in order, with a length. */
function membersOf(message: Buffer): Buffer[] {
  const members: Buffer[] = [];
  for (let at = 0; at < message.length; ) {
    at++;
    let length = 0;
    for (let shift = 0, more = true; more; shift += 7) {
      const byte = message[at++] as number;
      length |= (byte & 0x7f) << shift;
      more = byte > 0x7f;
    }
    members.push(message.subarray(at, at + length));
    at += length;
  }
  return members;
}
