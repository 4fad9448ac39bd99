/**
 * Reads stored definitions. Most of a definition are its schemas, which may be long, and most of which are never needed. So serving a resource begins with an
 * outline of its definition without them, and they are read from the store when somebody needs them.
 */
import { createHash, hash } from 'node:crypto';
import type { ApiObject } from '../contract/object.ts';
import { inTurns } from '../event-loop/turns.ts';
import { isLong } from '../registry/stored-objects/long-value.ts';
import { parseSlicesWithout, readInTurns } from '../registry/stored-objects/sliced-reading.ts';
import { StoredObject } from '../registry/stored-objects/stored-object.ts';
import { atOnce } from '../schema/at-once.ts';
import type { Member, Omitted } from '../schema/json/json-members.ts';
import { RevisionCompacted } from '../storage/errors.ts';
import type { StorageView } from '../storage/storage.ts';
import type { CustomDefinition } from './definition.ts';

/** The members that outlines do not have: they may be long, and routing requests does not need them. */
const LONG: Omitted = {
  metadata: { labels: true, annotations: true, ownerReferences: true, managedFields: true },
  spec: { versions: { '*': { schema: true, additionalPrinterColumns: true } } },
  status: { storedVersions: true },
};

/** A definition without its schemas and columns, and without labels, annotations and owners. */
export type DefinitionOutline = CustomDefinition & ApiObject;

/** The most bytes of a definition whose outline is read at once, which takes up to three milliseconds. */
const OUTLINED_AT_ONCE = 128 * 1024;

/** Tells whether the outline of a definition may be so long that it should be read in pieces. */
export const hasLongOutline = ({ bytes }: StoredObject): boolean => bytes.length > OUTLINED_AT_ONCE;

/** Reads an outline at once. @param stored its bytes need to be valid only during the call */
const readOutline = (stored: StoredObject): DefinitionOutline => stored.parseWithout(LONG) as unknown as DefinitionOutline;

/**
 * Reads an outline.
 * @param stored its bytes must not change until the promise is resolved.
 * @returns a promise for a long definition, which is read in pieces
 */
export function outlineOf(stored: StoredObject): DefinitionOutline | Promise<DefinitionOutline> {
  if (!hasLongOutline(stored)) return readOutline(stored);
  return inTurns(parseSlicesWithout(stored.json, LONG)) as Promise<unknown> as Promise<DefinitionOutline>;
}

/** Does the same as `outlineOf` for bytes that are valid only during the call: it copies those of a long definition. */
export function outlineOfBorrowed(value: Buffer): DefinitionOutline | Promise<DefinitionOutline> {
  const stored = new StoredObject(value);
  return hasLongOutline(stored) ? outlineOf(new StoredObject(Buffer.from(value))) : readOutline(stored);
}

/** What serving a definition needs. */
export interface ShapedOutline {
  readonly outline: DefinitionOutline;
  /** a hexadecimal digest of what the definition says about its objects: of the spec without the conversion, and of the accepted names */
  readonly shape: string;
  /** a hexadecimal digest of the conversion */
  readonly conversion: string;
}

/** Reads outline and digests in one walk through the bytes. @param stored its bytes need to be valid only during the call */
export function readShaped(stored: StoredObject): ShapedOutline {
  const members = new Map<string, Member>();
  const outline = stored.parseWithout(LONG, (within, member) => members.set(within + member.name, member)) as unknown as DefinitionOutline;
  return atOnce(shapedSlices(outline, stored.json, members));
}

/** Does the same for a long definition in pieces, between which the caller may do something else. @param stored its bytes must not change until the end */
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

/** The bytes that are hashed in one piece, which takes a tenth of a millisecond. */
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
  /** whether the definition is so long that going through all of it takes long */
  readonly isMuchWork: boolean;
}

export type DefinitionValues = Pick<StorageView, 'get'>;

/** Reads one definition at the revision that its resource was made from, even after the stored object has changed. */
export class StoredDefinition {
  readonly #values: DefinitionValues;
  readonly key: string;
  #revision: number;
  #kept: Buffer | undefined;

  /** @param revision the revision of the last change of the key's value */
  constructor(values: DefinitionValues, key: string, revision: number) {
    this.#values = values;
    this.key = key;
    this.#revision = revision;
  }

  /** Notes that the store has the same spec at a later revision. */
  moveTo(revision: number): void {
    this.#revision = revision;
  }

  /**
   * Copies the definition before the store forgets it. This is called when another value has replaced it, because requests that began before may still need it.
   * If the store has forgotten it already, nothing is copied: then this process has not looked for so long that there are no such requests.
   */
  keep(): void {
    try {
      this.#kept ??= this.#read();
    } catch (error) {
      if (!(error instanceof RevisionCompacted)) throw error;
    }
  }

  /** Reads the whole spec; that of a long definition in pieces of a few kilobytes. @throws RevisionCompacted if the store has forgotten it */
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
