/**
 * What the client of a command says, one message after the other. It is heard from the beginning, though nothing of it can go on before the agent has taken
 * the streams: a client that breaks the protocol is cut off at once, however long the agent is silent (as in 1.32).
 */
import type { WebSocket } from 'ws';

/** Tells that the channel whose number follows has ended. */
export const CHANNEL_ENDED = 255;
const LAST_CHANNEL = 4;

/** Bytes that wait for the agent before nothing more is read from the client. */
const MAX_WAITING = 256 * 1024;
/** Bytes that a message takes besides its own. */
const MESSAGE = 64;
/** Milliseconds that a client has to hear why it is cut off. */
const LAST_WORDS = 1_000;
const PROTOCOL_ERROR = 1002;

export class CommandInput {
  readonly #client: WebSocket;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #heard: ((message: Buffer) => void) | undefined;
  #isOver = false;

  constructor(client: WebSocket) {
    this.#client = client;
    // a broken frame, which the library has answered, or a lost connection
    client.on('error', () => this.#cutOff());
    client.on('message', (message: Buffer) => this.#take(message));
  }

  /** Has all be heard that has come, and that comes from now on; messages that say nothing are left out. */
  begin(heard: (message: Buffer) => void): void {
    this.#heard = heard;
    this.#client.resume();
    for (const message of this.#waiting.splice(0)) heard(message);
  }

  /** Nobody hears any more of it; it is read on for the answer to the end. */
  end(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#client.resume();
  }

  #take(message: Buffer): void {
    if (this.#isOver || message.length === 0) return;
    if (isMalformed(message)) {
      this.#client.close(PROTOCOL_ERROR);
      return this.#cutOff();
    }
    if (this.#heard !== undefined) return this.#heard(message);
    this.#waiting.push(message);
    this.#waitingBytes += message.length + MESSAGE;
    if (this.#waitingBytes > MAX_WAITING) this.#client.pause();
  }

  /** One that answers the end is gone before. */
  #cutOff(): void {
    this.end();
    const timer = setTimeout(() => this.#client.terminate(), LAST_WORDS);
    this.#client.once('close', () => clearTimeout(timer));
  }
}

/** The end of one channel, of those that there are, is all that can be said of channels. */
const isMalformed = (message: Buffer): boolean =>
  message[0] === CHANNEL_ENDED && (message.length !== 2 || (message[1] as number) > LAST_CHANNEL);
