/** A conversion webhook over TLS on loopback: it answers what a test tells it to, and remembers what it was asked. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { OpenSsl } from '../../harness/openssl.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into reviews of both versions, and break them
export type Review = any;

export type Reply = (review: Review, response: ServerResponse, request: IncomingMessage) => void;

/** The host names that the webhook's certificates are for. */
export const ADDRESS = '127.0.0.1';
export const SERVICE = 'hook.default.svc';

/** `v1` says `one` where `v2` says `two`, backwards; `v3` says `three`, as `v1`. */
export function convertedMembers({ spec, ...object }: ApiObject, apiVersion: string): ApiObject {
  const { one, two, three, ...others } = spec ?? {};
  const text: string = one ?? three ?? reversed(two ?? '');
  const version = apiVersion.slice(-2);
  const named = { v1: { one: text }, v2: { two: reversed(text) }, v3: { three: text } }[version];
  return { ...object, apiVersion, spec: { ...others, ...named } };
}

export const reversed = (text: string): string => [...text].reverse().join('');

export const success = ({ apiVersion, kind, request: { uid, desiredAPIVersion, objects } }: Review): Review => ({
  apiVersion,
  kind,
  response: {
    uid,
    convertedObjects: objects.map((object: ApiObject) => convertedMembers(object, desiredAPIVersion)),
    result: { status: 'Success' },
  },
});

export const send = (response: ServerResponse, value: unknown): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(typeof value === 'string' ? value : JSON.stringify(value));

export const converting: Reply = (review, response) => send(response, success(review));

export class ConversionWebhook {
  readonly asked: Review[] = [];
  /** of the requests: method and path with the query */
  readonly requests: string[] = [];
  reply: Reply = converting;
  readonly #ssl = new OpenSsl();
  readonly #server: https.Server;
  readonly #authority = this.#ssl.authority('webhooks');

  constructor() {
    const { key, certificate: cert } = this.#leaf(ADDRESS);
    this.#server = https.createServer({ key, cert }, (request, response) => void this.#answer(request, response));
    const service = this.#leaf(SERVICE);
    this.#server.addContext(SERVICE, { key: service.key, cert: service.certificate });
  }

  async start(): Promise<this> {
    this.#server.listen(0, ADDRESS);
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://${ADDRESS}:${this.port}/convert`;
  }

  /** by which clients believe it, as objects hold it */
  get caBundle(): string {
    return Buffer.from(this.#authority.certificate).toString('base64');
  }

  /** another one, by which it is not believed */
  otherBundle(): string {
    return Buffer.from(this.#ssl.authority('others').certificate).toString('base64');
  }

  /** From now on it shows a certificate for another host, or one that is valid no longer. */
  show(options: { readonly host?: string; readonly days?: number }): void {
    const { key, certificate: cert } = this.#leaf(options.host ?? ADDRESS, options.days);
    this.#server.setSecureContext({ key, cert });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    this.#ssl.remove();
  }

  #leaf(host: string, days = 10) {
    return this.#ssl.leaf({ subject: '/CN=webhook', issuer: this.#authority, usage: 'serverAuth', host, days });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push(`${request.method} ${request.url}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString());
    this.asked.push(review);
    this.reply(review, response, request);
  }
}
