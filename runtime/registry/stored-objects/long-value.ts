/**
 * Which JSON is much work for whoever reads it, or writes it in another form: that goes by how many values it has, far more than by its length.
 * What is long is worked on by another thread.
 */

/** Bytes up to which nothing is long, bytes from which everything is, and members and elements from which what lies between is. */
interface Limits {
  readonly short: number;
  readonly long: number;
  readonly values: number;
}

/** The limits for reading a value and for converting it to protobuf or another version: about a microsecond for each value, and 3 ms for a megabyte of text. */
const READING: Limits = { short: 32 * 1024, long: 1024 * 1024, values: 4_000 };
/** The limits for YAML, which takes five times as long for values, and twenty times as long for text. */
const YAML: Limits = { short: 8 * 1024, long: 64 * 1024, values: 800 };
/** The limits for indented JSON, which is made byte by byte. */
const INDENTING: Limits = { short: 128 * 1024, long: 128 * 1024, values: 0 };

/** The limits for the answer of a webhook, whose spelling may make it take ten times as long, and which is read several times if it changes an object. */
const ANSWER: Limits = { short: 32 * 1024, long: 128 * 1024, values: 4_000 };
/** The limits for many objects together that a webhook has converted, which are about as long as the objects in the question. */
const CONVERTED: Limits = { short: 128 * 1024, long: 512 * 1024, values: 30_000 };

/** The limits for the identity of a user, which is read once, and gone through with each request of that user. */
const IDENTITY: Limits = { short: 32 * 1024, long: 512 * 1024, values: 20_000 };

const LIMITS = { reading: READING, yaml: YAML, indenting: INDENTING, answer: ANSWER, converted: CONVERTED, identity: IDENTITY };

export type LongWork = keyof typeof LIMITS;

/** Bytes up to which JSON is short for all work: it need not be looked at. */
export const ALWAYS_SHORT = YAML.short;

/** @param json whether it is valid does not matter */
export function isLong(json: Buffer, work: LongWork): boolean {
  const { short, long, values } = LIMITS[work];
  if (json.length <= short) return false;
  return json.length > long || hasMoreValues(json, values);
}

/** An object that takes long to be read, where a thread was to read it that others wait for: nothing was changed so far. */
export class LongObject extends Error {
  /** Reads it a little at a time and remembers it, for who cannot leave that to another thread; absent: nobody here does. */
  readonly read: (() => Promise<unknown>) | undefined;

  constructor(read?: () => Promise<unknown>) {
    super('the object takes long to be read');
    this.read = read;
  }
}

/** Objects that are read for one `readingLong`: far more than anybody names, and few enough that it ends where there is no room for them all. */
const MAX_READ = 100;

/** Does what no other thread can do, after what takes long to be read is read. @throws what `act` throws, LongObject where it cannot be read here */
export async function readingLong<T>(act: () => Promise<T>): Promise<T> {
  for (let left = MAX_READ; ; left--)
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof LongObject) || error.read === undefined || left === 0) throw error;
      await error.read();
    }
}

/** @param json of a whole object. @throws LongObject */
export function requireShort(json: Buffer): void {
  if (isLong(json, 'reading')) throw new LongObject();
}

/** Bytes that a patch may add to an object by copying from it, where others wait for this thread. */
const MOST_COPIED = 32 * 1024;

/** @param bytes that a patch has copied so far. @throws LongObject */
export function requireFewCopies(bytes: number): void {
  if (bytes > MOST_COPIED) throw new LongObject();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** Counts what is followed by a value, up to the limit: commas, and the beginnings of lists and objects. */
function hasMoreValues(json: Buffer, limit: number): boolean {
  let values = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === QUOTE) i = endOfText(json, i + 1);
    else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) values++;
    if (values > limit) return true;
  }
  return false;
}

/** @returns the place of the closing quote */
function endOfText(json: Buffer, start: number): number {
  let i = start;
  while (i < json.length && json[i] !== QUOTE) i += json[i] === BACKSLASH ? 2 : 1;
  return i;
}
