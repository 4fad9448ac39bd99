/**
 * A JSON parser that never recurses, reports each value to its handler in the order of the text, and words syntax errors as 1.32 does. It
 * is several times slower than `JSON.parse`, so it is used for texts that the native parser would read inexactly, and for error messages.
 */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

/** The limit of nested arrays and objects, as in 1.32. */
export const MAX_DEPTH = 10_000;

export interface JsonHandler {
  beginObject(): void;
  /** is called before the value of each member */
  member(key: string): void;
  endObject(): void;
  beginArray(): void;
  endArray(): void;
  string(value: string): void;
  /** @param text in its original spelling */
  number(text: string): void;
  literal(value: true | false | null): void;
}

/** @throws JsonSyntaxError */
export function walkJson(text: string, handler: JsonHandler): void {
  new Walk(text, handler, firstByte).run();
}

/**
 * The syntax error of bytes that are no UTF-8: the decoded text has lost the byte that 1.32 names.
 * @returns undefined if the syntax is valid
 */
export function bytesError(bytes: Buffer): JsonSyntaxError | undefined {
  try {
    new Walk(bytes.toString('latin1'), IGNORE, (byte) => byte).run();
    return undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
}

const ignore = (): void => {};
const IGNORE: JsonHandler = {
  beginObject: ignore,
  member: ignore,
  endObject: ignore,
  beginArray: ignore,
  endArray: ignore,
  string: ignore,
  number: ignore,
  literal: ignore,
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const END = -1;

const ESCAPED: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class Walk {
  readonly #text: string;
  readonly #handler: JsonHandler;
  /** the byte that an error shows for a code point */
  readonly #byteOf: (codePoint: number) => number;
  #position = 0;
  /** open containers, innermost last; true for an array */
  readonly #open: boolean[] = [];

  constructor(text: string, handler: JsonHandler, byteOf: (codePoint: number) => number) {
    this.#text = text;
    this.#handler = handler;
    this.#byteOf = byteOf;
  }

  run(): void {
    this.#value();
    for (let inArray = this.#open.at(-1); inArray !== undefined; inArray = this.#open.at(-1)) {
      if (inArray) this.#afterElement();
      else this.#afterMember();
    }
    if (this.#next() !== END) this.#fail('after top-level value');
  }

  /** Reads a whole scalar, or the opening of a container and its first value, if it has one. */
  #value(): void {
    for (;;) {
      const code = this.#next();
      if (code === 0x7b) {
        this.#enter(false);
        if (this.#next() === 0x7d) return this.#leave();
        this.#key();
      } else if (code === 0x5b) {
        this.#enter(true);
        if (this.#next() === 0x5d) return this.#leave();
      } else return this.#scalar(code);
    }
  }

  #scalar(code: number): void {
    if (code === QUOTE) this.#handler.string(this.#string());
    else if (code === 0x2d || isDigit(code)) this.#handler.number(this.#number());
    else if (code === 0x74) this.#literal('true', true);
    else if (code === 0x66) this.#literal('false', false);
    else if (code === 0x6e) this.#literal('null', null);
    else this.#fail('looking for beginning of value');
  }

  #afterElement(): void {
    const code = this.#next();
    if (code === 0x5d) this.#leave();
    else if (code !== 0x2c) this.#fail('after array element');
    else {
      this.#position++;
      this.#value();
    }
  }

  #afterMember(): void {
    const code = this.#next();
    if (code === 0x7d) this.#leave();
    else if (code !== 0x2c) this.#fail('after object key:value pair');
    else {
      this.#position++;
      this.#key();
      this.#value();
    }
  }

  #key(): void {
    if (this.#next() !== QUOTE) this.#fail('looking for beginning of object key string');
    const key = this.#string();
    if (this.#next() !== 0x3a) this.#fail('after object key');
    this.#position++;
    this.#handler.member(key);
  }

  #enter(array: boolean): void {
    this.#position++;
    if (this.#open.push(array) > MAX_DEPTH) throw new JsonSyntaxError('exceeded max depth');
    if (array) this.#handler.beginArray();
    else this.#handler.beginObject();
  }

  #leave(): void {
    this.#position++;
    if (this.#open.pop()) this.#handler.endArray();
    else this.#handler.endObject();
  }

  /** The first code unit that is no space. It is not consumed. */
  #next(): number {
    for (;;) {
      const code = this.#peek();
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.#position++;
    }
  }

  #peek(): number {
    return this.#position < this.#text.length ? this.#text.charCodeAt(this.#position) : END;
  }

  #string(): string {
    let value = '';
    let start = ++this.#position;
    for (;;) {
      const code = this.#peek();
      if (code === QUOTE) {
        value += this.#text.slice(start, this.#position++);
        return value.toWellFormed();
      }
      if (code === BACKSLASH) {
        value += this.#text.slice(start, this.#position++);
        value += this.#escape();
        start = this.#position;
      } else if (code < 0x20) this.#fail('in string literal');
      else this.#position++;
    }
  }

  #escape(): string {
    const letter = this.#text[this.#position];
    const simple = letter === undefined ? undefined : ESCAPED[letter];
    if (simple !== undefined) {
      this.#position++;
      return simple;
    }
    if (letter !== 'u') this.#failWithin('in string escape code');
    const start = ++this.#position;
    for (; this.#position < start + 4; this.#position++) {
      if (!/[0-9a-fA-F]/.test(this.#text[this.#position] ?? '')) this.#failWithin('in \\u hexadecimal character escape');
    }
    return String.fromCharCode(Number.parseInt(this.#text.slice(start, this.#position), 16));
  }

  #number(): string {
    const start = this.#position;
    if (this.#peek() === 0x2d) this.#position++;
    if (this.#peek() === 0x30) this.#position++;
    else this.#digits('in numeric literal');
    if (this.#peek() === 0x2e) {
      this.#position++;
      this.#digits('after decimal point in numeric literal');
    }
    if (this.#peek() === 0x65 || this.#peek() === 0x45) {
      this.#position++;
      if (this.#peek() === 0x2b || this.#peek() === 0x2d) this.#position++;
      this.#digits('in exponent of numeric literal');
    }
    return this.#text.slice(start, this.#position);
  }

  #digits(context: string): void {
    if (!isDigit(this.#peek())) this.#failWithin(context);
    while (isDigit(this.#peek())) this.#position++;
  }

  #literal(word: string, value: true | false | null): void {
    for (const letter of word) {
      if (this.#text[this.#position] !== letter) this.#failWithin(`in literal ${word} (expecting '${letter}')`);
      this.#position++;
    }
    this.#handler.literal(value);
  }

  /** Reports an error inside of a token. At the end of the text, 1.32 reads a space, and the error names it. */
  #failWithin(context: string): never {
    if (this.#peek() === END) throw new JsonSyntaxError(`invalid character ' ' ${context}`);
    this.#fail(context);
  }

  #fail(context: string): never {
    const code = this.#text.codePointAt(this.#position);
    throw new JsonSyntaxError(
      code === undefined ? 'unexpected end of JSON input' : `invalid character ${quoted(this.#byteOf(code))} ${context}`,
    );
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

const NAMED_CONTROLS: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  39: "\\'",
  92: '\\\\',
};

/** Shows a byte as 1.32 does: as the character with that code. */
function quoted(byte: number): string {
  const named = NAMED_CONTROLS[byte];
  if (named !== undefined) return `'${named}'`;
  const digits = byte.toString(16).padStart(2, '0');
  if (byte < 0x20 || byte === 0x7f) return `'\\x${digits}'`;
  return isPrinted(byte) ? `'${String.fromCharCode(byte)}'` : `'\\u00${digits}'`;
}

/** Go does not print control characters beyond ASCII, the non-breaking space and the soft hyphen. */
function isPrinted(byte: number): boolean {
  return byte < 0x80 || (byte > 0xa0 && byte !== 0xad);
}

/** The first byte of a code point in UTF-8. */
function firstByte(codePoint: number): number {
  if (codePoint < 0x80) return codePoint;
  if (codePoint < 0x800) return 0xc0 | (codePoint >> 6);
  return codePoint < 0x1_0000 ? 0xe0 | (codePoint >> 12) : 0xf0 | (codePoint >> 18);
}
