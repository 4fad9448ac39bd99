/**
 * Asks a key management service while this thread is blocked, because reads of the store are synchronous. That happens once for each seed,
 * and lasts no longer than the timeout of the service.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { DecryptRequest } from '../../../generated/node-interfaces/key-management.ts';

export interface ThreadData {
  readonly socket: string;
  readonly port: MessagePort;
  /** the number of answers; the blocked thread waits until it changes */
  readonly answered: Int32Array<SharedArrayBuffer>;
}

export interface AskedNow {
  readonly id: number;
  readonly request: DecryptRequest;
  /** milliseconds that the call may take */
  readonly timeout: number;
  /** headers of the call */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ThreadAnswer {
  readonly id: number;
  readonly plaintext?: Uint8Array;
  readonly failure?: string;
}

/** Milliseconds that the thread may take to start. */
const BEGINNING = 5_000;
/** Milliseconds after which an idle thread is ended. */
const IDLE = 30_000;

interface Thread extends Pick<ThreadData, 'port' | 'answered'> {
  readonly worker: Worker;
}

export class WaitingDecryption {
  readonly #socket: string;
  readonly #timeout: number;
  #thread: Thread | undefined;
  #idle: NodeJS.Timeout | undefined;
  #asked = 0;

  /** @param timeout milliseconds that one call may take */
  constructor(socket: string, timeout: number) {
    this.#socket = socket;
    this.#timeout = timeout;
  }

  /** @param headers headers of the call. @throws Error in the words of gRPC */
  decrypt(request: DecryptRequest, headers: AskedNow['headers']): Buffer {
    const isNew = this.#thread === undefined;
    this.#thread ??= this.#begin();
    const { port, answered } = this.#thread;
    const id = ++this.#asked;
    const until = performance.now() + this.#timeout + (isNew ? BEGINNING : 0) + GRACE;
    port.postMessage({ id, request, timeout: this.#timeout, headers } satisfies AskedNow);
    for (;;) {
      const before = Atomics.load(answered, 0);
      const received = receiveMessageOnPort(port)?.message as ThreadAnswer | undefined;
      if (received?.id === id) return this.#answer(received);
      if (received !== undefined) continue;
      if (Atomics.wait(answered, 0, before, Math.max(0, until - performance.now())) === 'timed-out') break;
    }
    this.close();
    throw new Error('rpc error: code = DeadlineExceeded desc = context deadline exceeded');
  }

  #answer({ plaintext, failure }: ThreadAnswer): Buffer {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(), IDLE).unref();
    if (plaintext === undefined) throw new Error(failure);
    return Buffer.from(plaintext);
  }

  #begin(): Thread {
    const { port1, port2 } = new MessageChannel();
    const answered = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(new URL('./key-service-thread.js', import.meta.url), {
      workerData: { socket: this.#socket, port: port2, answered } satisfies ThreadData,
      transferList: [port2],
      execArgv: [],
    });
    worker.unref();
    port1.unref();
    // a caller that is blocked does not see this, and gives up when its time is over
    worker.on('error', () => this.close());
    return { worker, port: port1, answered };
  }

  close(): void {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    thread?.port.close();
    void thread?.worker.terminate();
  }
}

/** Milliseconds that the thread may need besides the call itself. */
const GRACE = 500;
