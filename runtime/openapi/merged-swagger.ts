/** The one v2 document, put together of what each v3 document says of it. A change makes its part anew, and puts all of them together again. */

import { BodyPieces } from '../connections/body-pieces.ts';
import type { OpenapiSource } from '../contract/kind.ts';
import { documentHash } from '../discovery/entity-tag.ts';
import { parseNativeJson } from '../schema/native-json.ts';
import type { OpenapiDocument, Schema } from './document.ts';
import { encodeDocument, encodeMember } from './gnostic/encode.ts';
import { openapiV2 } from './gnostic/openapi-v2.ts';
import { slices, turn } from './gnostic/slices.ts';
import { firstMember, memberValue } from './member-text.ts';
import type { RemoteV2 } from './remote-documents.ts';
import type { ServedDocument } from './served-document.ts';
import { withRemotes } from './swagger-conflicts.ts';
import { mergedMembers, type Shared, type SwaggerPart, swaggerPart } from './swagger-part.ts';

/** By the document that each was made of, or by what describes one resource of it, whatever set of documents that is in. */
const parts = new WeakMap<ServedDocument | OpenapiSource, Promise<SwaggerPart>>();
/** By the member of the JSON that each was made of. */
const encoded = new WeakMap<Buffer, Buffer>();

/** Names of the messages, with the numbers of their fields in the document's. */
const MESSAGES: Readonly<Record<Shared, readonly [message: string, field: number]>> = {
  paths: ['Paths', 8],
  definitions: ['Definitions', 9],
  parameters: ['ParameterDefinitions', 10],
  securityDefinitions: ['SecurityDefinitions', 13],
};

interface MadeBody {
  /** of which it was made, besides what this server says */
  readonly remotes: readonly RemoteV2[];
  readonly body: Promise<BodyPieces>;
}

export class MergedSwagger {
  readonly #documents: () => Promise<Iterable<ServedDocument>>;
  readonly #remotes: () => Promise<readonly RemoteV2[]>;
  readonly #bodies: { json?: MadeBody | undefined; protobuf?: MadeBody | undefined } = {};
  #hash: Promise<string> | undefined;

  /**
   * @param documents the same ones at every call
   * @param remotes what other servers say now; default: nothing
   */
  constructor(documents: () => Promise<Iterable<ServedDocument>>, remotes: () => Promise<readonly RemoteV2[]> = async () => []) {
    this.#documents = documents;
    this.#remotes = remotes;
  }

  /** Changes with what the document says. */
  async hash(): Promise<string> {
    this.#hash ??= this.#hashOfAll();
    this.#hash.catch(() => {
      this.#hash = undefined;
    });
    const own = await this.#hash;
    const remotes = await this.#remotes();
    return remotes.length === 0 ? own : documentHash(Buffer.from([own, ...remotes.map(({ hash }) => hash)].join(' ')));
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

  /** The same body for as long as nothing changes: it consists of what the parts keep. */
  async #made(form: 'json' | 'protobuf', make: (parts: readonly SwaggerPart[]) => Promise<BodyPieces>): Promise<BodyPieces> {
    const remotes = await this.#remotes();
    const known = this.#bodies[form];
    if (known !== undefined && sameElements(known.remotes, remotes)) return known.body;
    const body = this.#parts(remotes).then(make);
    const made = { remotes, body };
    this.#bodies[form] = made;
    body.catch(() => {
      if (this.#bodies[form] === made) this.#bodies[form] = undefined;
    });
    return body;
  }

  async #parts(remotes: readonly RemoteV2[]): Promise<readonly SwaggerPart[]> {
    const own = await this.#ownParts();
    return withRemotes(
      own,
      remotes.map(({ document }) => document),
    );
  }

  async #ownParts(): Promise<SwaggerPart[]> {
    const all: SwaggerPart[] = [];
    for (const document of await this.#documents()) {
      if (document.sources === undefined) all.push(await partOf(document, async () => swaggerPart(await parsed(document))));
      else for (const source of document.sources) all.push(await partOf(source, () => partOfSource(source)));
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

async function partOfSource(source: OpenapiSource): Promise<SwaggerPart> {
  const { info, paths, schemas, isMuchWork } = await source.load();
  const components = { schemas: schemas as Record<string, Schema> };
  return swaggerPart({ openapi: '3.0.0', info, paths: paths as OpenapiDocument['paths'], components }, isMuchWork);
}

async function jsonOf(all: readonly SwaggerPart[]): Promise<BodyPieces> {
  const pieces = new BodyPieces();
  pieces.text(`{"swagger":"2.0","info":${JSON.stringify(all[0]?.info)}`);
  for (const name of ['paths', 'definitions', 'parameters', 'securityDefinitions'] as const) {
    pieces.text(`,${JSON.stringify(name)}:{`);
    for (const [index, [, text]] of mergedMembers(all, name).entries()) pieces.bytes(index === 0 ? firstMember(text) : text);
    pieces.text('}');
    await turn();
  }
  pieces.text(`,"security":${JSON.stringify(security(all))}}`);
  return pieces;
}

async function protobufOf(all: readonly SwaggerPart[]): Promise<BodyPieces> {
  const pieces = new BodyPieces();
  pieces.bytes(await encodeDocument(openapiV2, 'Document', { swagger: '2.0', info: all[0]?.info }));
  for (const name of ['paths', 'definitions', 'parameters'] as const) await addMessage(all, name, pieces);
  pieces.bytes(await encodeDocument(openapiV2, 'Document', { security: security(all) }));
  await addMessage(all, 'securityDefinitions', pieces);
  return pieces;
}

async function addMessage(all: readonly SwaggerPart[], name: Shared, pieces: BodyPieces): Promise<void> {
  const [message, field] = MESSAGES[name];
  const pause = slices();
  const entries: Buffer[] = [];
  for (const [key, text] of mergedMembers(all, name)) {
    const entry = encoded.get(text) ?? encodeMember(openapiV2, message, key, memberValue(key, text));
    encoded.set(text, entry);
    entries.push(entry);
    await pause();
  }
  const length = entries.reduce((sum, each) => sum + each.length, 0);
  pieces.bytes(delimiter(field, length));
  for (const each of entries) pieces.bytes(each);
}

const sameElements = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((each, index) => each === others[index]);

const security = (all: readonly SwaggerPart[]): object[] => mergedMembers(all, 'securityDefinitions').map(([name]) => ({ [name]: [] }));

/** Tag and length of a field that holds a message. */
function delimiter(field: number, length: number): Buffer {
  const bytes = [(field << 3) | 2];
  let rest = length;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}
