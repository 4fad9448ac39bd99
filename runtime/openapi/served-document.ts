/** One document in the forms in which it is served. Each form is made once, on its first use. */
import type { OpenapiSource } from '../contract/openapi-source.ts';
import { documentHash } from '../discovery/entity-tag.ts';
import { parseSlices } from '../registry/stored-objects/sliced-reading.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import { encodeDocument } from './gnostic/encode.ts';
import type { MessageTable } from './gnostic/message.ts';
import { inSlices, turn } from './gnostic/slices.ts';

export interface DocumentSource {
  /** makes the JSON, which is the same at every call */
  readonly json: () => Promise<Buffer>;
  /** changes with the document, if it is known without making the JSON; absent: the hash of the JSON */
  readonly hash?: string;
  /** the parts of a joined document; absent: it has one piece */
  readonly sources?: readonly OpenapiSource[];
  /** the table of its protobuf messages, or a function that makes the protobuf form, which is the same at every call */
  readonly table: MessageTable | (() => Promise<Buffer>);
}

/** bytes of JSON that are parsed in one go */
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

  /** Makes the JSON without keeping it. */
  load(): Promise<Buffer> {
    return this.#json ?? this.#source.json();
  }

  /** @param keep whether the JSON is kept if it must be made, because it is needed next */
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
    // a joined document has no white space, so that it can be parsed in pieces
    const document = sources === undefined ? parse(json) : await inSlices(parseSlices(json, PIECE, parse));
    await turn();
    return encodeDocument(table, 'Document', document);
  }

  /** The next request repeats what has failed. */
  #keep<T>(promise: Promise<T>): Promise<T> {
    promise.catch(() => {
      this.#hash = undefined;
      this.#json = undefined;
      this.#protobuf = undefined;
    });
    return promise;
  }
}
