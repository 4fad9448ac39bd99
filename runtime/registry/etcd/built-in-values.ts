/** Values of one resource of the schemas, which stand in etcd in any version and form that 1.32 could have written them in. */
import { writeJson } from '../../contract/json-writer.ts';
import type { ApiObject } from '../../contract/object.ts';
import { copyValue } from '../../schema/copy.ts';
import { decodeProtobuf, encodeProtobuf, wrapEnvelope } from '../../schema/protobuf/codec.ts';
import type { ReadValue } from '../../storage/etcd/value-codec.ts';
import type { Kind } from '../kinds/kind.ts';
import { selectableField } from '../kinds/selectable-field.ts';
import { type MetadataOrder, metadataOrder, type StoredObject } from '../stored-objects/stored-object.ts';
import { goText } from './go-json.ts';
import { writtenEntries } from './managed-sets.ts';
import { type ParsedMessage, type ParsedText, parseValue } from './parsed-value.ts';
import { encodeReadObject, unreadable } from './read-object.ts';
import { jsonToEtcd } from './stored-json.ts';
import type { WrittenForm } from './value-form.ts';

export interface BuiltInValuesParts {
  /** the kind that rules see, and that objects of other versions are read as */
  readonly hub: Kind;
  /** the kind that values are read as where they are of it: `hub`, or one that is converted to it */
  readonly written: Kind;
  /** the kind that stands in etcd: `written`, or another one that is converted to `hub` */
  readonly inEtcd: Kind;
  /** the paths of the selectable fields in the hub */
  readonly fields: readonly string[];
  /** the form in which objects are written */
  readonly form: WrittenForm;
  /** Finds a kind of any version that the schemas have or had; it returns undefined if none is known by these names. */
  readonly find: (apiVersion: string, kind: string) => Promise<Kind | undefined>;
}

export class BuiltInValues {
  readonly #parts: BuiltInValuesParts;
  readonly #hubOrder: MetadataOrder;
  readonly #writtenOrder: MetadataOrder;
  /** kinds that are converted to the hub, and the hub itself, by their versions and names */
  readonly #kinds: Map<string, Kind>;

  constructor(parts: BuiltInValuesParts) {
    const { hub, written, inEtcd } = parts;
    this.#parts = parts;
    this.#hubOrder = metadataOrder(hub.data.type);
    this.#writtenOrder = metadataOrder(written.data.type);
    this.#kinds = new Map([hub, written, inEtcd].map((kind) => [nameOf(kind), kind]));
  }

  /**
   * @param stored of the hub or of what is written
   * @param object what it was made of, which is not changed; absent: it is parsed
   * @throws Error for any other object
   */
  toEtcd(stored: StoredObject, object?: ApiObject): Buffer {
    const { inEtcd, form } = this.#parts;
    const isInEtcd = stored.isOf(inEtcd.kind, inEtcd.apiVersion);
    if (isInEtcd && form === 'json') return goText(jsonToEtcd(stored));
    const made = isInEtcd ? (object ?? stored.parse()) : this.#converted(stored);
    const { managedFields } = made.metadata;
    const metadata = { ...made.metadata, resourceVersion: undefined, selfLink: undefined };
    if (form === 'json') return goText(Buffer.from(`${writeJson({ ...made, metadata })}\n`));
    if (managedFields !== undefined) metadata.managedFields = writtenEntries(managedFields);
    return wrapEnvelope(inEtcd.apiVersion, inEtcd.kind, encodeProtobuf(inEtcd.compiled, { ...made, metadata }));
  }

  /** An object of the hub, or of what is written, as the kind that stands in etcd. */
  #converted(stored: StoredObject): ApiObject {
    const { hub, written, inEtcd } = this.#parts;
    if (stored.isOf(hub.kind, hub.apiVersion)) return inEtcd.fromHub(stored.parse());
    if (stored.isOf(written.kind, written.apiVersion)) return inEtcd.fromHub(written.toHub(stored.parse()));
    throw new Error(`an object is to be stored that is neither ${nameOf(written)} nor ${nameOf(hub)}`);
  }

  /** @returns a promise where the kind of a version is still to be loaded, which reads `value` when it is. @throws Error with the reason */
  fromEtcd(value: Buffer): ReadValue | Promise<ReadValue> {
    const parsed = parseValue(value);
    const kind = this.#kinds.get(nameOf(parsed));
    return kind === undefined ? this.#find(parsed).then((found) => this.#read(parsed, found)) : this.#read(parsed, kind);
  }

  async #find(parsed: ParsedMessage | ParsedText): Promise<Kind> {
    const { hub, find } = this.#parts;
    const kind = await find(parsed.apiVersion, parsed.kind);
    if (kind === undefined) throw new Error(`nothing is known here of ${nameOf(parsed)}, where ${nameOf(hub)} is stored`);
    if (nameOf(kind.hub) !== nameOf(hub)) throw new Error(`it is ${nameOf(parsed)}, where ${nameOf(hub)} is stored`);
    this.#kinds.set(nameOf(kind), kind);
    return kind;
  }

  #read(parsed: ParsedMessage | ParsedText, kind: Kind): ReadValue {
    const { hub, written, inEtcd, form, fields } = this.#parts;
    try {
      const { members, entries } = membersOf(parsed, kind);
      const isWritten = kind === written;
      const object = isWritten && written !== hub ? written.decode(members, OWN).object : this.#asHub(members, kind);
      const seen = isWritten && written !== hub && fields.length > 0 ? this.#asHub(copyValue(object), kind) : object;
      if (entries !== undefined) object.metadata.managedFields = entries;
      const made = isWritten ? written : hub;
      const selectable = fields.map((path) => selectableField(hub, seen, path));
      const read = encodeReadObject(object, made.data.schemaHash, selectable, isWritten ? this.#writtenOrder : this.#hubOrder);
      const isAsWritten = kind === inEtcd && (parsed.form === 'protobuf') === (form === 'protobuf');
      return isAsWritten ? read : { ...read, outdated: true };
    } catch (error) {
      throw unreadable(nameOf(parsed), error);
    }
  }

  /** @param members of an object of the kind, which nobody else has */
  #asHub(members: object, kind: Kind): ApiObject {
    const { hub } = this.#parts;
    if (nameOf(kind) === nameOf(hub)) return hub.completed(members, OWN);
    return hub.completed(kind.toHub(kind.decode(members, OWN).object), OWN);
  }
}

/** What was read is nobody else's. */
const OWN = { reuses: true };

const nameOf = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string => `${apiVersion} ${kind}`;

interface Members {
  readonly members: Record<string, unknown>;
  /** the entries of metadata.managedFields, if they are kept apart from the members, because no default, rule or conversion changes them; otherwise absent */
  readonly entries?: unknown[] | undefined;
}

function membersOf(parsed: ParsedMessage | ParsedText, kind: Kind): Members {
  if (parsed.form !== 'protobuf') return { members: parsed.members };
  // kind and apiVersion stand in front, where they are wanted
  const members = { kind: kind.kind, apiVersion: kind.apiVersion, ...decodeProtobuf(kind.compiled, parsed.raw, KEEPING) } as ApiObject;
  const entries = members.metadata?.managedFields;
  if (entries !== undefined) delete members.metadata.managedFields;
  return { members, entries };
}

const KEEPING = { keepsSets: true };
