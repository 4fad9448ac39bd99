/**
 * A definition as it stands in the store. Schemas may be long and are many, and most are never asked for: what serving a resource takes is read without
 * them, and they are read from the store when somebody needs them.
 */
import { hash } from 'node:crypto';
import type { ApiObject } from '../contract/object.ts';
import { StoredObject } from '../registry/stored-object.ts';
import { type Member, memberOf, type Omitted } from '../schema/json-members.ts';
import { RevisionCompacted } from '../storage/errors.ts';
import type { StorageView } from '../storage/storage.ts';
import type { CustomDefinition } from './definition.ts';

/** What most definitions consist of, and serving them does not take. */
const LONG: Omitted = {
  metadata: { annotations: true, managedFields: true },
  spec: { versions: { '*': { schema: true } } },
};

/** A definition without its schemas. @param stored valid during the call */
export const readOutline = (stored: StoredObject): CustomDefinition & ApiObject =>
  stored.parseWithout(LONG) as unknown as CustomDefinition & ApiObject;

/** In hexadecimal, of all that a definition says of its objects: of everything but the conversion. @param stored valid during the call */
export function shapeOf({ json }: StoredObject): string {
  const spec = memberOf(json, 'spec') as Member;
  const conversion = memberOf(json, 'conversion', spec.start) ?? { nameStart: spec.end, end: spec.end };
  return hash('sha256', hashOf(json.subarray(spec.start, conversion.nameStart)) + hashOf(json.subarray(conversion.end, spec.end)));
}

export const hashOf = (of: Buffer | string): string => hash('sha256', of);

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

  /** All that it specifies. @throws RevisionCompacted where the store has forgotten it */
  get spec(): CustomDefinition['spec'] {
    const bytes = this.#kept ?? this.#read();
    return (new StoredObject(bytes).parse() as unknown as CustomDefinition).spec;
  }

  #read(): Buffer {
    const latest = this.#values.get(this.#key);
    const entry = latest?.revision === this.#revision ? latest : this.#values.get(this.#key, this.#revision);
    if (entry === undefined) throw new Error(`the store has no ${this.#key} at revision ${this.#revision}`);
    return entry.value;
  }
}
