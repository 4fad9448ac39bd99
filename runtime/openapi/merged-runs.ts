/**
 * What other servers add to the one v2 document, as bytes that stand between the members of this server: who serves the document looks at none of it,
 * however much it is. Making it is much work where their documents are long.
 */
import { parseNativeJson } from '../schema/native-json.ts';
import type { OpenapiDocument } from './document.ts';
import { memberEncoder } from './gnostic/encode.ts';
import { openapiV2 } from './gnostic/openapi-v2.ts';
import { memberText, memberValue } from './member-text.ts';
import { isAbout, keptSwagger, type Members, type SwaggerDocument, swaggerOf, textOf, used, type VersionPaths } from './remote-swagger.ts';
import { withRemotes } from './swagger-conflicts.ts';
import { mergedMembers, type Shared, type SwaggerPart } from './swagger-part.ts';

export type SwaggerForm = 'json' | 'protobuf';

/** Members of the document that other servers add to. */
export const MERGED = ['paths', 'definitions', 'parameters'] as const;

/** Names of the messages that they are in the binary form. */
export const MERGED_MESSAGES = { paths: 'Paths', definitions: 'Definitions', parameters: 'ParameterDefinitions' } as const;

export interface MergeOrder {
  /** JSON of the document that this server has without others */
  readonly own: Uint8Array;
  readonly form: SwaggerForm;
  /** in their order */
  readonly remotes: readonly MergedRemote[];
}

export interface MergedRemote {
  /** as of `RemoteV2`; the same where several versions have it */
  readonly document: Uint8Array;
  readonly about: VersionPaths;
}

/** Members that stand one behind the other in the order of their names, with none of this server between them. */
export interface MergedRun {
  /** the name of this server's member that follows; undefined: none does */
  readonly before: string | undefined;
  /** names of this server's members that they stand for */
  readonly replaced: readonly string[];
  /** of JSON each has a comma before it */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type MergedRuns = Readonly<Record<(typeof MERGED)[number], readonly MergedRun[]>>;

export async function mergedRuns({ own, form, remotes }: MergeOrder): Promise<MergedRuns> {
  const part = partOf(own);
  const all = await withRemotes([part], documentsOf(remotes));
  const of = (kind: (typeof MERGED)[number]): MergedRun[] => runsOf(kind, form, part, all);
  return { paths: of('paths'), definitions: of('definitions'), parameters: of('parameters') };
}

/** Each is read when it is its turn, and kept for as long as others are made of it: all at once might be more than fits. */
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
  const document = parseNativeJson<Pick<OpenapiDocument, 'info'> & Record<Shared, Members>>(textOf(own));
  const texts = (of: Shared) => new Map(Object.entries(document[of]).map(([name, value]) => [name, memberText(name, value)]));
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

/** In memory of their own, which can be handed to another thread. */
function joined(members: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(members.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const each of members) {
    bytes.set(each, at);
    at += each.length;
  }
  return bytes;
}
