/** One document in the forms in which it is served. Nothing is made before it is asked for, and nothing twice. */
import type { OpenapiSource } from '../contract/openapi-source.ts';
import { documentHash } from '../discovery/entity-tag.ts';
import { parseSlices } from '../registry/sliced-reading.ts';
import { parseNativeJson } from '../schema/native-json.ts';
import { encodeDocument } from './gnostic/encode.ts';
import type { MessageTable } from './gnostic/message.ts';
import { inSlices, turn } from './gnostic/slices.ts';

export interface DocumentSource {
  /** makes the JSON, the same at every call */
  readonly json: () => Promise<Buffer>;
  /** changes with what the document says, where that is known without making it; absent: it is made of the JSON */
  readonly hash?: string;
  /** what it is put together of; absent: it is one piece */
  readonly sources?: readonly OpenapiSource[];
  /** messages of the binary form, or what makes that; the same at every call */
  readonly table: MessageTable | (() => Promise<Buffer>);
}

/** Bytes of JSON that are parsed at once. */
const PIECE = 64 * 1024;

const parse = (json: Buffer): unknown => parseNativeJson(json.toString('utf8'));

export class ServedDocument {
  readonly #source: DocumentSource;
  #hash: Promise<string> | undefined;
  #json: Promise<Buffer> | undefined;
  #protobuf: Promise<Buffer> | undefined;

  constructor(source: DocumentSource) {
    this.#source = source;
  }

  get sources(): readonly OpenapiSource[] | undefined {
    return this.#source.sources;
  }

  /** The JSON for one use: it is not kept. */
  load(): Promise<Buffer> {
    return this.#json ?? this.#source.json();
  }

  /** @param keep the JSON, too, which is needed next, where it is made of that */
  hash(keep: boolean): Promise<string> {
    this.#hash ??= this.#source.hash === undefined ? undefined : Promise.resolve(this.#source.hash);
    this.#hash ??= this.#keep((keep ? this.json() : this.load()).then(documentHash));
    return this.#hash;
  }

  json(): Promise<Buffer> {
    this.#json ??= this.#keep(this.#source.json());
    return this.#json;
  }

  protobuf(): Promise<Buffer> {
    this.#protobuf ??= this.#keep(this.#encode());
    return this.#protobuf;
  }

  async #encode(): Promise<Buffer> {
    const { table, sources } = this.#source;
    if (typeof table === 'function') return table();
    const json = await this.json();
    // what is put together here has no white space
    const document = sources === undefined ? parse(json) : await inSlices(parseSlices(json, PIECE, parse));
    await turn();
    return encodeDocument(table, 'Document', document);
  }

  /** What failed is tried anew by the next request. */
  #keep<T>(promise: Promise<T>): Promise<T> {
    promise.catch(() => {
      this.#hash = undefined;
      this.#json = undefined;
      this.#protobuf = undefined;
    });
    return promise;
  }
}
