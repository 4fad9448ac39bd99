/** An API server of a test's own over TLS on loopback, which answers a group version behind another API server as a test tells it to. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type MadeCertificate, OpenSsl } from '../harness/openssl.ts';

export interface Asked {
  readonly method: string;
  readonly url: string;
  /** names and values in turn, as they came */
  readonly raw: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** common name of the client's certificate; undefined where it showed none that this server believes */
  readonly client: string | undefined;
  /** another number for each connection */
  readonly connection: number;
}

export type Answering = (request: IncomingMessage, response: ServerResponse, asked: Asked) => unknown;

/** Authority and certificates of front proxies, made once. */
export class Authorities {
  readonly ssl = new OpenSsl();
  readonly servers = this.ssl.authority('aggregated-servers');
  readonly proxies = this.ssl.authority('front-proxies');
  readonly proxy: MadeCertificate = this.ssl.leaf({ subject: '/CN=front-proxy-client', issuer: this.proxies });

  /** In base64, as an APIService has it. */
  get caBundle(): string {
    return Buffer.from(this.servers.certificate).toString('base64');
  }

  get flags(): string[] {
    return [`--proxy-client-cert-file=${this.proxy.certificateFile}`, `--proxy-client-key-file=${this.proxy.keyFile}`];
  }
}

export const json = (response: ServerResponse, value: unknown, type = 'application/json'): void =>
  void response.writeHead(200, { 'content-type': type }).end(JSON.stringify(value));

const numbers = new WeakMap<Socket, number>();

export class AggregatedServer {
  readonly server: https.Server;
  readonly asked: Asked[] = [];
  /** by paths without a query; undefined: 404 */
  readonly answers: Record<string, Answering> = {};
  answer: Answering | undefined;
  #connections = 0;

  /** @param service such as `lamps.default.svc` */
  constructor(authorities: Authorities, service: string) {
    const { certificate: cert, key } = authorities.ssl.leaf({
      subject: `/CN=${service}`,
      issuer: authorities.servers,
      host: service,
      usage: 'serverAuth',
    });
    this.server = https.createServer(
      { cert, key, ca: authorities.proxies.certificate, requestCert: true, rejectUnauthorized: false },
      (request, response) => void this.#answer(request, response),
    );
    this.server.on('secureConnection', (socket) => {
      socket.on('error', () => {});
      numbers.set(socket, this.#connections++);
    });
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Those of clients, not those by which the server in front looks whether this one answers. */
  get clients(): readonly Asked[] {
    return this.asked.filter(({ headers }) => headers['x-remote-user'] !== 'system:kube-aggregator');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const socket = request.socket as TLSSocket;
    const body = Buffer.concat(await Array.fromAsync(request).catch(() => [])).toString();
    const asked: Asked = {
      method: request.method ?? '',
      url: request.url ?? '',
      raw: request.rawHeaders,
      headers: request.headers,
      body,
      client: socket.authorized ? (socket.getPeerCertificate().subject.CN as string) : undefined,
      connection: numbers.get(socket) ?? -1,
    };
    this.asked.push(asked);
    const answer = this.answers[asked.url.split('?')[0] ?? ''] ?? this.answer;
    if (answer !== undefined) return void answer(request, response, asked);
    response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
  }
}
