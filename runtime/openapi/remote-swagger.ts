/** Reads Swagger 2.0 documents of other servers, and what of them is about one group version. */
import { parseNativeJson } from '../schema/native-json.ts';

/** Levels of values in each other: those who read them go down by themselves. */
const DEEPEST = 100;

export type Members = Readonly<Record<string, unknown>>;

/** Members of a Swagger 2.0 document that are merged; all of it is plain JSON, which another server has written. */
export interface SwaggerDocument {
  readonly info: Members;
  readonly paths: Record<string, Members>;
  readonly definitions: Record<string, Members>;
  readonly parameters: Record<string, Members>;
}

/** Which paths of a document are about a group version: all of the version, and of its group its own. */
export interface VersionPaths {
  /** such as `/apis/shop.example/v1` */
  readonly version: string;
  /** such as `/apis/shop.example` */
  readonly group: string;
}

/** @throws Error for what is no such document */
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

/** @param document JSON of what `readSwagger` has given, or `swaggerOf` has made of that */
export const keptSwagger = (document: Uint8Array): SwaggerDocument => parseNativeJson<SwaggerDocument>(textOf(document));

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');

export function isAbout({ version, group }: VersionPaths, path: string): boolean {
  return path === version || path === group || path === `${group}/` || path.startsWith(`${version}/`);
}

/**
 * As 1.32 filters a document: some paths, and the definitions that they use or that nothing has used.
 * @param isWanted whether a path stays
 * @param usedBefore what all paths use, which who filters one document several times finds once
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

/** References that can be reached from some paths. */
export function used(all: SwaggerDocument, paths: Readonly<Record<string, Members>>): Set<string> {
  const found = new Set<string>();
  const pending: unknown[] = [paths];
  while (pending.length > 0) {
    const value = pending.pop();
    // one by one: there may be more than a call may have arguments
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

/** Members that are objects; others are none of such a document. */
function objectsOf(value: unknown): Record<string, Members> {
  if (!isMembers(value)) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, Members] => isMembers(entry[1])));
}
