/**
 * Messages and calls of gRPC interfaces between programs of a node, as data that the generator makes of `schemas/node-interfaces/`. A message in memory is a
 * plain object: what is absent on the wire has the zero value of its type, but for messages and what is optional, which are undefined.
 */

/**
 * Integers of 64 bits are bigint, those of fewer bits, and values of enumerations, numbers; a safeInt64 is an int64 that is a number, and is refused beyond
 * 2^53-1. Values that an enumeration does not have stay as they came. Bytes that were decoded are a part of the message's own: who keeps few of many copies
 * them.
 */
export type WireScalar =
  | 'string'
  | 'bool'
  | 'int32'
  | 'uint32'
  | 'int64'
  | 'uint64'
  | 'safeInt64'
  | 'fixed32'
  | 'fixed64'
  | 'enum'
  | 'bytes';

export interface WireField {
  /** the name of the member in memory */
  readonly name: string;
  readonly number: number;
  /** a `map` has texts as keys and values */
  readonly rule: 'single' | 'repeated' | 'map';
  /** true for a member of a oneof, and for one that is `optional` in the schema: an absent one is undefined, and zero is sent */
  readonly optional?: true;
  /** for a message, a function that returns its layout, because messages may refer to each other in any order */
  readonly type: WireScalar | (() => WireMessage);
}

/** The layout of a message. @typeParam T the type of a decoded message */
export interface WireMessage<T = unknown> {
  readonly name: string;
  readonly fields: readonly WireField[];
  /** is never set; it ties the layout to the type */
  readonly decoded?: T;
}

/** A call with one request and one answer. */
export interface UnaryMethod<Request, Answer> {
  /** `/PACKAGE.SERVICE/METHOD` */
  readonly path: string;
  readonly request: WireMessage<Request>;
  readonly answer: WireMessage<Answer>;
  readonly streams: false;
}

/** A call with one request and any number of answers. */
export interface StreamMethod<Request, Answer> extends Omit<UnaryMethod<Request, Answer>, 'streams'> {
  readonly streams: true;
}

/** A call with any number of requests and any number of answers. Either side may send whenever it wants. */
export interface DuplexMethod<Request, Answer> extends Omit<UnaryMethod<Request, Answer>, 'streams'> {
  readonly streams: 'both';
}

/** A message to send, of which any member at any depth may be absent. */
export type Sparse<T> = T extends ReadonlyMap<string, string> | Uint8Array | string | number | bigint | boolean | undefined
  ? T
  : T extends readonly (infer Element)[]
    ? readonly Sparse<Element>[]
    : { readonly [K in keyof T]?: Sparse<T[K]> };
