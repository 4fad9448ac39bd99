/**
 * The one v2 document, which is merged from the parts that the v3 documents contribute. After a change, only the changed part is made again
 * before they are merged.
 */

import { BodyPieces } from '../connections/body-pieces.ts';
import type { OpenapiSource } from '../contract/openapi-source.ts';
import { documentHash } from '../discovery/entity-tag.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import type { OpenapiDocument, Schema } from './document.ts';
import { type EncodeMember, encodeDocument, memberEncoder } from './gnostic/encode.ts';
import { openapiV2 } from './gnostic/openapi-v2.ts';
import { inSlices, slices, turn } from './gnostic/slices.ts';
import { firstMember, memberValue } from './member-text.ts';
import { documentsOf, MERGED, MERGED_MESSAGES, type MergedRuns, type SwaggerForm } from './merged-runs.ts';
import type { MergeElsewhere, RemoteV2 } from './remote-documents.ts';
import type { ServedDocument } from './served-document.ts';
import { withOwnNames, withRemotes } from './swagger-conflicts.ts';
import { mergedMembers, type Shared, type SwaggerPart, swaggerPart } from './swagger-part.ts';

/** parts by the document, or the description of one resource, that they were made from */
const parts = new WeakMap<ServedDocument | OpenapiSource, Promise<SwaggerPart>>();
/** encoded members by the JSON member that they were made from */
const encoded = new WeakMap<Buffer, Buffer>();

const MESSAGES: Readonly<Record<Shared, string>> = { ...MERGED_MESSAGES, securityDefinitions: 'SecurityDefinitions' };
/** Field numbers in the message of the document. */
const FIELDS: Readonly<Record<Shared, number>> = { paths: 8, definitions: 9, parameters: 10, securityDefinitions: 13 };

/** Up to so many bytes of other servers' documents, counted for each version, this thread merges them. */
const MERGED_HERE = 32 * 1024;
/** bytes that are copied or compressed in one go */
const PIECE = 256 * 1024;

/** What the document is made from. */
interface Merged {
  readonly parts: readonly SwaggerPart[];
  /** members of other servers, if they have too many to be in `parts` */
  readonly runs: MergedRuns;
}

const NO_RUNS: MergedRuns = { paths: [], definitions: [], parameters: [] };
/** stands for the runs if merging has failed */
const FAILED: MergedRuns = { ...NO_RUNS };
/** milliseconds after which a failed merge is repeated */
const RETRY = 60_000;

interface MadeBody {
  /** hash of this server's own part */
  readonly own: string;
  /** the documents of other servers in it */
  readonly remotes: readonly RemoteV2[];
  readonly body: Promise<BodyPieces>;
  /** when merging with other servers failed, by `performance.now()`; absent: it did not */
  failed?: number;
}

const isOld = ({ failed }: MadeBody): boolean => failed !== undefined && performance.now() - failed > RETRY;

/** The bodies that were made last, by form. */
export type SwaggerBodies = Partial<Record<SwaggerForm, MadeBody | undefined>>;

export class MergedSwagger {
  readonly #documents: () => Promise<Iterable<ServedDocument>>;
  readonly #remotes: () => Promise<readonly RemoteV2[]>;
  readonly #elsewhere: MergeElsewhere | undefined;
  readonly #bodies: SwaggerBodies;
  readonly #sharesParameters: boolean;
  #hash: Promise<string> | undefined;

  /**
   * @param documents returns the same documents at every call
   * @param remotes returns the current documents of other servers; default: none
   * @param elsewhere merges long documents of other servers on another thread; absent: this thread does
   * @param bodies of the previous document, because most changes of the API do not change it
   * @param sharesParameters whether operations refer to parameters that are listed once
   */
  constructor(
    documents: () => Promise<Iterable<ServedDocument>>,
    remotes: () => Promise<readonly RemoteV2[]> = async () => [],
    elsewhere?: MergeElsewhere,
    { bodies = {}, sharesParameters = true }: { readonly bodies?: SwaggerBodies; readonly sharesParameters?: boolean } = {},
  ) {
    this.#documents = documents;
    this.#remotes = remotes;
    this.#elsewhere = elsewhere;
    this.#bodies = bodies;
    this.#sharesParameters = sharesParameters;
  }

