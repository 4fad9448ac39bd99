/**
 * Reads the custom resource definitions that a server is started with. They are not stored and do not change while the server runs. Their resources are served
 * from the first request on.
 */
import type { RuleContext } from '../contract/kind-rules.ts';
import { parseDocument } from '../files/file-document.ts';
import { FileError } from '../files/file-error.ts';
import { readFileText } from '../files/file-text.ts';
import type { Kind } from '../registry/kinds/kind.ts';
import type { ResourceDefinition } from '../registry/resources/resource-definition.ts';
import { encodeStoredObject, StoredObject } from '../registry/stored-objects/stored-object.ts';
import { DecodeError, strictErrors } from '../schema/codec/codec.ts';
import { objectErrors } from '../validation/kind-errors.ts';
import { acceptNames, NO_NAMES } from './accepted-names.ts';
import { type CustomResourceParts, CustomResourceSource } from './custom-resource-source.ts';
import type { CustomDefinition, CustomNames } from './definition.ts';
import type { DefinitionValues } from './stored-definition.ts';

/** The text of one definition. */
export interface DefinitionText {
  readonly text: string;
  /** the name that errors give to the text, such as the path of its file */
  readonly source: string;
}

export interface HeldDefinitionParts extends Omit<CustomResourceParts, 'values'> {
  /** the kind of definitions in the version in which they are stored */
  readonly kind: Kind;
  readonly context: RuleContext;
}

/** Matches the beginning of each document, which is a line of three hyphens, even inside a text. */
const NEXT_DOCUMENT = /^(?=---(?:\s|$))/m;
const EMPTY_LINE = /^(?:---|\.\.\.)?\s*(?:#.*)?$/;

/** Reads the documents of all files, in their order. @throws FileError for a file that cannot be read, or that has no document */
export async function readDefinitionFiles(files: readonly string[]): Promise<DefinitionText[]> {
  const texts = await Promise.all(
    files.map(async (source) => {
      const documents = (await readFileText(source)).split(NEXT_DOCUMENT).filter((text) => !isEmpty(text));
      if (documents.length === 0) throw new FileError(source, ['it holds nothing']);
      return documents.map((text) => ({ text, source }));
    }),
  );
  return texts.flat();
}

const isEmpty = (text: string): boolean => text.split('\n').every((line) => EMPTY_LINE.test(line));

/** Makes the resources of definitions. @throws FileError that tells everything that is wrong with one, or that it has a name which an earlier one has */
export function heldDefinitions(texts: readonly DefinitionText[], parts: HeldDefinitionParts): ResourceDefinition[] {
  const values = new HeldValues();
  const source = new CustomResourceSource('held', { ...parts, values });
  const names = new NamesOfGroups();
  return texts.map((text) => {
    const definition = readDefinition(text, parts);
    names.take(definition, text.source);
    const bytes = encodeStoredObject(established(definition), parts.kind.data.schemaHash, []).bytes;
    values.add(`${source.prefix}/${definition.metadata.name}`, bytes);
    const { definedBy: _held, ...defined } = source.define(new StoredObject(bytes)) as ResourceDefinition;
    return defined;
  });
}

type Definition = CustomDefinition & ReturnType<Kind['decode']>['object'];

/** Decodes and validates one definition. @throws FileError that tells everything that is wrong with it */
function readDefinition({ text, source }: DefinitionText, { kind, context }: HeldDefinitionParts): Definition {
  const { value, parsed } = parseDocument(text, source);
  if (value.kind !== kind.kind || value.apiVersion !== kind.apiVersion)
    throw new FileError(source, [`it holds no ${kind.kind} of ${kind.apiVersion}`]);
  try {
    const { object, unknownFields } = kind.decode(value);
    const strict = [...parsed.problems, ...strictErrors(parsed, kind.compiled, unknownFields)];
    const found = objectErrors(kind, object, undefined, context).map(({ field, message }) => `${field}: ${message}`);
    if (strict.length + found.length === 0) return object as Definition;
    const { name = '' } = object.metadata;
    throw new FileError(name === '' ? source : `${source}: ${name}`, [...strict, ...found]);
  } catch (error) {
    if (error instanceof DecodeError) throw new FileError(source, [error.message]);
    throw error;
  }
}

/** Adds the status that a definition has in a store once a controller has accepted its names. */
function established({ status, ...definition }: Definition): Definition {
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }));
  return { ...definition, status: { acceptedNames: definition.spec.names, conditions } } as Definition;
}

/** The names that resources and kinds of each group have already. */
class NamesOfGroups {
  readonly #groups = new Map<string, { resources: Set<string>; kinds: Set<string> }>();

  /** Adds the names of a definition. @throws FileError if an earlier definition has one of them */
  take({ spec: { group, names }, metadata }: Definition, source: string): void {
    const used = this.#groups.get(group) ?? { resources: new Set(), kinds: new Set() };
    const { conflict } = acceptNames(names as Parameters<typeof acceptNames>[0], NO_NAMES, used);
    if (conflict !== undefined) throw new FileError(`${source}: ${metadata.name}`, [`${conflict.reason}: ${conflict.message}`]);
    this.#groups.set(group, used);
    const { plural, singular, shortNames = [], kind, listKind }: CustomNames = names;
    for (const name of [plural, singular, ...shortNames]) if (name) used.resources.add(name);
    for (const name of [kind, listKind]) if (name) used.kinds.add(name);
  }
}

/** The stored forms of the definitions. They never change, so all have the same revision. */
class HeldValues implements DefinitionValues {
  readonly #values = new Map<string, Buffer>();

  add(key: string, bytes: Buffer): void {
    this.#values.set(key, bytes);
  }

  get(key: string): ReturnType<DefinitionValues['get']> {
    const value = this.#values.get(key);
    return value === undefined ? undefined : { key, value, revision: 0 };
  }
}
