/**
 * The thread for long requests: a whole server without a listener, whose store is that of the serving thread. It gets a second request only
 * while all of its requests wait for other servers, so its memory is mostly that of one request.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { identity as identityData } from '../../../generated/identity.ts';
import { createApp } from '../../chain/chain.ts';
import type { ChainParts, RequestAuditor } from '../../chain/chain-parts.ts';
import { connectByPort } from '../../connections/own-connections.ts';
import { createIdentity } from '../../contract/identity.ts';
import type { User } from '../../contract/request-context.ts';
import { makeForm } from '../../endpoints/handlers/long-form.ts';
import type { FormOrder } from '../../endpoints/long-form.ts';
import { MeasuredRequests } from '../../endpoints/request/measured-requests.ts';
import { FollowedFiles } from '../../files/followed-files.ts';
import type { Figures } from '../../observability/figures.ts';
import { Metrics } from '../../observability/metrics.ts';
import { giveAnswers } from '../../outbound/heard-answers.ts';
import type { LogLevel } from '../../server/log/log-lines.ts';
import { withoutSecrets } from '../../server/log/log-secrets.ts';
import { StatusError } from '../../status/status.ts';
import { RemoteStorage } from '../../storage/remote/remote-storage.ts';
import type { ContinuedTrace } from '../../tracing/continued-trace.ts';
import { createParts } from '../parts/create-parts.ts';
import { Endings } from '../setup/endings.ts';
import type { Setup } from '../setup/setup.ts';
import type { LongAnswer, LongRequest, Order, Outcome, Report, ThreadData } from './long-request-messages.ts';
import { NotedRequest } from './noted-request.ts';

const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
const { createServer, request: send } = process.getBuiltinModule('node:http');

const tell = (report: Report, handedOver: (ArrayBuffer | MessagePort)[] = []): void => parentPort?.postMessage(report, handedOver);

/** Log entries go to the serving thread, which writes them and filters by its current level. */
function logToServingThread(): Setup['log'] {
  const write = (log: LogLevel, context: object) => (fields: object, message: string) =>
    tell({ log, fields: withoutSecrets({ ...context, ...fields }) as object, message });
  const withFields = (context: object): Setup['log'] => ({
    debug: write('debug', context),
    info: write('info', context),
    warn: write('warn', context),
    error: write('error', context),
    child: (fields) => withFields({ ...context, ...fields }),
    isEnabled: () => true,
  });
  return withFields({});
}

/** A request that is being answered. */
interface UnderWay {
  readonly user: User;
  readonly recording: LongRequest['recording'];
  readonly heard: LongRequest['heard'];
  readonly skipsAdmission: LongRequest['skipsAdmission'];
  noted?: NotedRequest;
  /** absent: the request is not traced */
  readonly tracer: ContinuedTrace | undefined;
}

/** The request of each connection. Every request has a connection of its own. */
const bySocket = new WeakMap<Duplex, UnderWay>();

/** @throws Error for a request over an unknown connection */
function underWayOf({ socket }: IncomingMessage): UnderWay {
  const found = bySocket.get(socket);
  if (found === undefined) throw new Error('a request came from nowhere');
  return found;
}

interface Handlers {
  readonly requests: Requests;
  readonly form: (order: FormOrder) => Promise<Buffer>;
  /** takes what was counted since the last call; undefined: nothing */
  readonly figures: () => Figures | undefined;
}

async function createHandlers(data: ThreadData): Promise<Handlers> {
  const { dialect, parsed, administratorToken, definitions, credentials, store, externalAddress } = data;
  const identity = createIdentity(identityData, dialect);
  const log = logToServingThread();
  const setup: Setup = {
    parsed,
    identity,
    log,
    followedFiles: new FollowedFiles(),
    ...(administratorToken !== undefined && { administratorToken }),
    ...(definitions && { definitions }),
  };
  // only the thread with the listener reads certificate files again
  const certificates = { ...credentials.certificates, reread: () => certificates, renew: async () => undefined };
  const own = { ...credentials, certificates };
  const { server, featureEnabled } = await createParts(new RemoteStorage(store), setup, own, () => externalAddress, new Endings(), {
    toItself: async () => connectByPort((port) => tell({ port }, [port])),
  });
  // the serving thread measures requests, so what is measured here goes to metrics that nobody shows
  const measured = new MeasuredRequests(new Metrics(server.metrics.table), server.registry);
  const app = createApp({
    server: { ...server, measured },
    authenticator: { authenticate: (request) => underWayOf(request).user },
    auditor: noting(),
    ...(await tracing(setup, featureEnabled)),
    authorized: true,
    health: { of: () => [] },
    requestTimeout: parsed.values['request-timeout'],
  });
  return {
    requests: new Requests(app.callback()),
    form: (order) => makeForm(server, server.latestRegistry(), order),
    figures: () => {
      const taken = server.metrics.take();
      return Object.keys(taken.values).length + Object.keys(taken.histograms).length > 0 ? taken : undefined;
    },
  };
}

