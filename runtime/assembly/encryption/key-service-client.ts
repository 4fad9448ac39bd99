import type { KMSConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import type { Sparse, UnaryMethod } from '../../contract/node-interface.ts';
import type { ServiceCallTracer, Span } from '../../contract/trace.ts';
import { InterfaceClient } from '../../node-agent/grpc/interface-client.ts';
import type { Log } from '../../observability/log.ts';
import { readDuration } from '../../schema/scalar/duration.ts';
import { grpcStatusOf } from '../../storage/encryption/transformation-counts.ts';
import type { EncryptionFigures } from './encryption-figures.ts';

/** The tracer is set when the server has one, which may be after the store was opened. */
export interface CallTracing {
  tracer?: ServiceCallTracer;
}

export interface KeyServiceParts {
  readonly log: Log;
  readonly figures: EncryptionFigures;
  readonly tracing: Readonly<CallTracing>;
}

/** A call under way, which `end` counts. */
export interface BegunCall {
  readonly headers: Readonly<Record<string, string>>;
  /** @param error absent: the call has succeeded */
  end(error?: unknown): void;
}

export class KeyServiceClient {
  /** name of the service in the configuration */
  readonly name: string;
  /** milliseconds that one call may take */
  readonly timeout: number;
  /** path of the socket, or U+0000 and a name for an abstract socket */
  readonly socket: string;
  readonly #client: InterfaceClient;
  readonly #figures: EncryptionFigures;
  readonly #tracing: Readonly<CallTracing>;

  /** @param maxAnswerBytes limit of one answer */
  constructor({ name, endpoint, timeout }: KMSConfiguration, { figures, tracing }: KeyServiceParts, maxAnswerBytes: number) {
    this.name = name;
    this.timeout = Number(readDuration(timeout ?? '3s') as bigint) / 1e6;
    this.socket = socketOf(endpoint);
    this.#client = new InterfaceClient(this.socket, { maxBytes: maxAnswerBytes });
    this.#figures = figures;
    this.#tracing = tracing;
  }

  /** Calls are limited in time, counted, and traced if there is a tracer. @throws InterfaceError */
  async call<Request, Answer>(method: UnaryMethod<Request, Answer>, request: Sparse<Request>): Promise<Answer> {
    const call = this.begin(method);
    try {
      const answer = await this.#client.call(method, request, { timeout: this.timeout, headers: call.headers });
      call.end();
      return answer;
    } catch (error) {
      call.end(error);
      throw error;
    }
  }

  /**
   * Begins to count and trace a call that another thread makes.
   * @param span the trace of the request that needs the call; absent: the tracer begins one
   */
  begin({ path }: { readonly path: string }, span?: Span): BegunCall {
    const began = performance.now();
    const traced = (span ?? this.#tracing.tracer)?.beginServiceCall(path, { 'transformer.provider.name': this.name });
    return {
      headers: traced?.headers ?? {},
      end: (error) => {
        const code = error === undefined ? 'OK' : grpcStatusOf(error);
        this.#figures.serviceCalled(this.name, path, code, performance.now() - began);
        traced?.end(code, error === undefined ? undefined : (error as Error).message);
      },
    };
  }

  close(): void {
    this.#client.close();
  }
}

/** Takes `unix:///path`, or `unix:///@name` for an abstract socket. @returns what `node:net` connects to */
function socketOf(endpoint: string): string {
  const path = endpoint.slice('unix://'.length);
  return path.startsWith('/@') ? `\0${path.slice(2)}` : path;
}