  /** Changes whenever the document changes. */
  async hash(): Promise<string> {
    const own = await this.#ownHash();
    const remotes = await this.#remotes();
    return remotes.length === 0 ? own : documentHash(Buffer.from([own, ...remotes.map(({ hash }) => hash)].join(' ')));
  }

  #ownHash(): Promise<string> {
    this.#hash ??= this.#hashOfAll();
    this.#hash.catch(() => {
      this.#hash = undefined;
    });
    return this.#hash;
  }

  async #hashOfAll(): Promise<string> {
    const pause = slices();
    const hashes: string[] = [];
    for (const document of await this.#documents()) {
      hashes.push(await document.hash(false));
      await pause();
    }
    return documentHash(Buffer.from(hashes.join(' ')));
  }

  json(): Promise<BodyPieces> {
    return this.#made('json', jsonOf);
  }

  protobuf(): Promise<BodyPieces> {
    return this.#made('protobuf', protobufOf);
  }

  /** Returns the same body as long as nothing changes. It shares the bytes of the parts. */
  async #made(form: SwaggerForm, make: (merged: Merged) => Promise<BodyPieces>): Promise<BodyPieces> {
    const own = await this.#ownHash();
    const remotes = await this.#remotes();
    const known = this.#bodies[form];
    if (known?.own === own && sameElements(known.remotes, remotes) && !isOld(known)) return known.body;
    const merged = this.#merged(remotes, form);
    const body = merged.then(make);
    const made: MadeBody = { own, remotes, body };
    this.#bodies[form] = made;
    body.catch(() => {
      if (this.#bodies[form] === made) this.#bodies[form] = undefined;
    });
    merged.then(
      ({ runs }) => {
        if (runs === FAILED) made.failed = performance.now();
      },
      () => undefined,
    );
    return body;
  }

  async #merged(remotes: readonly RemoteV2[], form: SwaggerForm): Promise<Merged> {
    const parts = await this.#ownParts();
    if (remotes.length === 0) return { parts, runs: NO_RUNS };
    const size = remotes.reduce((sum, { document }) => sum + document.length, 0);
    if (this.#elsewhere === undefined || size <= MERGED_HERE)
      return { parts: await withRemotes(parts, documentsOf(remotes)), runs: NO_RUNS };
    const own = await inSlices((await jsonOf({ parts, runs: NO_RUNS })).shared());
    const order = { own, form, remotes: remotes.map(({ document, about }) => ({ document, about })) };
    // merging may exceed its limit of memory or time: then the document only has this server's part
    const runs = await this.#elsewhere(order, size).catch(() => FAILED);
    return { parts, runs };
  }

  async #ownParts(): Promise<SwaggerPart[]> {
    const sharesParameters = this.#sharesParameters;
    const pause = slices();
    const documents = [...(await this.#documents())];
    const partOfDocument = (document: ServedDocument): Promise<SwaggerPart> =>
      partOf(document, async () => swaggerPart(await parsed(document), { sharesParameters }));
    const known = new Map<string, Buffer>();
    for (const document of documents) {
      if (document.sources !== undefined) continue;
      const { members } = await partOfDocument(document);
      for (const [name, text] of members.definitions) if (!known.has(name)) known.set(name, text);
    }
    const all: SwaggerPart[] = [];
    for (const document of documents) {
      if (document.sources === undefined) all.push(await partOfDocument(document));
      else
        for (const source of document.sources) {
          all.push(withOwnNames(await partOf(source, () => partOfSource(source, sharesParameters)), known));
          // there may be thousands, each of which takes less time than would give a turn by itself
          await pause();
        }
    }
    return all;
  }
}

function partOf(of: ServedDocument | OpenapiSource, make: () => Promise<SwaggerPart>): Promise<SwaggerPart> {
  const known = parts.get(of);
  if (known !== undefined) return known;
  const made = make();
  parts.set(of, made);
  made.catch(() => parts.delete(of));
  return made;
}

async function parsed(document: ServedDocument): Promise<OpenapiDocument> {
  const json = await document.load();
  await turn();
  const value = parseNativeJson<OpenapiDocument>(json.toString('utf8'));
  await turn();
  return value;
}

