/** The server's side of SPDY/3.1, as far as the stock command-line client speaks it: streams with headers, data, half close, resets. */
import { once } from 'node:events';
import { Duplex, type Transform } from 'node:stream';
import { constants, createInflate } from 'node:zlib';
import {
  CONTROL,
  type ControlFrame,
  controlFrame,
  type DataPiece,
  dataFrame,
  FIN,
  FrameReader,
  HeaderBlocks,
  uint32,
} from '../../runtime/relay/spdy-frames.ts';

const WORDS =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get status'.split(
    ' ',
  );
const MORE_WORDS = ['200 OK', 'version', 'HTTP/1.1', 'url', 'public', 'set-cookie', 'keep-alive', 'origin'];
const TAIL =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.';

/** What both sides compress headers with (SPDY draft 3, section 2.6.10.1). */
export const DICTIONARY = Buffer.concat([
  ...[...WORDS, ...MORE_WORDS].flatMap((word) => [uint32(word.length), Buffer.from(word)]),
  Buffer.from(TAIL),
]);

const COMPRESSION = { dictionary: DICTIONARY, flush: constants.Z_SYNC_FLUSH };

/** One stream that the client has opened; its headers are in lower case. */
export class SpdyStream extends Duplex {
  readonly headers: Readonly<Record<string, string>>;
  readonly #id: number;
  readonly #connection: SpdyConnection;

  constructor(connection: SpdyConnection, id: number, headers: Readonly<Record<string, string>>) {
    super();
    this.#connection = connection;
    this.#id = id;
    this.headers = headers;
    this.on('error', () => {});
  }

  override _read(): void {
    this.#taken?.();
  }
  #taken: (() => void) | undefined;

  /** What the client has sent. Waits while nobody reads it: the connection is held back as a whole. */
  async receive(bytes: Buffer): Promise<void> {
    if (this.push(bytes) || this.destroyed) return;
    await new Promise<void>((resolve) => {
      this.#taken = resolve;
      this.once('close', resolve);
    });
  }
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#connection.data(this.#id, 0, chunk).then(done, done);
  }
  override _final(done: () => void): void {
    this.#connection.data(this.#id, FIN, Buffer.alloc(0)).then(done, done);
  }
}

export class SpdyConnection {
  readonly #socket: Duplex;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #inflate = createInflate(COMPRESSION);
  readonly #headers = new HeaderBlocks();
  readonly #accept: (stream: SpdyStream) => void;

  /** @param accept called for each stream that the client opens, after it was told that it is open */
  constructor(socket: Duplex, accept: (stream: SpdyStream) => void) {
    this.#socket = socket;
    this.#accept = accept;
    this.#run().catch(() => socket.destroy());
  }

  end(): void {
    this.#socket.end();
  }

  /** Waits while the connection takes no more. */
  async data(id: number, flags: number, chunk: Buffer): Promise<void> {
    await this.#send(dataFrame(id, chunk, flags));
  }

  async #send(frame: Buffer): Promise<void> {
    if (this.#socket.destroyed) throw new Error('the connection is gone');
    if (!this.#socket.write(frame)) await once(this.#socket, 'drain');
  }

  async #run(): Promise<void> {
    const reader = new FrameReader();
    for await (const chunk of this.#socket) for (const frame of reader.read(chunk)) await this.#frame(frame);
    for (const stream of this.#streams.values()) stream.push(null);
  }

  async #frame(frame: DataPiece | ControlFrame): Promise<void> {
    if ('type' in frame) {
      const { type, flags, body } = frame;
      if (type === CONTROL.synStream) await this.#open(body, flags);
      else if (type === CONTROL.rstStream) this.#streams.get(body.readUInt32BE(0))?.destroy();
      else if (type === CONTROL.ping) await this.#send(controlFrame(CONTROL.ping, body));
      return;
    }
    const stream = this.#streams.get(frame.stream);
    if (frame.bytes.length > 0) await stream?.receive(Buffer.from(frame.bytes));
    if (frame.last) stream?.push(null);
  }

  async #open(body: Buffer, flags: number): Promise<void> {
    const id = body.readUInt32BE(0) & 0x7fffffff;
    const headers = readHeaders(await through(this.#inflate, body.subarray(10)));
    const stream = new SpdyStream(this, id, headers);
    this.#streams.set(id, stream);
    if (flags & FIN) stream.push(null);
    await this.#send(controlFrame(CONTROL.synReply, Buffer.concat([uint32(id), this.#headers.write({})])));
    this.#accept(stream);
  }
}

/** Sends a block through the decompressor, whose state lasts as long as the connection. */
function through(decompressor: Transform, block: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const take = (part: Buffer): void => void parts.push(part);
    decompressor.on('data', take).once('error', reject);
    decompressor.write(block, () => {
      decompressor.off('data', take).off('error', reject);
      resolve(Buffer.concat(parts));
    });
  });
}

export function readHeaders(block: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  let at = 4;
  const text = (): string => {
    const length = block.readUInt32BE(at);
    at += 4 + length;
    return block.toString('utf8', at - length, at);
  };
  for (let left = block.readUInt32BE(0); left > 0; left--) {
    const name = text();
    headers[name] = text();
  }
  return headers;
}
