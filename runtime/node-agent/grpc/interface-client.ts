/**
 * Calls gRPC interfaces of other programs of the node, over a Unix socket or TCP. A client has one connection. When that is lost, the next call makes a
 * new one. Calls fail at once while the program is not there, unless they ask to wait.
 */
import {
  type CallOptions,
  Client,
  type ClientDuplexStream,
  type ClientOptions,
  type ClientReadableStream,
  connectivityState,
  Metadata,
} from '@grpc/grpc-js';
import type { DuplexMethod, Sparse, StreamMethod, UnaryMethod } from '../../contract/node-interface.ts';
import { PlainCredentials } from '../../grpc/plain-credentials.ts';
import { decodeWireMessage, encodeWireMessage } from '../../schema/protobuf/wire-messages.ts';
import { InterfaceError } from './interface-error.ts';

/** Most bytes of one answer. Lists of a node full of containers are far below it. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

const OPTIONS: ClientOptions = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 3_000,
  // otherwise a DNS record could make the library repeat calls
  'grpc.service_config_disable_resolution': 1,
  // clients on the same socket do not share a connection, so that a new client of a restarted program gets a new one
  'grpc.use_local_subchannel_pool': 1,
};

export interface ClientSettings {
  /** most bytes of one answer; default 16 MiB */
  readonly maxBytes?: number;
  /** repeats calls that the other side refused unread, for example because it was ending; default false */
  readonly repeatsRefused?: boolean;
}

export interface CallLimits {
  /** milliseconds until the call fails with DEADLINE_EXCEEDED */
  readonly timeout: number;
  /** ends the call with CANCELLED */
  readonly signal?: AbortSignal;
  /** sent with the request, by names in lower case */
  readonly headers?: Readonly<Record<string, string>>;
  /** waits for a program that is not there, such as one that is started again; default false */
  readonly waitsForReady?: boolean;
}

export class InterfaceClient {
  readonly #client: Client;
  readonly #credentials = new PlainCredentials();

  /**
   * @param at absolute path of a Unix socket, or an address as gRPC has it, such as `HOST:PORT`, without TLS. The program need not be there yet
   */
  constructor(at: string | { readonly address: string }, { maxBytes = MAX_ANSWER_BYTES, repeatsRefused = false }: ClientSettings = {}) {
    const target = typeof at === 'string' ? `unix:${at}` : at.address;
    this.#client = new Client(target, this.#credentials, {
      ...OPTIONS,
      'grpc.enable_retries': repeatsRefused ? 1 : 0,
      'grpc.max_receive_message_length': maxBytes,
    });
  }

  /** @throws InterfaceError */
  call<Request, Answer>(
    method: UnaryMethod<Request, Answer>,
    request: Sparse<Request>,
    { timeout, signal, headers, waitsForReady = false }: CallLimits,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) throw new InterfaceError('CANCELLED', 'Cancelled before it began');
      const options: CallOptions = { deadline: Date.now() + timeout };
      const metadata = new Metadata({ waitForReady: waitsForReady });
      for (const name in headers) metadata.set(name, headers[name] as string);
      const call = this.#client.makeUnaryRequest(
        method.path,
        (message: Sparse<Request>) => encodeWireMessage(method.request, message),
        (bytes) => decodeWireMessage(method.answer, bytes),
        request,
        metadata,
        options,
        (error, answer) => {
          signal?.removeEventListener('abort', cancel);
          if (error !== null) reject(InterfaceError.of(error));
          else resolve(answer as Answer);
        },
      );
      const cancel = (): void => call.cancel();
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  /**
   * @param signal ends the call, and with it the answers
   * @throws InterfaceError, also where the other side ends the call with an error
   */
  async *stream<Request, Answer>(
    method: StreamMethod<Request, Answer>,
    request: Sparse<Request>,
    signal: AbortSignal,
  ): AsyncGenerator<Answer, void> {
    if (signal.aborted) return;
    const call: ClientReadableStream<Answer> = this.#client.makeServerStreamRequest(
      method.path,
      (message: Sparse<Request>) => encodeWireMessage(method.request, message),
      (bytes) => decodeWireMessage(method.answer, bytes),
      request,
      new Metadata(),
      {},
    );
    const cancel = (): void => call.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      for await (const answer of call) yield answer as Answer;
    } catch (error) {
      if (!signal.aborted) throw InterfaceError.of(error);
    } finally {
      signal.removeEventListener('abort', cancel);
      call.cancel();
    }
  }

  /** A call with messages in both directions. Pass its errors to `InterfaceError.of`. */
  duplex<Request, Answer>(method: DuplexMethod<Request, Answer>): ClientDuplexStream<Sparse<Request>, Answer> {
    return this.#client.makeBidiStreamRequest(
      method.path,
      (message: Sparse<Request>) => encodeWireMessage(method.request, message),
      (bytes) => decodeWireMessage(method.answer, bytes),
      new Metadata(),
      {},
    );
  }

  /** Whether there is a connection now. */
  get isConnected(): boolean {
    return this.#client.getChannel().getConnectivityState(false) === connectivityState.READY;
  }

  /** Closes the connection behind the calls under way. If there is no connection, the calls that wait for one fail at once. */
  close(): void {
    this.#credentials.close(this.#client);
  }
}
