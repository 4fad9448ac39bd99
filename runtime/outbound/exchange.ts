/** One request to another server, bounded in time and in the size of the answer. A POST is repeated where the same server wants it; who reads follows redirects itself. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { AnswerHeaders } from '../client/transport/answer-reader.ts';
import { AskingTransport } from '../client/transport/asking-transport.ts';
import type { ConnectionSettings } from '../client/transport/connection-settings.ts';
import { plainMessage } from '../client/transport/tls-failure.ts';
import { ConnectionError } from '../client/transport/transport.ts';
import { OutOfTime } from '../client/transport/whole-exchange.ts';
import { checkServerIdentity } from '../connections/server-identity.ts';
import type { TraceParent } from '../contract/trace.ts';
import { type RequestCounting, RequestFigures } from './request-figures.ts';
import { passedOnHeaders } from './trace-headers.ts';

/** Another server. Requests without a URL go to its URL. */
export interface Peer extends ConnectionSettings {
  /** the metrics that count requests to it; absent if nobody counts them */
  readonly metrics?: RequestCounting;
}

export interface Exchange {
  readonly method: 'GET' | 'POST';
  /** absent for the URL of the peer */
  readonly url?: URL;
  /** the header `Authorization`; absent for the credentials of the peer */
  readonly authorization?: string | undefined;
  /** a value that is sent as JSON */
  readonly body?: unknown;
  /** JSON text that is sent unchanged, instead of `body` */
  readonly json?: string;
  /** the milliseconds for the whole exchange */
  readonly timeout: number;
  /** gives it up */
  readonly signal?: AbortSignal | undefined;
  /** bytes of the answer's body at most */
  readonly maxBytes: number;
  /** on whose behalf the other server is asked; absent: it is told of no trace */
  readonly parent?: TraceParent | undefined;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
}

/** A request that got no whole answer. */
export class ExchangeError extends Error {}

export class ExchangeTimeout extends ExchangeError {}

/** The server has led on more often than anybody follows. */
export class LedOn extends ExchangeError {
  /** where the last redirect leads, as it says it */
  readonly location: string;

  constructor(location: string) {
    super(`stopped after ${MOST_REDIRECTS} redirects`);
    this.location = location;
  }
}

/** How many times one question is asked where each answer leads on, as in 1.32. */
export const MOST_REDIRECTS = 10;
/** Those that keep the method and the body of what is asked; of the others 1.32 makes a GET, which no webhook answers. */
const REPEATING: ReadonlySet<number> = new Set([307, 308]);

/** Connections that are kept for later, where the peer's settings say nothing of it. */
const IDLE_CONNECTIONS = 4;

/** A peer with the connections to it that are kept for later. */
export class PeerConnection {
  readonly #url: URL;
  readonly #transport: AskingTransport;
  readonly #figures: RequestFigures | undefined;

  /** @throws TypeError for a peer whose URL is none of http or https */
  constructor({ metrics, ...settings }: Peer) {
    this.#url = new URL(settings.server);
    this.#transport = new AskingTransport({ limits: { idle: IDLE_CONNECTIONS }, checkServerIdentity, ...settings });
    this.#figures = metrics && new RequestFigures(metrics, String(settings.server));
  }

  /** @throws ExchangeError without a whole answer; the reason of the signal */
  async exchange(question: Exchange): Promise<ExchangeAnswer> {
    const until = performance.now() + question.timeout;
    let asked = question;
    for (let times = 1; ; times++) {
      const answer = await this.#ask(asked);
      const { location } = answer.headers;
      const { url: from = this.#url } = asked;
      const isRepeated = question.method === 'POST' && REPEATING.has(answer.status) && location !== undefined;
      const next = isRepeated ? URL.parse(location, from) : null;
      // what another server would be told may be meant for nobody but this one
      if (next === null || next.origin !== from.origin) return answer;
      if (times === MOST_REDIRECTS) throw new LedOn(location as string);
      asked = { ...question, url: next, timeout: Math.max(1, until - performance.now()) };
    }
  }

  async #ask({ method, url = this.#url, authorization, body, json, timeout, maxBytes, signal, parent }: Exchange): Promise<ExchangeAnswer> {
    const payload = json ?? (body === undefined ? undefined : JSON.stringify(body));
    const call = parent?.beginCall?.(method, url, payload);
    const figures = this.#figures?.begin(method, Buffer.byteLength(payload ?? ''));
    const headers = {
      // as clients of 1.32 say it, who read whatever they get
      accept: 'application/json, */*',
      ...(authorization !== undefined && { authorization }),
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...(call?.headers ?? (parent?.passedOn && passedOnHeaders(parent.passedOn))),
    };
    try {
      // a question may be asked twice
      const asked = {
        method,
        path: url,
        headers,
        timeout,
        maxBytes,
        signal,
        repeatable: true,
        ...(payload !== undefined && { body: payload }),
      };
      const answer = await unpacked(await this.#transport.ask(asked), maxBytes);
      figures?.answered(answer.status, answer.body.length);
      call?.end(answer.status, Number(answer.headers['content-length'] ?? 0));
      return answer;
    } catch (error) {
      figures?.failed();
      call?.end(error as Error);
      if (signal?.aborted === true) throw signal.reason;
      const what = `${method} ${url.origin}${url.pathname}`;
      if (error instanceof OutOfTime) throw new ExchangeTimeout(`${what}: no answer in ${timeout} ms`, { cause: error });
      const cause = error instanceof ConnectionError ? error.cause : error;
      throw new ExchangeError(`${what}: ${plainMessage(cause)}`, { cause });
    }
  }

  /** Ends the connections that are kept. */
  close(): void {
    void this.#transport.close();
  }
}

const unpack = promisify(gunzip);

/** @throws Error where it is larger, or is not packed as it says */
async function unpacked(answer: ExchangeAnswer, maxBytes: number): Promise<ExchangeAnswer> {
  if (answer.headers['content-encoding'] !== 'gzip') return answer;
  try {
    return { ...answer, body: await unpack(answer.body, { maxOutputLength: maxBytes }) };
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? new Error(`the answer is larger than ${maxBytes} bytes`)
      : error;
  }
}
