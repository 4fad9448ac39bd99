/**
 * The encoding of watch events (specification: Watch event document). A form is what one kind of client gets; the bytes of an event in a form
 * are made once, kept with the event, and written to all its watchers.
 */
import { writeJson } from '../../contract/json-writer.ts';
import type { ApiObject, ObjectMeta } from '../../contract/object.ts';
import { type IncludeObject, partialObjectMetadata, tableRow } from '../../registry/lists/table.ts';
import { ALWAYS_SHORT, isLong } from '../../registry/stored-objects/long-value.ts';
import { parseStoredJson } from '../../registry/stored-objects/parse-stored-json.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import type { WatchEvent } from '../../registry/watch/watch-subscription.ts';
import { encodeProtobuf, wrapEnvelope } from '../../schema/protobuf/codec.ts';
import type { Status } from '../../status/status.ts';
import type { Entry } from '../../storage/storage.ts';
import { cborForms } from '../answers/cbor-forms.ts';
import { includeObject } from '../answers/respond.ts';
import { EVENT_TYPES, type EventType, Frame } from '../answers/watch-frame.ts';
import { toYaml } from '../answers/yaml-text.ts';
import { type EventForm, type FormPlace, isLongTable, type LongForms, placeOf } from '../long-form.ts';
import type { ClientRequest } from '../request/client-request.ts';
import type { ResourceRequest } from '../resource-request.ts';

/** The bytes of the length that comes before each event of a protobuf stream. */
export const FRAME_LENGTH_BYTES = 4;
const CLOSE = Buffer.from('}\n');
const NOTHING = Buffer.alloc(0);
const JSON_HEADS = Object.fromEntries(EVENT_TYPES.map((type) => [type, Buffer.from(`{"type":"${type}","object":`)])) as Readonly<
  Record<EventType, Buffer>
>;

/** What is made of an event for those who get it in one form; a promise where another thread makes it. */
export type Framed = Frame | Promise<Frame>;

/** What frames are made with. */
type EncoderSubject = Pick<ResourceRequest, 'server' | 'registry' | 'kind' | 'store' | 'negotiated'>;

/** A thread that makes the frames of long objects. */
interface Elsewhere {
  readonly forms: LongForms;
  readonly place: FormPlace;
  readonly waiting: ClientRequest;
}

export class WatchEventEncoder {
  readonly #request: EncoderSubject;
  /** makes frames of long objects on another thread; undefined if all are made here */
  readonly #elsewhere: Elsewhere | undefined;
  /** the names of the forms, by which watchers share frames */
  readonly #forms: Readonly<Record<EventType, string>>;
  readonly #metaVersion: string;
  readonly #include: IncludeObject;
  readonly #asStored: boolean;
  readonly #hasLongTable: boolean;
  #columnsSent = false;

  private constructor(subject: EncoderSubject, include: IncludeObject, elsewhere?: Elsewhere) {
    const { negotiated, kind, server } = subject;
    this.#request = subject;
    this.#elsewhere = elsewhere;
    this.#metaVersion = server.identity.text(`meta.\${groupDomain}/${negotiated.transformVersion || 'v1'}`);
    this.#include = include;
    this.#asStored = negotiated.encoding === 'json' && negotiated.transform === 'none' && kind.hub === kind;
    this.#hasLongTable = isLongTable(subject);
    const form = `${negotiated.encoding} ${negotiated.transform} ${this.#metaVersion} ${this.#include} ${kind.apiVersion}`;
    this.#forms = Object.fromEntries(EVENT_TYPES.map((type) => [type, `${type} ${form}`])) as Record<EventType, string>;
  }

  /** @throws StatusError BadRequest */
  static of(request: ResourceRequest): WatchEventEncoder {
    const { server, info, negotiated, client } = request;
    const forms = server.longRequests;
    return new WatchEventEncoder(
      request,
      includeObject(info.query, negotiated),
      forms && { forms, place: placeOf(request), waiting: client },
    );
  }

  /** Makes the frame of one event for another thread. @param value the stored bytes of the object */
  static make(subject: EncoderSubject, { type, revision, include, columns }: EventForm, value: Buffer): Buffer {
    const encoder = new WatchEventEncoder(subject, include);
    encoder.#columnsSent = !columns;
    if (type === 'BOOKMARK') return encoder.#bookmark(revision, {}).bytes;
    return encoder.#encodeStored(type, new StoredObject(value), revision).bytes;
  }

  /** Whether events of this value may be another thread's work. */
  mayTakeLong({ value }: Pick<Entry, 'value'>): boolean {
    return this.#hasLongTable || value.length > ALWAYS_SHORT;
  }

  frame(type: EventType, event: WatchEvent<Framed>): Framed {
    // The first row of a stream of Tables carries the columns, so it is this watcher's own.
    const shared = this.#request.negotiated.transform !== 'Table' || this.#columnsSent;
    const key = this.#forms[type];
    const found = shared ? event.frames.get(key) : undefined;
    if (found !== undefined) return found;
    const frame = this.#encode(type, event);
    if (!shared) return frame;
    event.frames.set(key, frame);
    if (frame instanceof Promise)
      frame.then(
        (made) => event.frames.set(key, made),
        () => event.frames.delete(key),
      );
    return frame;
  }

