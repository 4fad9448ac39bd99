/** Calls of the signer of tokens (`schemas/node-interfaces/token-signer.proto`), with the metrics that 1.32 has of them. */
import { ExternalJWTSigner, type FetchKeysResponse, type SignJWTResponse } from '../../../generated/node-interfaces/token-signer.ts';
import type { Sparse, UnaryMethod } from '../../contract/node-interface.ts';
import { InterfaceClient } from '../../node-agent/grpc/interface-client.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { grpcStatusOf } from '../../storage/encryption/transformation-counts.ts';

/** Limit of an answer in bytes, as in 1.32. It allows some ten thousand keys. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Milliseconds that a call may take, as in 1.32. */
export const KEYS_TIMEOUT = 60_000;
const METADATA_TIMEOUT = 10_000;

export class SignerClient {
  readonly #client: InterfaceClient;
  readonly #metrics: Metrics;
  readonly #closing = new AbortController();

  /** @param endpoint absolute path of a socket, or `@NAME` for an abstract socket */
  constructor(endpoint: string, metrics: Metrics) {
    const socket = endpoint.startsWith('@') ? `\0${endpoint.slice(1)}` : endpoint;
    this.#client = new InterfaceClient(socket, { maxBytes: MAX_ANSWER_BYTES, repeatsRefused: true });
    this.#metrics = metrics;
  }

  /** @param signal ends the call; absent: it ends after a minute @throws InterfaceError */
  sign(claims: string, signal: AbortSignal | undefined): Promise<SignJWTResponse> {
    return this.#call(ExternalJWTSigner.Sign, { claims }, signal === undefined ? KEYS_TIMEOUT : Number.POSITIVE_INFINITY, signal);
  }

  /** @throws InterfaceError */
  keys(signal: AbortSignal): Promise<FetchKeysResponse> {
    return this.#call(ExternalJWTSigner.FetchKeys, {}, KEYS_TIMEOUT, signal);
  }

  /** @returns seconds that a token may live @throws InterfaceError */
  async longestLife(): Promise<bigint> {
    return (await this.#call(ExternalJWTSigner.Metadata, {}, METADATA_TIMEOUT)).maxTokenExpirationSeconds;
  }

  /** Waits for a signer that is not running, because it may be restarting. */
  async #call<Request, Answer>(
    method: UnaryMethod<Request, Answer>,
    request: Sparse<Request>,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const began = performance.now();
    const either = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    let code = 'OK';
    try {
      return await this.#client.call(method, request, { timeout, signal: either, waitsForReady: true });
    } catch (error) {
      code = grpcStatusOf(error);
      throw error;
    } finally {
      const durations = this.#metrics.histogram('apiserver_externaljwt_request_duration_seconds');
      durations.with({ method: method.path, code }).observe((performance.now() - began) / 1_000);
    }
  }

  /** Aborts calls under way, which would keep the connection open. */
  close(): void {
    this.#closing.abort();
    this.#client.close();
  }
}
