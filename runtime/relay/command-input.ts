/**
 * The messages of a command's client. They are read from the beginning, although none can go to the agent before it has accepted the streams: so a
 * client that breaks the protocol is cut off at once, however long the agent takes (as in 1.32).
 */
import type { WebSocket } from 'ws';

/** First byte of a message which says that a channel has ended. The second byte is the number of that channel. */
export const CHANNEL_ENDED = 255;
const LAST_CHANNEL = 4;

/** Bytes that wait for the agent before nothing more is read from the client. */
const MAX_WAITING = 256 * 1024;
/** Bytes of memory that a message is counted with, besides its content. */
const MESSAGE = 64;
/** Milliseconds in which a client that is cut off can read the reason. */
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
    // either a malformed frame, which the library has answered with a close frame, or a lost connection
    client.on('error', () => this.#cutOff());
    client.on('message', (message: Buffer) => this.#take(message));
  }

  /** Calls `heard` for the messages that have come, and for each that comes from now on. Empty messages are left out. */
  begin(heard: (message: Buffer) => void): void {
    this.#heard = heard;
    this.#client.resume();
    for (const message of this.#waiting.splice(0)) heard(message);
  }

  /** Drops messages from now on. Reading goes on, because the client's answer to the close frame comes behind them. */
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

  /** Terminates the connection, unless the client closes it before. */
  #cutOff(): void {
    this.end();
    const timer = setTimeout(() => this.#client.terminate(), LAST_WORDS);
    this.#client.once('close', () => clearTimeout(timer));
  }
}

/** A message about channels must be the end of one channel that exists. */
const isMalformed = (message: Buffer): boolean =>
  message[0] === CHANNEL_ENDED && (message.length !== 2 || (message[1] as number) > LAST_CHANNEL);
