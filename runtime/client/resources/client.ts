/** A client of one server. It has few methods of its own: `resource` gives those of a resource, functions beside it do the rest. */
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
  /** that `in()` means; default `default` */
  readonly namespace?: string | undefined;
  /** of writes that name none */
  readonly fieldManager?: string | undefined;
  /** told what the server warns of, such as versions that go */
  readonly onWarning?: ((warning: string) => void) | undefined;
  /** absent: requests are sent at once, and the server says whose turn it is */
  readonly requestRate?: RequestRate | undefined;
}

/** How often a client asks: all its requests, with watches, repetitions, and those that lead through the server. */
export interface RequestRate {
  /** on the average; more than 0 */
  readonly perSecond: number;
  /** at once before that counts, 1 or more; default 10 */
  readonly burst?: number;
}

/** As in 1.32, of a request that the server wants again later. */
const MAX_REPEATS = 10;
/** Of a GET whose connection ended before its answer had. */
const MAX_RECONNECTS = 3;
const FIRST_PAUSE = 100;
/** Bytes of an error's text. */
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

  /** @throws TypeError for a server that is no http or https URL; RangeError for a rate that is none */
  constructor(connection: ConnectionSettings, { identity, namespace = 'default', fieldManager, onWarning, requestRate }: ClientOptions) {
    this.identity = identity;
    this.defaultNamespace = namespace;
    this.fieldManager = fieldManager;
    this.#transport = new Transport({ ...connection, userAgent: connection.userAgent ?? programAgent() });
    this.#onWarning = onWarning;
    this.#compresses = connection.disableCompression !== true;
    this.#rate = requestRate && rateOf(requestRate);
  }

  /** What can be done with a resource. One that is in namespaces wants to know in which (`in`) for most of it. */
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

  /** What only reads may be asked again where its connection ended, unless the client has ended it. */
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

  /** For as long as the server wants it again later. */
  async #repeated(request: ClientRequest, ending: AbortSignal): Promise<TransportAnswer> {
    for (let repeats = 0; ; repeats++) {
      await this.#turn(ending, request.signal);
      const answer = await this.#exchange(request);
      for (const warning of warningsOf(answer.headers.warning)) this.#onWarning?.(warning);
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

  /** Ends all connections, those of requests and watches under way as well; later requests make new ones. Resolves when nothing of them is left. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Waits until the client may ask again. @throws the reason of the signal, or of `ending` */
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

const BURST = 10;

function rateOf({ perSecond, burst = BURST }: RequestRate): Rate {
  if (perSecond > 0 && burst >= 1) return new Rate(perSecond, burst, () => performance.now());
  throw new RangeError(`requestRate: perSecond must be more than 0, and burst 1 or more; they are ${perSecond} and ${burst}`);
}

/** @throws the reason of the signal; `error`, for which it is to be asked again, where the client is closed */
async function pauseBefore(milliseconds: number, error: unknown, ending: AbortSignal, signal = ending): Promise<void> {
  await pause(milliseconds, AbortSignal.any([signal, ending])).catch((reason) => {
    throw ending.aborted ? error : reason;
  });
}

const described = ({ method, path }: ClientRequest): string => `${method} ${path.split('?', 1)[0]}`;
