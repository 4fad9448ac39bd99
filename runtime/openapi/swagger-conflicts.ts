/**
 * Adds Swagger 2.0 documents of other servers to the one of this server by the rules of 1.32: an existing path stays; a different
 * definition or parameter of the same name is renamed. So are definitions of custom kinds beside those of the schemas.
 */

import { deepEqual } from '../schema/equal.ts';
import { slices } from './gnostic/slices.ts';
import { memberText, memberValue } from './member-text.ts';
import { isMembers, type Members, reference, type SwaggerDocument } from './remote-swagger.ts';
import type { Shared, SwaggerPart } from './swagger-part.ts';

const KINDS = 'x-kubernetes-group-version-kind';

/** The result of merging so far. */
class Merged {
  /** members of all parts and documents, by name */
  readonly #members: Readonly<Record<(typeof NAMED)[number], Map<string, Buffer>>> = {
    paths: new Map(),
    definitions: new Map(),
    parameters: new Map(),
  };
  /** definitions that several servers have, with the kinds of all of them */
  readonly shared = new Map<string, Buffer>();
  readonly added: SwaggerPart[] = [];

  /** The first part that has a member takes precedence. */
  take({ members }: SwaggerPart): void {
    for (const name of NAMED) {
      const all = this.#members[name];
      for (const [key, text] of members[name]) if (!all.has(key)) all.set(key, text);
    }
  }

  get(of: (typeof NAMED)[number], name: string): Buffer | undefined {
    return (of === 'definitions' ? this.shared.get(name) : undefined) ?? this.#members[of].get(name);
  }
}

const NAMED = ['paths', 'definitions', 'parameters'] as const;

/**
 * @param parts at least one
 * @param documents are iterated one by one while they are merged
 * @returns all parts in order of precedence
 */
export async function withRemotes(parts: readonly SwaggerPart[], documents: Iterable<SwaggerDocument>): Promise<readonly SwaggerPart[]> {
  const pause = slices();
  const merged = new Merged();
  for (const part of parts) {
    merged.take(part);
    await pause();
  }
  for (const document of documents) {
    await add(merged, document);
    await pause();
  }
  const [first] = parts as [SwaggerPart];
  const none: ReadonlyMap<string, Buffer> = new Map();
  const shared: SwaggerPart = {
    info: first.info,
    members: { paths: none, definitions: merged.shared, parameters: none, securityDefinitions: none },
  };
  return [shared, ...parts, ...merged.added];
}

async function add(merged: Merged, document: SwaggerDocument): Promise<void> {
  const pause = slices();
  const kept = Object.entries(document.paths).filter(([path]) => merged.get('paths', path) === undefined);
  if (kept.length === 0) return;
  const renamed = new Map([
    ...renames(document.definitions, 'definitions', (name) => merged.get('definitions', name)),
    ...renames(document.parameters, 'parameters', (name) => merged.get('parameters', name)),
  ]);
  const members: Record<Shared, Map<string, Buffer>> = {
    paths: new Map(),
    definitions: new Map(),
    parameters: new Map(),
    securityDefinitions: new Map(),
  };
  for (const [path, item] of kept) {
    members.paths.set(path, memberText(path, withNames(item, renamed)));
    await pause();
  }
  for (const kind of ['definitions', 'parameters'] as const)
    for (const [name, value] of Object.entries(document[kind])) {
      const named = nameIn(renamed, kind, name);
      const there = merged.get(kind, named);
      if (there === undefined) members[kind].set(named, memberText(named, withNames(value, renamed)));
      else if (kind === 'definitions') shareKinds(merged, named, there, value);
      await pause();
    }
  const part: SwaggerPart = { info: { title: '', version: '' }, members };
  merged.added.push(part);
  merged.take(part);
}

/**
 * Custom kinds never stand for a kind of the schemas, whatever their group is called.
 * @param known definitions of the schemas, by name
 * @returns the same part where it has no other definition of a name in `known`
 */
export function withOwnNames(part: SwaggerPart, known: ReadonlyMap<string, Buffer>): SwaggerPart {
  const { paths, definitions } = part.members;
  const taken = [...definitions].filter(([name, text]) => known.get(name)?.equals(text) === false);
  if (taken.length === 0) return part;
  const values = Object.fromEntries(taken.map(([name, text]) => [name, memberValue<Members>(name, text)]));
  const renamed = new Map(renames(values, 'definitions', (name) => known.get(name), definitions));
  if (renamed.size === 0) return part;
  const changed = (members: ReadonlyMap<string, Buffer>, nameOf: (name: string) => string): ReadonlyMap<string, Buffer> =>
    new Map([...members].map(([name, text]) => [nameOf(name), memberText(nameOf(name), withNames(memberValue(name, text), renamed))]));
  return {
    ...part,
    members: {
      ...part.members,
      paths: changed(paths, (name) => name),
      definitions: changed(definitions, (name) => nameIn(renamed, 'definitions', name)),
    },
  };
}

/**
 * @param there returns the merged member of a name
 * @param own all names of the document, where `members` has not all of it
 * @returns the changed references as pairs of old and new
 */
function renames(
  members: Readonly<Record<string, Members>>,
  kind: 'definitions' | 'parameters',
  there: (name: string) => Buffer | undefined,
  own: { has(name: string): boolean } = { has: (name) => Object.hasOwn(members, name) },
): [string, string][] {
  const names: [string, string][] = [];
  for (const [name, value] of Object.entries(members)) {
    let named = name;
    for (let i = 2; !isFree(named, value, there(named)) || (named !== name && own.has(named)); i++)
      // names of the document itself are not free either
      named = `${name}_v${i}`;
    if (named !== name) names.push([reference(kind, name), reference(kind, named)]);
  }
  return names;
}

/** Whether the name is unused, or has the same member apart from its kinds. */
function isFree(name: string, value: Members, there: Buffer | undefined): boolean {
  return there === undefined || deepEqual(withoutKinds(memberValue<Members>(name, there)), withoutKinds(value));
}

function withoutKinds({ [KINDS]: _, ...others }: Members): Members {
  return others;
}

function nameIn(renamed: ReadonlyMap<string, string>, kind: 'definitions' | 'parameters', name: string): string {
  const found = renamed.get(reference(kind, name));
  return found === undefined ? name : found.slice(reference(kind, '').length);
}

/** A definition that exists already gets the kinds of both servers. */
function shareKinds(merged: Merged, name: string, there: Buffer, value: Members): void {
  const others = kindsOf(value);
  if (others.length === 0) return;
  const known = memberValue<Members>(name, there);
  const kinds = kindsOf(known);
  const more = others.filter((each) => !kinds.some((kind) => deepEqual(kind, each)));
  if (more.length === 0) return;
  const all = [...kinds, ...more].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  merged.shared.set(name, memberText(name, { ...known, [KINDS]: all }));
}

const kindsOf = (schema: Members): Members[] => (Array.isArray(schema[KINDS]) ? (schema[KINDS] as unknown[]).filter(isMembers) : []);
const sortKey = ({ group, version, kind }: Members): string => `${group}\0${version}\0${kind}`;

/** Copies a value with renamed references. */
function withNames(value: unknown, renamed: ReadonlyMap<string, string>): unknown {
  if (renamed.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withNames(each, renamed));
  const copied = Object.entries(value).map(([key, member]): [string, unknown] => [
    key,
    key === '$ref' && typeof member === 'string' ? (renamed.get(member) ?? member) : withNames(member, renamed),
  ]);
  return Object.fromEntries(copied);
}
