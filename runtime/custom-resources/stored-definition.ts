/**
 * A definition as it stands in the store. Schemas may be long and are many, and most are never asked for: what serving a resource takes is read without
 * them, and they are read from the store when somebody needs them.
 */
import { createHash, hash } from 'node:crypto';
import type { ApiObject } from '../contract/object.ts';
import { inTurns } from '../event-loop/turns.ts';
import { isLong } from '../registry/long-value.ts';
import { parseSlicesWithout, readInTurns } from '../registry/sliced-reading.ts';
import { StoredObject } from '../registry/stored-object.ts';
import { atOnce } from '../schema/at-once.ts';
import type { Member, Omitted } from '../schema/json-members.ts';
import { RevisionCompacted } from '../storage/errors.ts';
import type { StorageView } from '../storage/storage.ts';
import type { CustomDefinition } from './definition.ts';

/** What most definitions consist of, or may consist of, and serving them does not take. */
const LONG: Omitted = {
  metadata: { labels: true, annotations: true, ownerReferences: true, managedFields: true },
  spec: { versions: { '*': { schema: true, additionalPrinterColumns: true } } },
  status: { storedVersions: true },
};

/** A definition without its schemas and columns, and without labels, annotations and owners. */
export type DefinitionOutline = CustomDefinition & ApiObject;

/** Bytes of a definition up to which its outline is read at once: there may be nothing else in it, which takes three milliseconds. */
const OUTLINED_AT_ONCE = 128 * 1024;

export const hasLongOutline = ({ bytes }: StoredObject): boolean => bytes.length > OUTLINED_AT_ONCE;

/** All at once. @param stored valid during the call */
const readOutline = (stored: StoredObject): DefinitionOutline => stored.parseWithout(LONG) as unknown as DefinitionOutline;

/** @param stored its bytes must not change until the promise is resolved. @returns a promise where it takes long to be read */
export function outlineOf(stored: StoredObject): DefinitionOutline | Promise<DefinitionOutline> {
  if (!hasLongOutline(stored)) return readOutline(stored);
  return inTurns(parseSlicesWithout(stored.json, LONG)) as Promise<unknown> as Promise<DefinitionOutline>;
}

/** As `outlineOf`, of a value that is valid during the call. */
export function outlineOfBorrowed(value: Buffer): DefinitionOutline | Promise<DefinitionOutline> {
  const stored = new StoredObject(value);
  return hasLongOutline(stored) ? outlineOf(new StoredObject(Buffer.from(value))) : readOutline(stored);
}

/** What serving a definition takes. */
export interface ShapedOutline {
  readonly outline: DefinitionOutline;
  /** in hexadecimal: stands for all that it says of its objects, which is everything but the conversion, and that they are being deleted */
  readonly shape: string;
  /** the same of the conversion */
  readonly conversion: string;
}

/** In one walk through its bytes. @param stored valid during the call */
export function readShaped(stored: StoredObject): ShapedOutline {
  const members = new Map<string, Member>();
  const outline = stored.parseWithout(LONG, (within, member) => members.set(within + member.name, member)) as unknown as DefinitionOutline;
  return atOnce(shapedSlices(outline, stored.json, members));
}

/** The same of one whose outline is long, between whose pieces the caller does what it wants. @param stored its bytes must not change until the end */
export function* readShapedSlices({ json }: StoredObject): Generator<void, ShapedOutline, void> {
  const members = new Map<string, Member>();
  const outline = yield* parseSlicesWithout(json, LONG, (within, member) => members.set(within + member.name, member));
  return yield* shapedSlices(outline as unknown as DefinitionOutline, json, members);
}

function* shapedSlices(
  outline: DefinitionOutline,
  json: Buffer,
  members: ReadonlyMap<string, Member>,
): Generator<void, ShapedOutline, void> {
  const spec = members.get('spec') as Member;
  const conversion = members.get('spec.conversion');
  const { nameStart, end } = conversion ?? { nameStart: spec.end, end: spec.end };
  const accepted = members.get('status.acceptedNames');
  const before = yield* hashSlices([json.subarray(spec.start, nameStart)]);
  const behind = yield* hashSlices([json.subarray(end, spec.end)]);
  return {
    outline,
    shape: yield* hashSlices([
      Buffer.from(`${hashOf(before + behind)} `),
      accepted === undefined ? Buffer.from('undefined') : json.subarray(accepted.start, accepted.end),
    ]),
    conversion: yield* hashSlices(conversion === undefined ? [] : [json.subarray(conversion.start, conversion.end)]),
  };
}

const hashOf = (of: string): string => hash('sha256', of);

/** Bytes of a piece of what is hashed: a tenth of a millisecond. */
const HASHED = 128 * 1024;

function* hashSlices(parts: readonly Buffer[]): Generator<void, string, void> {
  const all = createHash('sha256');
  for (const part of parts)
    for (let at = 0; at < part.length; at += HASHED) {
      all.update(part.subarray(at, at + HASHED));
      yield;
    }
  return all.digest('hex');
}

export interface ReadDefinition extends Pick<CustomDefinition, 'spec'> {
  /** it is long: what goes through all of it is */
  readonly isMuchWork: boolean;
}

export type DefinitionValues = Pick<StorageView, 'get'>;

export class StoredDefinition {
  readonly #values: DefinitionValues;
  readonly key: string;
  #revision: number;
  #kept: Buffer | undefined;

  /** @param revision of the last change of the key's value */
  constructor(values: DefinitionValues, key: string, revision: number) {
    this.#values = values;
    this.key = key;
    this.#revision = revision;
  }

  /** The same spec stands in the store at a later revision. */
  moveTo(revision: number): void {
    this.#revision = revision;
  }

  /**
   * Takes a copy: another value has taken its place, and the store will forget this one, while requests that began before may still ask for it.
   * Where this process has not looked for so long that the store has forgotten it already, there are no such requests.
   */
  keep(): void {
    try {
      this.#kept ??= this.#read();
    } catch (error) {
      if (!(error instanceof RevisionCompacted)) throw error;
    }
  }

  /** All that it specifies, of a long one a few kilobytes at a time. @throws RevisionCompacted where the store has forgotten it */
  async read(): Promise<ReadDefinition> {
    const stored = new StoredObject(this.#kept ?? this.#read());
    const isMuchWork = isLong(stored.json, 'reading');
    const object = isMuchWork ? await readInTurns(stored, ['spec']) : stored.parse();
    return { spec: (object as unknown as CustomDefinition).spec, isMuchWork };
  }

  #read(): Buffer {
    const latest = this.#values.get(this.key);
    const entry = latest?.revision === this.#revision ? latest : this.#values.get(this.key, this.#revision);
    if (entry === undefined) throw new Error(`the store has no ${this.key} at revision ${this.#revision}`);
    return entry.value;
  }
}