async function partOfSource(source: OpenapiSource, sharesParameters: boolean): Promise<SwaggerPart> {
  const { info, paths, schemas, isMuchWork } = await source.load();
  const components = { schemas: schemas as Record<string, Schema> };
  return swaggerPart({ openapi: '3.0.0', info, paths: paths as OpenapiDocument['paths'], components }, { isMuchWork, sharesParameters });
}

async function jsonOf({ parts, runs }: Merged): Promise<BodyPieces> {
  const pieces = new BodyPieces();
  pieces.text(`{"swagger":"2.0","info":${JSON.stringify(parts[0]?.info)}`);
  for (const name of [...MERGED, 'securityDefinitions'] as const) {
    const members = mergedMembers(parts, name);
    const others = name === 'securityDefinitions' ? [] : runs[name];
    if (name === 'parameters' && members.length === 0 && others.length === 0) continue;
    pieces.text(`,${JSON.stringify(name)}:{`);
    let isFirst = true;
    for (const [, text] of withRuns(members, others)) {
      pieces.bytes(isFirst ? firstMember(text) : text);
      isFirst = false;
    }
    pieces.text('}');
    await turn();
  }
  pieces.text(`,"security":${JSON.stringify(security(parts))}}`);
  return pieces;
}

/** Inserts the runs of other servers between members. @returns also the names of members of this server */
function* withRuns(members: readonly [string, Buffer][], runs: MergedRuns['paths']): Generator<[name: string | undefined, bytes: Buffer]> {
  const replaced = new Set(runs.flatMap((run) => run.replaced));
  const runBefore = new Map(runs.map(({ before, bytes }) => [before, bytes]));
  for (const member of members) {
    yield* piecesOf(runBefore.get(member[0]));
    if (!replaced.has(member[0])) yield member;
  }
  yield* piecesOf(runBefore.get(undefined));
}

/** Yields short pieces, because each is compressed in one go. */
function* piecesOf(run = new Uint8Array()): Generator<[name: undefined, bytes: Buffer]> {
  for (let at = 0; at < run.length; at += PIECE)
    yield [undefined, Buffer.from(run.buffer, run.byteOffset + at, Math.min(PIECE, run.length - at))];
}

async function protobufOf(merged: Merged): Promise<BodyPieces> {
  const { parts } = merged;
  const pieces = new BodyPieces();
  pieces.bytes(await encodeDocument(openapiV2, 'Document', { swagger: '2.0', info: parts[0]?.info }));
  for (const name of MERGED) await addMessage(parts, merged.runs[name], name, pieces);
  pieces.bytes(await encodeDocument(openapiV2, 'Document', { security: security(parts) }));
  await addMessage(parts, [], 'securityDefinitions', pieces);
  return pieces;
}

async function addMessage(parts: readonly SwaggerPart[], runs: MergedRuns['paths'], name: Shared, pieces: BodyPieces): Promise<void> {
  const pause = slices();
  const encode = memberEncoder(openapiV2);
  const entries: Buffer[] = [];
  for (const [key, bytes] of withRuns(mergedMembers(parts, name), runs)) {
    entries.push(key === undefined ? bytes : encodedMember(encode, MESSAGES[name], key, bytes));
    await pause();
  }
  if (name === 'parameters' && entries.length === 0) return;
  const length = entries.reduce((sum, each) => sum + each.length, 0);
  pieces.bytes(delimiter(FIELDS[name], length));
  for (const each of entries) pieces.bytes(each);
}

function encodedMember(encode: EncodeMember, message: string, name: string, text: Buffer): Buffer {
  const entry = encoded.get(text) ?? encode(message, name, memberValue(name, text));
  encoded.set(text, entry);
  return entry;
}

const sameElements = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((each, index) => each === others[index]);

const security = (all: readonly SwaggerPart[]): object[] => mergedMembers(all, 'securityDefinitions').map(([name]) => ({ [name]: [] }));

/** The tag and length of a field that contains a message. */
function delimiter(field: number, length: number): Buffer {
  const bytes = [(field << 3) | 2];
  let rest = length;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}
