/** The agent's HTTPS server. It authenticates and authorizes each request, and then passes it to the route of the part of the agent that answers it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { FileWatch } from '../../files/file-watch.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { type Listener, listen } from '../../server/listener/listen.ts';
import type { ServingTls } from '../../server/listener/serving-tls.ts';
import { StatusError } from '../../status/status.ts';
import { type AgentAnswer, AgentProblem, type AgentRoute, textAnswer } from '../contract/part.ts';
import { Access, type AccessParts } from './access.ts';
import { Routing } from './routing.ts';
import { type ServingIdentity, type ServingIdentityOptions, servingIdentity } from './serving-identity.ts';

export interface AgentServerOptions extends AccessParts, Omit<ServingIdentityOptions, 'renewed'> {
  readonly routes: readonly AgentRoute[];
}

/** Milliseconds between looks at the file of the authorities. */
const INTERVAL = 60_000;
/** Milliseconds that requests under way have to end when the server stops. */
const STOP_GRACE = 5_000;
const FLAGS = { address: '--address', port: '--port' };

export class AgentServer {
  readonly #options: AgentServerOptions;
  readonly #access: Access;
  readonly #routing: Routing;
  readonly #serving: ServingIdentity;
  readonly #watch: FileWatch | undefined;
  readonly #ending = new AbortController();
  #listener: Listener | undefined;
  #authorities: readonly string[];

  private constructor(options: AgentServerOptions, authorities: readonly string[], serving: ServingIdentity) {
    this.#options = options;
    this.#authorities = authorities;
    this.#access = new Access(options, authorities);
    this.#routing = new Routing(options.routes);
    this.#serving = serving;
    this.#watch = this.#follow();
  }

  /** Starts to listen. @throws Error if a file of certificates, the address or the port cannot be used */
  static async start(options: AgentServerOptions): Promise<AgentServer> {
    let server: AgentServer | undefined;
    const serving = await servingIdentity({ ...options, renewed: () => server?.renew() });
    const started = new AgentServer(options, authoritiesOf(options), serving);
    server = started;
    const { address = '0.0.0.0', port = 0 } = options.configuration;
    started.#listener = await listen({
      handler: (request: IncomingMessage, response: ServerResponse) => void started.#answer(request, response),
      tls: started.#tls(),
      address,
      port,
      flags: FLAGS,
    });
    return started;
  }

  /** The port that the server listens on, which the system has chosen if the configuration says 0. */
  get port(): number {
    return this.#listener?.port ?? 0;
  }

  /** Uses the current serving certificate and authorities of clients for new connections. */
  renew(): void {
    this.#listener?.renew(this.#tls());
  }

  async stop(): Promise<void> {
    this.#ending.abort(new Error('the agent is ending'));
    this.#watch?.close();
    await this.#listener?.close(STOP_GRACE);
    await this.#serving.stop();
    this.#access.close();
  }

  #tls(): ServingTls {
    const { tlsMinVersion, tlsCipherSuites = [] } = this.#options.configuration;
    return {
      ...this.#serving.current(),
      clientAuthorities: this.#authorities,
      minVersion: tlsMinVersion === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2',
      ...(tlsCipherSuites.length > 0 && { cipherSuites: tlsCipherSuites }),
    };
  }

  #follow(): FileWatch | undefined {
    const { configuration, log } = this.#options;
    const file = configuration.authentication?.x509?.clientCAFile;
    if (!file) return undefined;
    return new FileWatch({
      file,
      text: this.#authorities[0] ?? '',
      interval: INTERVAL,
      changed: async (text) => {
        this.#access.trust([text]);
        this.#authorities = [text];
        this.renew();
      },
      failed: (error) => log.error({ err: error, file }, 'the new authorities of clients are not used'),
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('the client has gone')));
    const signal = AbortSignal.any([gone.signal, this.#ending.signal]);
    const answer = await this.#answerTo(request, signal).catch((error: unknown) => this.#problem(error));
    if (signal.aborted && gone.signal.aborted) return;
    response.writeHead(answer.status, { ...answer.headers, 'content-type': answer.contentType });
    response.end(request.method === 'HEAD' ? undefined : answer.body);
  }

  async #answerTo(request: IncomingMessage, signal: AbortSignal): Promise<AgentAnswer> {
    const { method = 'GET', url = '/' } = request;
    const mark = url.indexOf('?');
    const [path, query] = mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
    const waiting = { signal };
    const user = await this.#access.authenticate(request, path, waiting);
    const { routes, parameters } = this.#found(path);
    await this.#access.authorize(user, method, routes[0]?.subresource ?? 'proxy', waiting);
    const served = routes.filter(({ isServed }) => isServed?.() !== false);
    if (served.length === 0) return textAnswer('404 page not found\n', 404);
    const wanted = method === 'HEAD' ? 'GET' : method;
    const route = served.find((each) => each.method === wanted);
    if (route === undefined)
      return { ...textAnswer('405: Method Not Allowed\n', 405), headers: { allow: served.map((each) => each.method).join(', ') } };
    return route.handle({ parameters, query: new URLSearchParams(query), user, signal });
  }

  /** @throws AgentProblem 400 if the path has a broken percent-encoding */
  #found(path: string): ReturnType<Routing['find']> {
    try {
      return this.#routing.find(path);
    } catch (error) {
      if (error instanceof URIError) throw new AgentProblem(400, 'the path is not encoded well');
      throw error;
    }
  }

  #problem(error: unknown): AgentAnswer {
    if (error instanceof AgentProblem) return { ...textAnswer(`${error.message}\n`, error.status), headers: error.headers };
    if (error instanceof StatusError) return textAnswer(`${error.status.reason ?? error.message}\n`, error.status.code ?? 500);
    this.#options.log.debug({ err: error }, 'a request failed');
    return textAnswer(`${error instanceof Error ? error.message : String(error)}\n`, 500);
  }
}

/** The most bytes that the file of the authorities may have: enough for many thousands of certificates. */
const MOST_AUTHORITIES = 64 * 1024 * 1024;

/** @returns the PEM text of the file of authorities; nothing if the configuration names none. @throws Error that names the field if the file cannot be read */
function authoritiesOf({ configuration }: AgentServerOptions): readonly string[] {
  const file = configuration.authentication?.x509?.clientCAFile ?? '';
  if (file === '') return [];
  try {
    return [readRegularFile(file, MOST_AUTHORITIES)];
  } catch (error) {
    throw new Error(`authentication.x509.clientCAFile: ${(error as Error).message}`, { cause: error });
  }
}

/** Starts a server without TLS that answers `/healthz`, for programs on this machine. The caller closes it. @throws Error of the system if it cannot listen */
export async function serveHealth(address: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    const isHealth = request.url?.split('?', 1)[0] === '/healthz';
    response.writeHead(isHealth ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' }).end(isHealth ? 'ok' : '404 page not found\n');
  });
  server.listen({ host: address, port });
  await once(server, 'listening');
  return server;
}
