/** Frames of SPDY/3.1, as far as commands and port forwarding need them, for both sides of a connection. */

/** Types of control frames. */
export const CONTROL = { synStream: 1, synReply: 2, rstStream: 3, ping: 6 } as const;
/** The flag of the last frame that a side sends on a stream. */
export const FIN = 1;

const HEAD_BYTES = 8;
const VERSION = 3;
/** Most bytes of a control frame. Those of agents have a few hundred at most. */
const MAX_CONTROL_BYTES = 64 * 1024;

export interface DataPiece {
  readonly stream: number;
  /** part of a frame, as it came: valid until the next piece is taken */
  readonly bytes: Buffer;
  /** no more follows on this stream */
  readonly last: boolean;
}

export interface ControlFrame {
  readonly type: number;
  readonly flags: number;
  readonly body: Buffer;
}

/** The other side broke SPDY/3.1, or a limit of this side. The message is for clients. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}

/** @param bytes fewer than 2^24 */
export function dataFrame(stream: number, bytes: Buffer, flags = 0): Buffer {
  return frame(stream, bytes, flags);
}

export function controlFrame(type: number, body: Buffer, flags = 0): Buffer {
  return frame((0x80000000 | (VERSION << 16) | type) >>> 0, body, flags);
}

function frame(word: number, body: Buffer, flags: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + body.length);
  bytes.writeUInt32BE(word);
  bytes.writeUInt32BE(((flags << 24) | body.length) >>> 0, 4);
  body.copy(bytes, HEAD_BYTES);
  return bytes;
}

interface Begun {
  /** the head's first word */
  readonly word: number;
  readonly flags: number;
  /** of a control frame */
  readonly body: Buffer | undefined;
  /** bytes that have not come yet */
  left: number;
}

/** Splits a connection's bytes into frames. Data is passed on as it comes, so a long frame takes no memory. */
export class FrameReader {
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #headLength = 0;
  #begun: Begun | undefined;

  /** @throws SpdyError, after which the connection is of no use */
  *read(chunk: Buffer): Generator<DataPiece | ControlFrame> {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#begun === undefined) rest = this.#takeHead(rest);
      const begun = this.#begun;
      if (begun === undefined) return;
      const bytes = rest.subarray(0, begun.left);
      rest = rest.subarray(bytes.length);
      if (begun.body !== undefined) bytes.copy(begun.body, begun.body.length - begun.left);
      begun.left -= bytes.length;
      const whole = begun.left === 0;
      if (whole) this.#begun = undefined;
      if (begun.body === undefined) {
        if (whole || bytes.length > 0) yield { stream: begun.word, bytes, last: whole && (begun.flags & FIN) !== 0 };
      } else if (whole) yield { type: begun.word & 0xffff, flags: begun.flags, body: begun.body };
    }
  }

  /** Takes bytes of a frame's head, and sets `#begun` when the head is whole. @returns the bytes behind it */
  #takeHead(bytes: Buffer): Buffer {
    const taken = bytes.copy(this.#head, this.#headLength);
    this.#headLength += taken;
    if (this.#headLength === HEAD_BYTES) {
      this.#headLength = 0;
      this.#begun = begin(this.#head);
    }
    return bytes.subarray(taken);
  }
}

function begin(head: Buffer): Begun {
  const word = head.readUInt32BE(0);
  const [flags, left] = [head.readUInt8(4), head.readUIntBE(5, 3)];
  if (word < 0x80000000) return { word, flags, body: undefined, left };
  if (((word >>> 16) & 0x7fff) !== VERSION) throw new SpdyError('malformed SPDY: a frame of another version');
  if (left > MAX_CONTROL_BYTES) throw new SpdyError('malformed SPDY: a control frame is too long');
  return { word, flags, body: Buffer.alloc(left), left };
}

/** Header of a zlib stream that uses SPDY's dictionary, with the Adler-32 of the dictionary (RFC 1950, section 2.2). */
const ZLIB_HEAD = Buffer.from([0x78, 0x20, 0xe3, 0xc6, 0xa7, 0xc2]);
/** An empty block, at which decompressors give out what they have (RFC 1951, section 3.2.4). */
const FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff]);

/**
 * Writes the header blocks of one connection. They are stored in the zlib format without compression: they are short, and a compressor would take
 * memory for as long as the connection lives.
 */
export class HeaderBlocks {
  #begun = false;

  /** @param headers names in lower case; fewer than 60,000 bytes in all */
  write(headers: Readonly<Record<string, string>>): Buffer {
    const entries = Object.entries(headers);
    const block = Buffer.concat([uint32(entries.length), ...entries.flat().flatMap(lengthAndText)]);
    const head = this.#begun ? Buffer.alloc(0) : ZLIB_HEAD;
    this.#begun = true;
    return Buffer.concat([head, storedHead(block.length), block, FLUSH]);
  }
}

function storedHead(length: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt16LE(length, 1);
  bytes.writeUInt16LE(length ^ 0xffff, 3);
  return bytes;
}

function lengthAndText(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  return [uint32(bytes.length), bytes];
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