/**
 * The thread traces a request if the serving thread does. Calls that are made for an untraced request carry on the trace of its client, if
 * there is one.
 */
async function tracing(
  { parsed: { values } }: Setup,
  featureEnabled: (gate: string) => boolean,
): Promise<Pick<ChainParts, 'tracer' | 'untraced'>> {
  if (!featureEnabled('APIServerTracing')) return {};
  if (values['tracing-config-file'] === '') return { untraced: (passedOn) => ({ passedOn }) };
  const [{ unrecordedCalls }, { clientTracer }] = await Promise.all([
    import('../../tracing/tracer.ts'),
    import('../parts/client-tracer.ts'),
  ]);
  const tracer = clientTracer((request, { req }) => underWayOf(req).tracer?.begin(request));
  return { tracer, untraced: (headers) => unrecordedCalls(headers) };
}

function noting(): RequestAuditor {
  return {
    begin(request, { req }) {
      const current = underWayOf(req);
      if (current.skipsAdmission === true) request.skipsAdmission = true;
      if (current.heard !== undefined) {
        giveAnswers(request, current.heard.answers);
        request.give(current.heard.choices);
      }
      if (current.recording === undefined) return undefined;
      current.noted = new NotedRequest(request, current.recording);
      request.recorder = current.noted;
      return undefined;
    },
    refuse() {},
  };
}

/** Answers requests over connections inside of this process, by Node's HTTP server. */
class Requests {
  readonly #server;

  constructor(handler: RequestListener) {
    // a request that came over HTTP/2 may have no host
    this.#server = createServer({ requireHostHeader: false }, handler);
  }

  /** @param signal aborts the request at once. @throws the reason of `signal` if it is aborted already */
  answer({ method, url, headers, body }: LongRequest, underWay: UnderWay, signal: AbortSignal): Promise<LongAnswer> {
    signal.throwIfAborted();
    const [ours, theirs] = duplexPair();
    bySocket.set(theirs, underWay);
    // the server's end is destroyed: if the client's end closed, the server would see the end of input but continue
    signal.addEventListener('abort', () => theirs.destroy(), { once: true });
    this.#server.emit('connection', theirs);
    return new Promise<LongAnswer>((resolve, reject) => {
      const request = send({ method, path: url, createConnection: () => ours, setHost: false }, (answer) => {
        collect(answer).then(resolve, reject);
      });
      request.on('error', reject);
      for (const [name, value] of headers) request.appendHeader(name, value);
      if (body.length > 0) request.setHeader('content-length', body.length);
      request.end(Buffer.from(body.buffer, body.byteOffset, body.length));
    });
  }
}

/** Headers that belong to the inner connection, and so are not sent to the client. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'content-length', 'transfer-encoding', 'date']);

async function collect(answer: IncomingMessage): Promise<LongAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const { rawHeaders } = answer;
  const headers: [string, string][] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    if (!OF_CONNECTION.has(name)) headers.push([name, rawHeaders[i + 1] as string]);
  }
  return { status: answer.statusCode as number, headers, body: new Uint8Array(Buffer.concat(chunks)) };
}

const handlers = createHandlers(workerData as ThreadData);

/** Aborts tasks by their id. Each controller is set before the task waits for anything, so that no abort comes too early. */
const endings = new Map<number, AbortController>();

let figures: Handlers['figures'] = () => undefined;
handlers.then(
  (made) => {
    figures = made.figures;
  },
  // each task reports this error
  () => {},
);

const finish = (id: number, outcome: Outcome, handedOver?: ArrayBuffer[]): void => tell({ id, ...outcome, figures: figures() }, handedOver);

async function answer(id: number, request: LongRequest): Promise<void> {
  const { user, recording, heard, skipsAdmission, trace } = request;
  const ending = new AbortController();
  endings.set(id, ending);
  try {
    const tracer = trace && new (await import('../../tracing/continued-trace.ts')).ContinuedTrace(trace);
    const current: UnderWay = { user, recording, heard, skipsAdmission, tracer };
    const answered = await (await handlers).requests.answer(request, current, ending.signal);
    const spans = tracer && { spans: tracer.end() };
    finish(id, { answered: { ...answered, noted: current.noted?.noted, ...spans } }, [answered.body.buffer]);
  } catch (error) {
    finish(id, { failed: String(error) });
  } finally {
    endings.delete(id);
  }
}

async function form(id: number, order: FormOrder): Promise<void> {
  try {
    const formed = new Uint8Array(await (await handlers).form(order));
    finish(id, { formed }, [formed.buffer]);
  } catch (error) {
    finish(id, error instanceof StatusError ? { refused: error.status } : { failed: (error as Error).stack ?? String(error) });
  }
}

parentPort?.on('message', (order: Order) => {
  if ('abort' in order) endings.get(order.abort)?.abort();
  else void ('form' in order ? form(order.id, order.form) : answer(order.id, order.answer));
});
