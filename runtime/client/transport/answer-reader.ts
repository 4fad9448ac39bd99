/**
 * Reads one answer of HTTP/1.1 as a whole (RFC 9112). The server is not trusted: head, body and framing are bounded, and an answer is refused if two readers
 * could disagree about where it ends. Node's own parser gives answers piece by piece, at twice the cost of the connection itself.
 */

/** Headers by names in lower case. Repeated ones are joined, except the content type, of which the last one counts. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

/** The bytes are not a valid answer, or its head or framing is too long. */
export class AnswerSyntaxError extends Error {
  override readonly name = 'AnswerSyntaxError';
  /** the code that Node's own parser uses, so that callers see the same text for both */
  readonly code: 'HPE_INVALID' | 'HPE_HEADER_OVERFLOW';

  constructor(message: string, code: AnswerSyntaxError['code'] = 'HPE_INVALID') {
    super(message);
    this.code = code;
  }
}

/** The most bytes of an answer's heads, of its trailers, and of the line before a chunk. Node allows the same for a head. */
const MOST_OF_HEAD = 16 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const LENGTH = /^\d{1,15}$/;
const CHUNK = /^([0-9a-fA-F]{1,12})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
/** Statuses of answers without a body (RFC 9110 section 6.4.1). */
const [NO_CONTENT, NOT_MODIFIED, SWITCHING_PROTOCOLS, FINAL] = [204, 304, 101, 200];

type State = 'head' | 'length' | 'untilEnd' | 'chunkSize' | 'chunk' | 'chunkEnd' | 'trailer' | 'whole';

/** The content of a parsed head. */
interface ReadHead {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly keepsAlive: boolean;
  /** bytes of the body; infinite: it ends with the connection; undefined: it is chunked */
  readonly length: number | undefined;
}

/** The last head of a server. Most answers within a second have the same head, and comparing it costs a tenth of parsing it. */
export class LastHead {
  /** the bytes of the head with its empty line */
  #bytes: Buffer = NOTHING;
  #read: ReadHead | undefined;

  keep(bytes: Buffer, read: ReadHead): void {
    this.#bytes = Buffer.from(bytes);
    this.#read = read;
  }

  /** @returns the length of the head if the bytes begin with this one */
  lengthAt(bytes: Buffer, offset: number): number | undefined {
    const { length } = this.#bytes;
    const isSame = length > 0 && bytes.length - offset >= length && this.#bytes.compare(bytes, offset, offset + length) === 0;
    return isSame ? length : undefined;
  }

  get read(): ReadHead {
    return this.#read as ReadHead;
  }
}

export class AnswerReader {
  status = 0;
  headers: AnswerHeaders = {};
  /** whether the connection may carry another exchange behind this answer */
  keepsAlive = false;
  readonly #maxBytes: number;
  readonly #last: LastHead;
  #state: State = 'head';
  /** the beginning of a head or a line whose end has not arrived yet */
  #pending: Buffer = NOTHING;
  #headBytes = 0;
  /** bytes of the body or the chunk that have not arrived yet */
  #left = 0;
  #size = 0;
  readonly #body = new GrowingBytes();

  /** @param maxBytes the most bytes of the body. @param last the last head of the same server */
  constructor(maxBytes: number, last: LastHead = new LastHead()) {
    this.#maxBytes = maxBytes;
    this.#last = last;
  }

  /** Whether the head of the answer has arrived. */
  get hasHead(): boolean {
    return this.#state !== 'head';
  }

  /** The part of the body that has arrived. The caller owns the bytes. */
  get body(): Buffer {
    return this.#body.bytes;
  }

  /** @param arrived is kept, so the caller must not change it. @returns whether the answer is complete. @throws AnswerSyntaxError; Error for too large a body */
  read(arrived: Buffer): boolean {
    const bytes = this.#pending.length === 0 ? arrived : Buffer.concat([this.#pending, arrived]);
    this.#pending = NOTHING;
    let offset = 0;
    while (offset < bytes.length) {
      // nobody has asked for the bytes behind the answer, so the connection cannot be used again
      if (this.#state === 'whole') {
        this.keepsAlive = false;
        return true;
      }
      const next = this.#step(bytes, offset);
      if (next === -1) {
        this.#pending = bytes.subarray(offset);
        return false;
      }
      offset = next;
    }
    return this.#state === 'whole';
  }