  #encode(type: EventType, event: WatchEvent<Framed>): Framed {
    const stored = type === 'DELETED' && event.operation !== 'delete' ? (event.previous ?? event.stored) : event.stored;
    if (this.#asStored && stored === event.stored && this.#request.store.isCurrent(stored))
      return new Frame(JSON_HEADS[type], stored.json, CLOSE);
    return this.#elsewhere !== undefined && (this.#hasLongTable || isLong(stored.json, 'reading'))
      ? this.#encodeElsewhere(this.#elsewhere, type, stored.bytes, event.revision)
      : this.#encodeStored(type, stored, event.revision);
  }

  #encodeStored(type: EventType, stored: StoredObject, revision: number): Frame {
    const object = this.#request.store.decodeStored(stored);
    // An object that left the selection is told in its last selected state, at the revision of the change.
    object.metadata.resourceVersion = String(revision);
    return this.#encodeObject(type, object);
  }

  async #encodeElsewhere({ forms, place, waiting }: Elsewhere, type: EventType, value: Buffer, revision: number): Promise<Frame> {
    const event = { type, revision, include: this.#include, columns: !this.#columnsSent };
    this.#columnsSent = true;
    return new Frame(await forms.form({ place, form: { event }, value }, waiting));
  }

  #encodeObject(type: EventType, object: ApiObject): Frame {
    return this.#encodeValue(type, this.#form(object));
  }

  #form(object: ApiObject): ApiObject {
    const { kind, negotiated } = this.#request;
    if (negotiated.transform === 'Table') return this.#table(object);
    return negotiated.transform === 'none' ? kind.fromHub(object) : partialObjectMetadata(kind.hub, object, this.#metaVersion);
  }

  #table(object: ApiObject): ApiObject {
    const { kind } = this.#request;
    const shown = this.#include === 'Object' ? kind.fromHub(parseStoredJson(Buffer.from(writeJson(object))) as ApiObject) : object;
    const columns = this.#columnsSent ? null : kind.hub.table.columnDefinitions;
    this.#columnsSent = true;
    return {
      kind: 'Table',
      apiVersion: this.#metaVersion,
      metadata: { resourceVersion: object.metadata.resourceVersion as string },
      columnDefinitions: columns,
      rows: [tableRow(kind.hub, object, shown, this.#include, this.#metaVersion, Date.now())],
    };
  }

  /** An object without members but, where the dialect has them, the ones that its type always writes, at a version. */
  bookmark(revision: number): Framed {
    return this.#elsewhere !== undefined && this.#hasLongTable
      ? this.#encodeElsewhere(this.#elsewhere, 'BOOKMARK', NOTHING, revision)
      : this.#bookmark(revision, {});
  }

  /** The bookmark that marks the end of a state. @param blueprint the empty list, as base64; undefined: nothing marks it but its place */
  endOfState(revision: number, blueprint: string | undefined): Frame {
    if (blueprint === undefined) return this.#bookmark(revision, {});
    const { identity } = this.#request.server;
    const annotations = {
      [identity.text('${groupDomain}/initial-events-end')]: 'true',
      [identity.text('${labelDomain}/initial-events-list-blueprint')]: blueprint,
    };
    return this.#bookmark(revision, { annotations });
  }

  #bookmark(revision: number, marks: Pick<ObjectMeta, 'annotations'>): Frame {
    const { kind, server, negotiated } = this.#request;
    const resourceVersion = String(revision);
    const object = this.#form(kind.hub.normalized({ metadata: { resourceVersion, creationTimestamp: null, ...marks } }));
    const isBare = server.identity.bareBookmarks && marks.annotations === undefined;
    if (!isBare || negotiated.encoding !== 'json' || negotiated.transform === 'Table') return this.#encodeValue('BOOKMARK', object);
    return this.#encodeValue('BOOKMARK', { kind: object.kind, apiVersion: object.apiVersion, metadata: { resourceVersion } });
  }

  error(status: Status): Frame {
    return this.#encodeValue('ERROR', status as unknown as ApiObject);
  }

  #encodeValue(type: EventType, object: ApiObject): Frame {
    switch (this.#request.negotiated.encoding) {
      case 'json':
        return new Frame(Buffer.from(`{"type":"${type}","object":${writeJson(object)}}\n`));
      case 'yaml':
        return new Frame(Buffer.from(`---\n${toYaml({ type, object })}`));
      case 'cbor':
        return new Frame(cborForms().cborOfEvent(type, this.#request.kind, object));
      default:
        return this.#protobufFrame(type, object);
    }
  }

  /** A length, then the message WatchEvent whose object is a whole envelope. */
  #protobufFrame(type: EventType, object: ApiObject): Frame {
    const { kind, registry } = this.#request;
    const of = object.kind === kind.kind ? kind : registry.loadedMetaKind(object.kind);
    if (of === undefined) throw new Error(`the kinds of a protobuf watch are not loaded: ${object.kind}`);
    const raw = wrapEnvelope(object.apiVersion, object.kind, encodeProtobuf(of.compiled, object));
    const message = watchEventMessage(type, raw);
    const length = Buffer.allocUnsafe(FRAME_LENGTH_BYTES);
    length.writeUInt32BE(message.length);
    return new Frame(length, message);
  }
}

/** Makes the protobuf message WatchEvent: type = 1, object = 2 (RawExtension, raw = 1). @param raw the object in any form */
export function watchEventMessage(type: string, raw: Uint8Array): Buffer {
  const extension = Buffer.concat([lengthDelimited(1, raw.length), raw]);
  return Buffer.concat([lengthDelimited(1, type.length), Buffer.from(type), lengthDelimited(2, extension.length), extension]);
}

function lengthDelimited(field: number, length: number): Buffer {
  const bytes = [(field << 3) | 2];
  let rest = length;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
