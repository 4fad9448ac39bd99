/** A client of one server. It has few methods itself: `resource` gives those of a resource, and functions in other modules do the rest. */
import type { Identity } from '../../contract/identity.ts';
import { ApiError } from '../objects/api-error.ts';
import { pause } from '../timers/long-timer.ts';
import { Rate } from '../timers/rate.ts';
import type { ConnectionSettings } from '../transport/connection-settings.ts';
import { readText } from '../transport/read-body.ts';
import { ConnectionError, isSwitched, type SwitchedConnection, Transport, type TransportAnswer } from '../transport/transport.ts';
import { programAgent } from '../transport/user-agent.ts';
import { answerOf } from './answer-json.ts';
import { fetchOver } from './fetch.ts';
import type { ClientOf } from './methods.ts';
import type { ClientRequest, Requester } from './requester.ts';
import type { Resource, ResourceTypes } from './resource.ts';
import { ResourceRequests } from './resource-requests.ts';
import { warningsOf } from './warnings.ts';

export interface ClientOptions {
  /** names of the server's dialect */
  readonly identity: Pick<Identity, 'text'>;
  /** namespace that `in()` means; default `default` */
  readonly namespace?: string | undefined;
  /** of writes that name no field manager */
  readonly fieldManager?: string | undefined;
  /** gets warnings of the server, for example about deprecated versions */
  readonly onWarning?: ((warning: string) => void) | undefined;
  /** absent: requests are sent at once, and only the server limits them */
  readonly requestRate?: RequestRate | undefined;
}

/** Limits all requests of a client, including watches, repetitions and requests through the server's proxy. */
export interface RequestRate {
  /** requests per second on average; more than 0 */
  readonly perSecond: number;
  /** requests that may be sent at once after a pause; 1 or more; default 10 */
  readonly burst?: number;
}

/** How often a request is repeated because the server asks for it later, as in 1.32. */
const MAX_REPEATS = 10;
/** How often a GET is repeated whose connection ended before its answer. */
const MAX_RECONNECTS = 3;
const FIRST_PAUSE = 100;
/** The most bytes of an error's text. */
const MAX_ERROR = 4 * 1024 * 1024;
const LOST: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

export class Client implements Requester {
  readonly identity: Pick<Identity, 'text'>;
  readonly defaultNamespace: string;
  readonly fieldManager: string | undefined;
  readonly #transport: Transport;
  readonly #onWarning: ((warning: string) => void) | undefined;
  readonly #compresses: boolean;
  readonly #rate: Rate | undefined;

  /** @throws TypeError for a server without an http or https URL; RangeError for an invalid rate */
  constructor(connection: ConnectionSettings, { identity, namespace = 'default', fieldManager, onWarning, requestRate }: ClientOptions) {
    this.identity = identity;
    this.defaultNamespace = namespace;
    this.fieldManager = fieldManager;
    this.#transport = new Transport({ ...connection, userAgent: connection.userAgent ?? programAgent() });
    this.#onWarning = onWarning;
    this.#compresses = connection.disableCompression !== true;
    this.#rate = requestRate && rateOf(requestRate);
  }

  /** The methods of a resource. For a namespaced resource, most of them need a namespace first (`in`). */
  resource<R extends ResourceTypes>(resource: Resource<R>): ClientOf<R> {
    return new ResourceRequests(this, resource) as unknown as ClientOf<R>;
  }

  get ending(): AbortSignal {
    return this.#transport.ending;
  }

  async request<T>(request: ClientRequest): Promise<T> {
    const what = described(request);
    const text = await this.#reconnecting(request, async (ending) => readText(await this.#repeated(request, ending), what, request));
    return answerOf<T>(text, what);
  }

  send(request: ClientRequest): Promise<TransportAnswer> {
    return this.#reconnecting(request, (ending) => this.#repeated(request, ending));
  }