  /** Must be called when the connection has ended. @returns whether that completes the answer */
  end(): boolean {
    if (this.#state === 'untilEnd') this.#state = 'whole';
    return this.#state === 'whole';
  }

  /** @returns the offset behind the head; -1 if more bytes are needed */
  #step(bytes: Buffer, offset: number): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes, offset);
      case 'chunkSize':
      case 'chunkEnd':
      case 'trailer':
        return this.#readLine(bytes, offset);
      default:
        return this.#readBody(bytes, offset);
    }
  }

  #readHead(bytes: Buffer, offset: number): number {
    const known = this.#headBytes === 0 ? this.#last.lengthAt(bytes, offset) : undefined;
    if (known !== undefined) {
      this.#headBytes = known;
      this.#begin(this.#last.read);
      return offset + known;
    }
    const found = bytes.indexOf(HEAD_END, offset);
    const end = found === -1 ? bytes.length : found;
    if (this.#headBytes + end - offset > MOST_OF_HEAD) throw new AnswerSyntaxError('the head is too large', 'HPE_HEADER_OVERFLOW');
    if (found === -1) {
      if (!mayBegin(bytes, offset)) throw new AnswerSyntaxError('it does not begin with HTTP/1');
      return -1;
    }
    // informational answers (1xx) may precede the final one
    this.#headBytes += end - offset;
    const read = headOf(bytes.toString('latin1', offset, end));
    const next = end + HEAD_END.length;
    if (read.status < FINAL) return next;
    this.#begin(read);
    this.#last.keep(bytes.subarray(offset, next), read);
    return next;
  }

  /** Prepares for the body behind the head. @throws Error for a body that is too large */
  #begin({ status, headers, keepsAlive, length }: ReadHead): void {
    this.status = status;
    this.headers = headers;
    this.keepsAlive = keepsAlive;
    if (length === undefined) this.#state = 'chunkSize';
    else this.#expect(length === Number.POSITIVE_INFINITY ? 'untilEnd' : 'length', length);
  }

  /** @throws Error if the body gets too large */
  #expect(state: State, bytes: number): void {
    if (bytes !== Number.POSITIVE_INFINITY && this.#size + bytes > this.#maxBytes) throw this.#tooLarge();
    this.#left = bytes;
    this.#state = state === 'length' && bytes === 0 ? 'whole' : state;
  }

  #tooLarge(): Error {
    return new Error(`the answer is larger than ${this.#maxBytes} bytes`);
  }

  #readBody(bytes: Buffer, offset: number): number {
    const end = Math.min(bytes.length, offset + this.#left);
    this.#size += end - offset;
    if (this.#size > this.#maxBytes) throw this.#tooLarge();
    this.#body.add(bytes.subarray(offset, end));
    this.#left -= end - offset;
    if (this.#left === 0) this.#state = this.#state === 'chunk' ? 'chunkEnd' : 'whole';
    return end;
  }

  /** Reads a line of the chunked framing: the size of a chunk, its end, or a trailer. */
  #readLine(bytes: Buffer, offset: number): number {
    const found = bytes.indexOf(LINE_END, offset);
    const end = found === -1 ? bytes.length : found;
    if (end - offset > MOST_OF_HEAD) throw new AnswerSyntaxError('a line between its chunks is too long', 'HPE_HEADER_OVERFLOW');
    if (found === -1) return -1;
    const line = bytes.toString('latin1', offset, end);
    if (this.#state === 'chunkEnd') {
      if (line !== '') throw new AnswerSyntaxError('a chunk is longer than it states');
      this.#state = 'chunkSize';
    } else if (this.#state === 'chunkSize') {
      const [, size] = CHUNK.exec(line) ?? [];
      if (size === undefined) throw new AnswerSyntaxError('the size of a chunk is none');
      this.#expect('chunk', Number.parseInt(size, 16));
      if (this.#left === 0) this.#state = 'trailer';
    } else this.#readTrailer(line);
    return end + LINE_END.length;
  }

  /** @throws AnswerSyntaxError if a head or a line gets too long */
  #readTrailer(line: string): void {
    this.#headBytes += line.length;
    if (this.#headBytes > MOST_OF_HEAD) throw new AnswerSyntaxError('its trailer is too large', 'HPE_HEADER_OVERFLOW');
    if (line === '') this.#state = 'whole';
  }
}

/** Collects bytes that arrive in parts. A single part is not copied; several are copied into one buffer, so that small parts leave no overhead. */
class GrowingBytes {
  #room: Buffer = NOTHING;
  #length = 0;

  add(part: Buffer): void {
    const length = this.#length + part.length;
    if (this.#length === 0) this.#room = part;
    else {
      if (length > this.#room.length) this.#grow(Math.max(length, 2 * this.#length));
      part.copy(this.#room, this.#length);
    }
    this.#length = length;
  }

  #grow(size: number): void {
    const room = Buffer.allocUnsafeSlow(size);
    this.#room.copy(room, 0, 0, this.#length);
    this.#room = room;
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }
}

const BEGINNING = Buffer.from('HTTP/1.');

function mayBegin(bytes: Buffer, offset: number): boolean {
  const length = Math.min(BEGINNING.length, bytes.length - offset);
  return BEGINNING.compare(bytes, offset, offset + length, 0, length) === 0;
}

/** @param text without the empty line. @throws AnswerSyntaxError */
function headOf(text: string): ReadHead {
  const lines = text.split('\r\n');
  const [, minor, shown] = STATUS_LINE.exec(lines[0] as string) ?? [];
  if (shown === undefined) throw new AnswerSyntaxError('it does not begin with HTTP/1 and a status');
  const status = Number(shown);
  if (status === SWITCHING_PROTOCOLS) throw new AnswerSyntaxError('it switches protocols, which nobody has asked for');
  const headers = headersOf(lines);
  const length = lengthOf(status, headers);
  const isLast = length === Number.POSITIVE_INFINITY || minor !== '1' || /\bclose\b/i.test(headers.connection ?? '');
  return { status, headers, keepsAlive: !isLast, length };
}

/** Finds out where the body ends (RFC 9112 section 6.3). @returns the length as in `ReadHead`. @throws AnswerSyntaxError */
function lengthOf(status: number, { 'transfer-encoding': coding, 'content-length': length }: AnswerHeaders): number | undefined {
  if (coding !== undefined) {
    if (length !== undefined) throw new AnswerSyntaxError('it states a length beside a transfer coding');
    if (coding.toLowerCase() !== 'chunked') throw new AnswerSyntaxError('its transfer coding is not chunked');
  } else if (length !== undefined && !LENGTH.test(length)) throw new AnswerSyntaxError('its length is none');
  if (status === NO_CONTENT || status === NOT_MODIFIED) return 0;
  if (coding !== undefined) return undefined;
  return length === undefined ? Number.POSITIVE_INFINITY : Number(length);
}

/** Headers that an answer may have only once, because two of them would contradict each other. */
const SINGLE: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

/** @param lines including the status line. @throws AnswerSyntaxError */
function headersOf(lines: readonly string[]): AnswerHeaders {
  const headers: Record<string, string> = Object.create(null);
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] as string;
    const colon = line.indexOf(':');
    const written = line.slice(0, Math.max(colon, 0));
    const value = withoutSpace(line, colon + 1);
    if (!NAME.test(written) || !VALUE.test(value)) throw new AnswerSyntaxError('a line of its head is no header');
    const name = written.toLowerCase();
    const before = headers[name];
    if (before !== undefined && SINGLE.has(name)) throw new AnswerSyntaxError(`it states its ${name} twice`);
    headers[name] = before === undefined || name === 'content-type' ? value : `${before}, ${value}`;
  }
  return headers;
}

const [SPACE, TAB] = [0x20, 0x09];

/** Trims blanks. A regular expression would take quadratic time for thousands of them. */
function withoutSpace(text: string, from: number): string {
  let [start, end] = [from, text.length];
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isSpace = (code: number): boolean => code === SPACE || code === TAB;
