/**
 * The thread for requests with long bodies: a whole server without a listener, whose store the serving thread has. It answers one request after the
 * other, so its memory is that of one.
 */
import type { IncomingMessage, ClientRequest as OutgoingRequest, RequestListener } from 'node:http';
import { duplexPair } from 'node:stream';
import { identity as identityData } from '../../generated/identity.ts';
import { type ChainParts, createApp, type RequestAuditor } from '../chain/chain.ts';
import { createIdentity } from '../contract/identity.ts';
import type { User } from '../contract/request-context.ts';
import { makeForm } from '../endpoints/handlers/long-form.ts';
import type { FormOrder } from '../endpoints/long-form.ts';
import { FollowedFiles } from '../files/followed-files.ts';
import type { LogLevel } from '../server/log-lines.ts';
import { withoutSecrets } from '../server/log-secrets.ts';
import { StatusError } from '../status/status.ts';
import { RemoteStorage } from '../storage/remote/remote-storage.ts';
import type { ContinuedTrace } from '../tracing/continued-trace.ts';
import { createParts } from './create-parts.ts';
import { Endings } from './endings.ts';
import type { LongAnswer, LongRequest, Order, Report, ThreadData } from './long-request-messages.ts';
import { NotedRequest } from './noted-request.ts';
import type { Setup } from './setup.ts';

const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
const { createServer, request: send } = process.getBuiltinModule('node:http');

const tell = (report: Report, handedOver: ArrayBuffer[] = []): void => parentPort?.postMessage(report, handedOver);

/** The serving thread writes what this one has to say, and knows how much it is to be: that may have changed. */
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

/** The request that is being answered. */
interface UnderWay {
  readonly user: User;
  readonly recording: LongRequest['recording'];
  noted?: NotedRequest;
  /** absent: it is not traced */
  readonly tracer: ContinuedTrace | undefined;
}

async function createHandlers(
  data: ThreadData,
  underWay: () => UnderWay,
): Promise<{ readonly requests: Requests; readonly form: (order: FormOrder) => Promise<Buffer> }> {
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
  // certificates are only read where the listener is
  const certificates = { ...credentials.certificates, reread: () => certificates };
  const own = { ...credentials, certificates };
  const { server, featureEnabled } = await createParts(new RemoteStorage(store), setup, own, () => externalAddress, new Endings());
  const app = createApp({
    server,
    authenticator: { authenticate: () => underWay().user },
    auditor: noting(underWay),
    ...(await tracing(setup, featureEnabled, underWay)),
    authorized: true,
    health: { of: () => [] },
    requestTimeout: parsed.values['request-timeout'],
  });
  return { requests: new Requests(app.callback()), form: (order) => makeForm(server, server.latestRegistry(), order) };
}

/** Requests are traced where the serving thread traces them; others are part of what they are part of there. */
async function tracing(
  { parsed: { values } }: Setup,
  featureEnabled: (gate: string) => boolean,
  underWay: () => UnderWay,
): Promise<Pick<ChainParts, 'tracer' | 'untraced'>> {
  if (!featureEnabled('APIServerTracing')) return {};
  if (values['tracing-config-file'] === '') return { untraced: (passedOn) => ({ passedOn }) };
  const [{ unrecordedCalls }, { clientTracer }] = await Promise.all([import('../tracing/tracer.ts'), import('./client-tracer.ts')]);
  return { tracer: clientTracer((request) => underWay().tracer?.begin(request)), untraced: (headers) => unrecordedCalls(headers) };
}

function noting(underWay: () => UnderWay): RequestAuditor {
  return {
    begin(request) {
      const current = underWay();
      if (current.recording === undefined) return undefined;
      current.noted = new NotedRequest(request, current.recording);
      request.recorder = current.noted;
      return undefined;
    },
    refuse() {},
  };
}

/** Answers as a server of HTTP does, over a connection that nobody else sees. */
class Requests {
  readonly #server;
  #underWay: OutgoingRequest | undefined;

  constructor(handler: RequestListener) {
    // of HTTP/2 it need not be there
    this.#server = createServer({ requireHostHeader: false }, handler);
  }

  answer({ method, url, headers, body }: LongRequest): Promise<LongAnswer> {
    const [ours, theirs] = duplexPair();
    this.#server.emit('connection', theirs);
    return new Promise((resolve, reject) => {
      const request = send({ method, path: url, createConnection: () => ours, setHost: false }, (answer) => {
        collect(answer).then(resolve, reject);
      });
      this.#underWay = request;
      request.on('error', reject);
      for (const [name, value] of headers) request.appendHeader(name, value);
      if (body.length > 0) request.setHeader('content-length', body.length);
      request.end(Buffer.from(body.buffer, body.byteOffset, body.length));
    });
  }

  abort(): void {
    this.#underWay?.destroy();
  }
}

/** What belongs to the connection is not the client's. */
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

let underWay: UnderWay | undefined;
const handlers = createHandlers(workerData as ThreadData, () => underWay as UnderWay);

async function answer(request: LongRequest): Promise<void> {
  const { user, recording, trace } = request;
  const tracer = trace && new (await import('../tracing/continued-trace.ts')).ContinuedTrace(trace);
  const current: UnderWay = { user, recording, tracer };
  underWay = current;
  try {
    const answered = await (await handlers).requests.answer(request);
    const spans = tracer && { spans: tracer.end() };
    tell({ answered: { ...answered, noted: current.noted?.noted, ...spans } }, [answered.body.buffer]);
  } catch (error) {
    tell({ failed: String(error) });
  }
}

async function form(order: FormOrder): Promise<void> {
  try {
    const formed = new Uint8Array(await (await handlers).form(order));
    tell({ formed }, [formed.buffer]);
  } catch (error) {
    tell(error instanceof StatusError ? { refused: error.status } : { failed: (error as Error).stack ?? String(error) });
  }
}

parentPort?.on('message', async (order: Order) => {
  if (order === 'abort') (await handlers).requests.abort();
  else void ('form' in order ? form(order.form) : answer(order.answer));
});
