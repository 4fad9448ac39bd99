/** Servers in the process of a test which send traces of their requests to a collector there. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { type ReceivedSpan, TraceCollector } from './trace-collector.ts';

/** Milliseconds in which spans wait for others. */
const SCHEDULE_DELAY = '20';

export const MAPS = '/api/v1/namespaces/default/configmaps';
export const map = (name: string, data: object = { a: '1' }) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

/** What a client says of its trace. */
export const CLIENT_TRACE = '0af7651916cd43dd8448eb211c80319c';
export const CLIENT_SPAN = 'b7ad6b7169203331';
/** In headers. */
export const OF_CLIENT = {
  traceparent: `00-${CLIENT_TRACE}-${CLIENT_SPAN}-01`,
  tracestate: 'vendor=opaque',
  baggage: 'tenant=blue,secret=none;property',
};

/** A request that was answered. */
export interface Asked {
  /** of the request, by which its span is found */
  readonly id: string;
  readonly status: number;
  readonly text: string;
}

interface Request {
  readonly body?: object | string;
  /** default: JSON */
  readonly type?: string;
  readonly headers?: Record<string, string>;
  /** default: the first server */
  readonly at?: EmbeddedServer;
}

/** The span of a request, and all of its trace. */
interface Trace {
  readonly root: ReceivedSpan;
  readonly spans: readonly ReceivedSpan[];
  /** @throws AssertionError where there is none of this name */
  named(name: string): ReceivedSpan;
}

export class TracedServers {
  /** is removed at the end */
  readonly folder = mkdtempSync(path.join(tmpdir(), 'tracing-'));
  readonly collector = new TraceCollector();
  readonly #servers: EmbeddedServer[] = [];
  #asked = 0;

  private constructor() {}

  /** With one server, of which each request is recorded. */
  static async start(): Promise<TracedServers> {
    process.env.OTEL_BSP_SCHEDULE_DELAY = SCHEDULE_DELAY;
    process.env.OTEL_RESOURCE_ATTRIBUTES = 'k8s.cluster.name=test%20cluster';
    process.env.OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Bearer%20of-the-collector';
    const traced = new TracedServers();
    await traced.collector.listen();
    await traced.another({ 'tracing-config-file': traced.configuration() });
    return traced;
  }

  /** the first one */
  get server(): EmbeddedServer {
    return this.#servers[0] as EmbeddedServer;
  }

  /** @param members besides those of a file by which the collector gets each request. @returns path of a new file */
  configuration(members: object = {}): string {
    const file = path.join(this.folder, `${Math.random()}.json`);
    const object = {
      kind: 'TracingConfiguration',
      apiVersion: 'apiserver.config.k8s.io/v1beta1',
      endpoint: this.collector.endpoint,
      samplingRatePerMillion: 1_000_000,
      ...members,
    };
    writeFileSync(file, JSON.stringify(object));
    return file;
  }

  /** Starts another server, without controllers unless flags ask for them. */
  async another(flags: NonNullable<NonNullable<Parameters<typeof startServer>[0]>['flags']> = {}): Promise<EmbeddedServer> {
    const server = await startServer({ dialect: 'kubernetes', flags: { controllers: ['-*'], ...flags } });
    this.#servers.push(server);
    return server;
  }

  /** That no other request has. */
  newId(): string {
    return `request-${this.#asked++}`;
  }

  async ask(
    method: string,
    target: string,
    { body, type = 'application/json', headers = {}, at = this.server }: Request = {},
  ): Promise<Asked> {
    const id = this.newId();
    const answer = await at.client.fetch(target, {
      method,
      headers: { 'audit-id': id, 'user-agent': 'a-client/1', ...(body && { 'content-type': type }), ...headers },
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { id, status: answer.status, text: await answer.text() };
  }

  /** Resolves when the collector has it. */
  async traceOf({ id }: Pick<Asked, 'id'>): Promise<Trace> {
    const root = await this.collector.request(id);
    const spans = this.collector.trace(root.traceId);
    const named = (name: string): ReceivedSpan => {
      const found = spans.find((each) => each.name === name);
      assert.ok(found, `${name} is none of ${spans.map((each) => each.name).join(', ')}`);
      return found as ReceivedSpan;
    };
    return { root, spans, named };
  }

  /** @param use starts servers whose spans wait for others for so many milliseconds */
  async delaying(milliseconds: number, use: () => Promise<void>): Promise<void> {
    process.env.OTEL_BSP_SCHEDULE_DELAY = String(milliseconds);
    try {
      await use();
    } finally {
      process.env.OTEL_BSP_SCHEDULE_DELAY = SCHEDULE_DELAY;
    }
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) await server.stop();
    this.collector.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
