import type { IncomingMessage } from 'node:http';
import type { Json } from './client.ts';

/** Milliseconds: far above what takes seconds on a machine under load. */
const PATIENCE = 60_000;

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Json;
}

/** The events of one watch in the order in which they came; read them one by one, or with `for await` until the stream ends. */
export class Watch implements AsyncIterable<WatchEvent> {
  readonly #response: IncomingMessage;
  readonly #events: WatchEvent[] = [];
  #rest = '';
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    const end = () => {
      this.#ended = true;
      this.#wake?.();
    };
    for (const event of ['end', 'close', 'error']) response.on(event, end);
  }

  get ended(): boolean {
    return this.#ended && this.#events.length === 0;
  }

  /** The server ended the stream, and did not just break the connection. */
  get complete(): boolean {
    return this.#response.complete;
  }

  /** The next event. @param timeout milliseconds to wait for it @throws Error when none comes, or the stream has ended */
  async next(timeout = PATIENCE): Promise<WatchEvent> {
    const event = await this.#shift(timeout);
    if (event === undefined) throw new Error('the watch has ended');
    return event;
  }

  /** The first event from now on that fits; those before it are dropped. @throws as `next` */
  async until(fits: (event: WatchEvent) => boolean, timeout = PATIENCE): Promise<WatchEvent> {
    for (;;) {
      const event = await this.next(timeout);
      if (fits(event)) return event;
    }
  }

  close(): void {
    this.#response.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent> {
    for (;;) {
      const event = await this.#shift(PATIENCE);
      if (event === undefined) return;
      yield event;
    }
  }

  /** undefined: the stream has ended */
  async #shift(timeout: number): Promise<WatchEvent | undefined> {
    const until = Date.now() + timeout;
    while (this.#events.length === 0 && !this.#ended) {
      const left = until - Date.now();
      if (left <= 0) throw new Error(`no event in ${timeout} ms`);
      await this.#arrival(left);
    }
    return this.#events.shift();
  }

  #arrival(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() as string;
    for (const line of lines) if (line !== '') this.#events.push(JSON.parse(line));
    this.#wake?.();
  }
}
