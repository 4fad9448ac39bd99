/**
 * A definition as it stands in the store. Schemas may be long and are many, and most are never asked for: what serving a resource takes is read without
 * them, and they are read from the store when somebody needs them.
 */
import { hash } from 'node:crypto';
import type { ApiObject } from '../contract/object.ts';
import { isLong } from '../registry/long-value.ts';
import { readInTurns } from '../registry/sliced-reading.ts';
import { StoredObject } from '../registry/stored-object.ts';
import type { Member, Omitted } from '../schema/json-members.ts';
import { RevisionCompacted } from '../storage/errors.ts';
import type { StorageView } from '../storage/storage.ts';
import type { CustomDefinition } from './definition.ts';

/** What most definitions consist of, and serving them does not take. */
const LONG: Omitted = {
  metadata: { annotations: true, managedFields: true },
  spec: { versions: { '*': { schema: true, additionalPrinterColumns: true } } },
  status: {},
};

/** A definition without its schemas and columns. @param stored valid during the call */
export const readOutline = (stored: StoredObject): CustomDefinition & ApiObject =>
  stored.parseWithout(LONG) as unknown as CustomDefinition & ApiObject;

/** A definition without its schemas and columns, and in hexadecimal what stands for all that it says of its objects: for everything but the conversion. */
export interface ShapedOutline {
  readonly outline: CustomDefinition & ApiObject;
  readonly shape: string;
  /** the JSON of those of its names that are accepted, as it is stored */
  readonly acceptedNames: string | undefined;
}

/** In one walk through its bytes, which may be many. @param stored valid during the call */
export function readShaped(stored: StoredObject): ShapedOutline {
  const members = new Map<string, Member>();
  const outline = stored.parseWithout(LONG, (within, member) => members.set(within + member.name, member));
  const spec = members.get('spec') as Member;
  const { nameStart, end } = members.get('spec.conversion') ?? { nameStart: spec.end, end: spec.end };
  const { json } = stored;
  const accepted = members.get('status.acceptedNames');
  return {
    outline: outline as unknown as ShapedOutline['outline'],
    shape: hashOf(hashOf(json.subarray(spec.start, nameStart)) + hashOf(json.subarray(end, spec.end))),
    acceptedNames: accepted && json.toString('utf8', accepted.start, accepted.end),
  };
}

export const hashOf = (of: Buffer | string): string => hash('sha256', of);

export interface ReadDefinition extends Pick<CustomDefinition, 'spec'> {
  /** it is long: what goes through all of it is */
  readonly isMuchWork: boolean;
}

export type DefinitionValues = Pick<StorageView, 'get'>;

export class StoredDefinition {
  readonly #values: DefinitionValues;
  readonly #key: string;
  #revision: number;
  #kept: Buffer | undefined;

  /** @param revision of the last change of the key's value */
  constructor(values: DefinitionValues, key: string, revision: number) {
    this.#values = values;
    this.#key = key;
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
    const latest = this.#values.get(this.#key);
    const entry = latest?.revision === this.#revision ? latest : this.#values.get(this.#key, this.#revision);
    if (entry === undefined) throw new Error(`the store has no ${this.#key} at revision ${this.#revision}`);
    return entry.value;
  }
}
