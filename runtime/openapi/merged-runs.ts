/**
 * The members that other servers add to the one v2 document, as bytes between members of this server. Serving the document does not parse
 * them, however many there are. Making them is slow if the documents of those servers are long.
 */
import { parseNativeJson } from '../schema/json/native-json.ts';
import type { OpenapiDocument } from './document.ts';
import { memberEncoder } from './gnostic/encode.ts';
import { openapiV2 } from './gnostic/openapi-v2.ts';
import { memberText, memberValue } from './member-text.ts';
import { isAbout, keptSwagger, type Members, type SwaggerDocument, swaggerOf, textOf, used, type VersionPaths } from './remote-swagger.ts';
import { withRemotes } from './swagger-conflicts.ts';
import { mergedMembers, type Shared, type SwaggerPart } from './swagger-part.ts';

export type SwaggerForm = 'json' | 'protobuf';

/** Members of the document to which other servers add. */
export const MERGED = ['paths', 'definitions', 'parameters'] as const;

/** The names of their protobuf messages. */
export const MERGED_MESSAGES = { paths: 'Paths', definitions: 'Definitions', parameters: 'ParameterDefinitions' } as const;

export interface MergeOrder {
  /** JSON of this server's own document */
  readonly own: Uint8Array;
  readonly form: SwaggerForm;
  /** in order of precedence */
  readonly remotes: readonly MergedRemote[];
}

export interface MergedRemote {
  /** see `RemoteV2`; several versions may have the same */
  readonly document: Uint8Array;
  readonly about: VersionPaths;
}

/** Consecutive members, sorted by name, with none of this server between them. */
export interface MergedRun {
  /** name of this server's member that follows; undefined: none does */
  readonly before: string | undefined;
  /** names of this server's members that they replace */
  readonly replaced: readonly string[];
  /** JSON members begin with a comma */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type MergedRuns = Readonly<Record<(typeof MERGED)[number], readonly MergedRun[]>>;

export async function mergedRuns({ own, form, remotes }: MergeOrder): Promise<MergedRuns> {
  const part = partOf(own);
  const all = await withRemotes([part], documentsOf(remotes));
  const of = (kind: (typeof MERGED)[number]): MergedRun[] => runsOf(kind, form, part, all);
  return { paths: of('paths'), definitions: of('definitions'), parameters: of('parameters') };
}

/** Reads documents one by one, and keeps each only as long as others need it, because all of them may not fit into memory. */
export function* documentsOf(remotes: readonly MergedRemote[]): Generator<SwaggerDocument, void, void> {
  const left = new Map<Uint8Array, number>();
  for (const { document } of remotes) left.set(document, (left.get(document) ?? 0) + 1);
  const read = new Map<Uint8Array, { readonly all: SwaggerDocument; readonly usedBefore: ReadonlySet<string> }>();
  for (const { document, about } of remotes) {
    const found = read.get(document) ?? readOnce(document);
    const more = (left.get(document) ?? 0) - 1;
    left.set(document, more);
    if (more > 0) read.set(document, found);
    else read.delete(document);
    yield swaggerOf(found.all, (path) => isAbout(about, path), found.usedBefore);
  }
}

function readOnce(document: Uint8Array) {
  const all = keptSwagger(document);
  return { all, usedBefore: used(all, all.paths) };
}

function partOf(own: Uint8Array): SwaggerPart {
  const document = parseNativeJson<Pick<OpenapiDocument, 'info'> & Partial<Record<Shared, Members>>>(textOf(own));
  const texts = (of: Shared) => new Map(Object.entries(document[of] ?? {}).map(([name, value]) => [name, memberText(name, value)]));
  const members = {
    paths: texts('paths'),
    definitions: texts('definitions'),
    parameters: texts('parameters'),
    securityDefinitions: texts('securityDefinitions'),
  };
  return { info: document.info, members };
}

function runsOf(kind: (typeof MERGED)[number], form: SwaggerForm, own: SwaggerPart, all: readonly SwaggerPart[]): MergedRun[] {
  const runs: MergedRun[] = [];
  let replaced: string[] = [];
  let members: Buffer[] = [];
  const end = (before: string | undefined): void => {
    if (members.length === 0) return;
    runs.push({ before, replaced, bytes: joined(members) });
    replaced = [];
    members = [];
  };
  const ours = own.members[kind];
  const encode = memberEncoder(openapiV2);
  for (const [name, text] of mergedMembers(all, kind)) {
    const our = ours.get(name);
    if (our === text) end(name);
    else {
      members.push(form === 'json' ? text : encode(MERGED_MESSAGES[kind], name, memberValue(name, text)));
      if (our !== undefined) replaced.push(name);
    }
  }
  end(undefined);
  return runs;
}

/** The copy has its own memory, so that it can be transferred to another thread. */
function joined(members: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(members.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const each of members) {
    bytes.set(each, at);
    at += each.length;
  }
  return bytes;
}