  /** Repeats a request that only reads if its connection was lost, unless the client itself has ended it. */
  async #reconnecting<T>({ method, signal }: ClientRequest, attempt: (ending: AbortSignal) => Promise<T>): Promise<T> {
    const ending = this.#transport.ending;
    for (let attempts = 0; ; attempts++)
      try {
        return await attempt(ending);
      } catch (error) {
        const mayRepeat = method === 'GET' && error instanceof ConnectionError && LOST.has(error.code);
        if (!mayRepeat || attempts >= MAX_RECONNECTS) throw error;
        await pauseBefore(FIRST_PAUSE * 2 ** attempts, error, ending, signal);
      }
  }

  /** Repeats a request as long as the server asks for it again later. */
  async #repeated(request: ClientRequest, ending: AbortSignal): Promise<TransportAnswer> {
    for (let repeats = 0; ; repeats++) {
      await this.#turn(ending, request.signal);
      const answer = await this.#exchange(request);
      // Node makes the distinct headers when they are asked for, and few answers have a warning
      const warnings = answer.headers.warning === undefined ? [] : warningsOf(answer.headersDistinct.warning);
      for (const warning of warnings) this.#onWarning?.(warning);
      if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
      const error = new ApiError(
        answer.statusCode,
        await readText(answer, described(request), { signal: request.signal, maxBytes: MAX_ERROR }),
        answer.headers['retry-after'],
      );
      const isLater = answer.headers['retry-after'] !== undefined && (error.code === 429 || error.code >= 500);
      if (!isLater || error.retryAfter === undefined || repeats >= MAX_REPEATS) throw error;
      await pauseBefore(Math.max(error.retryAfter, FIRST_PAUSE), error, ending, request.signal);
    }
  }

  async fetch(path: string, init?: RequestInit): Promise<Response> {
    await this.#turn(this.ending, init?.signal);
    return fetchOver(this.#transport, path, init);
  }

  async switchProtocols(path: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<SwitchedConnection> {
    await this.#turn(this.ending, signal);
    const refused = await this.#transport.switchProtocols({ method: 'GET', path, headers, signal, repeatable: true });
    if (isSwitched(refused)) return refused;
    throw new ApiError(
      refused.statusCode,
      await readText(refused, `GET ${path}`, { signal, maxBytes: MAX_ERROR }),
      refused.headers['retry-after'],
    );
  }

  /** Ends all connections, also those in use; later requests make new ones. Resolves when all sockets are closed. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Waits until the rate allows another request. @throws the reason of the signal, or of `ending` */
  async #turn(ending: AbortSignal, signal?: AbortSignal | null): Promise<void> {
    const milliseconds = this.#rate?.take() ?? 0;
    if (milliseconds === 0) return;
    try {
      await pause(milliseconds, AbortSignal.any([signal ?? ending, ending]));
    } catch (error) {
      this.#rate?.giveBack();
      throw error;
    }
  }

  #exchange({ method, path, accept = 'application/json', body, signal, isStream }: ClientRequest): Promise<TransportAnswer> {
    const headers = {
      accept,
      ...(body !== undefined && { 'content-type': body.type }),
      ...(this.#compresses && !isStream && { 'accept-encoding': 'gzip' }),
    };
    return this.#transport.send({ method, path, headers, signal, isStream, ...(body !== undefined && { body: body.text }) });
  }
}

/** Requests at once where a rate names no number. */
const BURST = 10;

function rateOf({ perSecond, burst = BURST }: RequestRate): Rate {
  if (perSecond > 0 && burst >= 1) return new Rate(perSecond, burst, () => performance.now());
  throw new RangeError(`requestRate: perSecond must be more than 0, and burst 1 or more; they are ${perSecond} and ${burst}`);
}

/** @throws the reason of the signal; `error`, which is the cause of the repetition, if the client is closed meanwhile */
async function pauseBefore(milliseconds: number, error: unknown, ending: AbortSignal, signal = ending): Promise<void> {
  await pause(milliseconds, AbortSignal.any([signal, ending])).catch((reason) => {
    throw ending.aborted ? error : reason;
  });
}

const described = ({ method, path }: ClientRequest): string => `${method} ${path.split('?', 1)[0]}`;
