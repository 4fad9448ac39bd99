/** Reads Swagger 2.0 documents of other servers, and filters them by group version. */
import { parseNativeJson } from '../schema/json/native-json.ts';

/** Limit of nested values, because they are read recursively. */
const DEEPEST = 100;

export type Members = Readonly<Record<string, unknown>>;

/** The members of a Swagger 2.0 document that are merged. They are plain JSON from another server. */
export interface SwaggerDocument {
  readonly info: Members;
  readonly paths: Record<string, Members>;
  readonly definitions: Record<string, Members>;
  readonly parameters: Record<string, Members>;
}

/** The paths of a document that belong to a group version. */
export interface VersionPaths {
  /** such as `/apis/shop.example/v1` */
  readonly version: string;
}

/** @throws Error for an invalid document */
export function readSwagger(body: Uint8Array): SwaggerDocument {
  const value = parseNativeJson<unknown>(textOf(body));
  if (!isMembers(value)) throw new Error('the document is no object');
  requireShallow(value, DEEPEST);
  return {
    info: isMembers(value.info) ? value.info : {},
    paths: objectsOf(value.paths),
    definitions: objectsOf(value.definitions),
    parameters: objectsOf(value.parameters),
  };
}

/** @param document JSON of a result of `readSwagger` or `swaggerOf` */
export const keptSwagger = (document: Uint8Array): SwaggerDocument => parseNativeJson<SwaggerDocument>(textOf(document));

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');

/** As in 1.32 what stands below the version, and the page of the version with a slash; what another server says of the group's page is left out. */
export const isAbout = ({ version }: VersionPaths, path: string): boolean => path.startsWith(`${version}/`);

/**
 * Filters a document as 1.32 does: it keeps some paths, the definitions that they use, and those that no path uses.
 * @param isWanted whether a path stays
 * @param usedBefore references that any path uses; a caller that filters a document several times finds them once
 */
export function swaggerOf(
  all: SwaggerDocument,
  isWanted: (path: string) => boolean,
  usedBefore: ReadonlySet<string> = used(all, all.paths),
): SwaggerDocument {
  const paths = Object.fromEntries(Object.entries(all.paths).filter(([path]) => isWanted(path)));
  const usedNow = used(all, paths);
  const kept = <T>(members: Record<string, T>, kind: Kind): Record<string, T> =>
    Object.fromEntries(
      Object.entries(members).filter(([name]) => usedNow.has(reference(kind, name)) || !usedBefore.has(reference(kind, name))),
    );
  return { info: all.info, paths, definitions: kept(all.definitions, 'definitions'), parameters: kept(all.parameters, 'parameters') };
}

type Kind = 'definitions' | 'parameters';

export const reference = (kind: Kind, name: string): string => `#/${kind}/${name}`;

/** The references that can be reached from some paths. */
export function used(all: SwaggerDocument, paths: Readonly<Record<string, Members>>): Set<string> {
  const found = new Set<string>();
  const pending: unknown[] = [paths];
  while (pending.length > 0) {
    const value = pending.pop();
    // pushed one by one, because a call has a limit of arguments
    if (Array.isArray(value)) for (const each of value) pending.push(each);
    else if (isMembers(value)) {
      const target = value.$ref;
      if (typeof target === 'string' && !found.has(target)) {
        found.add(target);
        const [, kind, name = ''] = /^#\/(definitions|parameters)\/(.*)$/s.exec(target) ?? [];
        if (kind !== undefined) pending.push(all[kind as Kind][name]);
      }
      for (const each of Object.values(value)) pending.push(each);
    }
  }
  return found;
}

/** @throws Error */
function requireShallow(value: unknown, levels: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw new Error('the document nests too deep');
  for (const member of Object.values(value)) requireShallow(member, levels - 1);
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keeps members that are objects; others are invalid. */
function objectsOf(value: unknown): Record<string, Members> {
  if (!isMembers(value)) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, Members] => isMembers(entry[1])));
}
