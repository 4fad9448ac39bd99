/**
 * Reads the answers of one connection of HTTP/1.1 with as little work as it takes, so that the client is not what is measured.
 * It knows what servers of this API send: a body with Content-Length, in chunks, or none.
 */
export interface AnswerHandlers {
  onHead?(status: number, head: string): void;
  /** a part of the body; valid during the call */
  onBody?(bytes: Buffer): void;
  onEnd(status: number): void;
}

type State = 'head' | 'body' | 'chunkSize' | 'chunk' | 'chunkEnd' | 'trailer';

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_FEED = 0x0a;

export class AnswerReader {
  #handlers: AnswerHandlers;
  #state: State = 'head';
  #status = 0;
  /** bytes of the body or the chunk that are still to come */
  #left = 0;
  /** the beginning of a head or a line whose end has not come yet */
  #pending: Buffer | undefined;

  constructor(handlers: AnswerHandlers) {
    this.#handlers = handlers;
  }

  set handlers(handlers: AnswerHandlers) {
    this.#handlers = handlers;
  }

  read(arrived: Buffer): void {
    const bytes = this.#pending === undefined ? arrived : Buffer.concat([this.#pending, arrived]);
    this.#pending = undefined;
    let offset = 0;
    while (offset < bytes.length) {
      const next = this.#step(bytes, offset);
      if (next === -1) {
        this.#pending = bytes.subarray(offset);
        return;
      }
      offset = next;
    }
  }

  /** @returns the offset of what follows; -1 where more bytes are needed */
  #step(bytes: Buffer, offset: number): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes, offset);
      case 'body':
      case 'chunk':
        return this.#readBody(bytes, offset);
      default:
        return this.#readLine(bytes, offset);
    }
  }

  #readHead(bytes: Buffer, offset: number): number {
    const end = bytes.indexOf(HEAD_END, offset);
    if (end === -1) return -1;
    const head = bytes.toString('latin1', offset, end);
    this.#status = Number(head.slice(9, 12));
    this.#handlers.onHead?.(this.#status, head);
    if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.#state = 'chunkSize';
    else {
      this.#left = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      this.#state = 'body';
      if (this.#left === 0) this.#end();
    }
    return end + 4;
  }

  #readBody(bytes: Buffer, offset: number): number {
    const end = Math.min(bytes.length, offset + this.#left);
    this.#handlers.onBody?.(bytes.subarray(offset, end));
    this.#left -= end - offset;
    if (this.#left === 0) {
      if (this.#state === 'chunk') this.#state = 'chunkEnd';
      else this.#end();
    }
    return end;
  }

  /** the size of a chunk, the line feed behind one, or what follows the last */
  #readLine(bytes: Buffer, offset: number): number {
    const end = bytes.indexOf(LINE_FEED, offset);
    if (end === -1) return -1;
    if (this.#state === 'chunkEnd') this.#state = 'chunkSize';
    else if (this.#state === 'chunkSize') {
      this.#left = Number.parseInt(bytes.toString('latin1', offset, end), 16);
      this.#state = this.#left === 0 ? 'trailer' : 'chunk';
    } else if (end - offset <= 1) this.#end();
    return end + 1;
  }

  #end(): void {
    this.#state = 'head';
    this.#handlers.onEnd(this.#status);
  }
}
