/**
 * Custom resources, which stand in etcd as JSON, and what else stands there that may become one: definitions come later than their objects do when a server
 * starts. The JSON is kept as it is, unknown members and all: what of it is shown is for the definition to say that is there when it is read.
 */
import type { StructType } from '../../contract/descriptor.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';
import { type CompiledStruct, compileType, DecodeError, decode, structuralType } from '../../schema/codec/codec.ts';
import { copyValue } from '../../schema/copy.ts';
import { deepEqual } from '../../schema/equal.ts';
import type { ReadValue } from '../../storage/etcd/value-codec.ts';
import type { StoredBytes } from '../../storage/storage.ts';
import type { Kind } from '../kinds/kind.ts';
import { gvKey } from '../kinds/kind-loader.ts';
import { selectableField } from '../kinds/selectable-field.ts';
import type { Resource } from '../resources/resource.ts';
import { isLong } from '../stored-objects/long-value.ts';
import { type MetadataOrder, metadataOrder } from '../stored-objects/stored-object.ts';
import { type ParsedText, parseText } from './parsed-value.ts';
import { encodeReadObject, unreadable } from './read-object.ts';

export class CustomValues {
  /** kind, apiVersion and metadata alone */
  readonly #outline: CompiledStruct;
  readonly #order: MetadataOrder;

  /** @param objectMeta Go's struct of metadata */
  constructor(objectMeta: StructType, identity: Identity) {
    const type = structuralType('Stored', undefined, objectMeta);
    this.#outline = compileType(type, identity);
    this.#order = metadataOrder(type);
  }

  /**
   * @param value JSON
   * @param resource of the key; undefined: nobody has defined it so far
   * @throws Error with the reason
   */
  fromEtcd(value: Buffer, resource: Resource | undefined): ReadValue {
    const parsed = parseText(value, 'json');
    const name = `${parsed.apiVersion} ${parsed.kind}`;
    if (resource !== undefined) requireOf(resource, parsed, name);
    try {
      const kind = resource && storedKind(resource);
      const isCompared = kind !== undefined && !kind.isMuchWork && !isLong(value, 'reading');
      const current = isCompared ? asCurrent(parsed, kind, resource as Resource) : undefined;
      if (current !== undefined) return current;
      const outdated = isCompared || (resource !== undefined && !isOfStoredVersion(parsed, resource));
      return { ...this.#asItIs(parsed, kind), ...(outdated && { outdated }) };
    } catch (error) {
      throw unreadable(name, error);
    }
  }

  /** Readers take it for an object that was stored under another schema: they read it by what is defined then, and select it by what they have read. */
  #asItIs({ members }: ParsedText, kind: Kind | undefined): StoredBytes {
    const { kind: name, apiVersion, metadata, ...rest } = members;
    const outline = decode(this.#outline, { kind: name, apiVersion, metadata }, { defaults: false, dropsInvalidMetadata: true }).object;
    return encodeReadObject({ ...outline, ...rest } as ApiObject, otherThan(kind), [], this.#order);
  }
}

/** @throws Error for an object of another kind or group than those of the key */
function requireOf({ data, groupResource: { group } }: Resource, { kind, apiVersion }: ParsedText, name: string): void {
  if (kind !== data.kind || !apiVersion.startsWith(`${group}/`)) throw new Error(`it is ${name}, where ${data.kind} of ${group} is stored`);
}

/** Whether a value is of the version that would be written now. What else the schema makes of it, updates find out, where nobody has compared it here. */
const isOfStoredVersion = ({ apiVersion }: ParsedText, { data: { storage } }: Resource): boolean =>
  storage !== undefined && apiVersion === gvKey(storage.group, storage.version);

/** The kind that objects are stored as now; undefined where that is not loaded. */
function storedKind({ data: { storage }, versions }: Resource): Kind | undefined {
  return storage && versions.storedKinds.loaded(storage.group, storage.version, storage.kind);
}

/** Returns an object as it would be stored now if the JSON has exactly its members, so that nobody needs the schema to read it; undefined if not. */
function asCurrent({ apiVersion, members }: ParsedText, kind: Kind, { storedFields }: Resource): ReadValue | undefined {
  if (apiVersion !== gvKey(kind.group, kind.version)) return undefined;
  const object = completed(kind, copyValue(members));
  if (object === undefined || !deepEqual(object, members)) return undefined;
  const fields = storedFields.map((path) => selectableField(kind, object, path));
  return encodeReadObject(object, kind.data.schemaHash, fields, metadataOrder(kind.data.type));
}

function completed(kind: Kind, members: object): ApiObject | undefined {
  try {
    return kind.completed(members);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** A schema's hash that is not the kind's. */
const otherThan = (kind: Kind | undefined): number => (kind !== undefined && kind.data.schemaHash >>> 0 === 0 ? 1 : 0);
