/** Questions to webhooks, which are posted as JSON to an address or to a service of this cluster. What goes wrong is said in the words of 1.32. */
import { lookup as lookupName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { posix } from 'node:path';
import type { Target, Tunnel } from '../client/transport/tunnel.ts';
import type { TraceParent } from '../contract/trace.ts';
import { directTunnel } from './direct-tunnel.ts';
import type { Egress } from './egress.ts';
import { type ExchangeAnswer, type Peer, PeerConnection } from './exchange.ts';
import { repeatedWhenAsked } from './retries.ts';
import { answerBody, callFailure } from './webhook-failure.ts';

/** The place of a webhook, as objects state it. Either `url` or `service` is set. */
export interface WebhookPlace {
  /** an https address */
  readonly url?: string;
  readonly service?: WebhookService;
  /** PEM text, in base64, of the authorities by which the webhook is trusted; absent or empty for the authorities that Node knows */
  readonly caBundle?: string | null;
}

export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  /** 443 by default */
  readonly port?: number;
}

/** One port of a service. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Where connections to services lead. It is asked for each connection, because that may change. */
export interface ServiceRoutes {
  /** @throws Error with a text for clients where there is no such service, or where it leads nowhere */
  readonly resolve: (service: ServicePort) => Target;
  /** whether that may be another port than that of the service, as it is with endpoints; default false */
  readonly changesPorts?: boolean;
  /** absent: webhooks behind the service of this server are reached as any other */
  readonly itself?: OwnPlace;
}

/** The service of this server. Webhooks behind it, such as those of aggregated servers, are asked by the server's own connections to itself. */
export interface OwnPlace {
  /** with the port, such as `kubernetes.default.svc:443` */
  readonly host: string;
  /** makes connections to the server, on which it knows itself and which nobody else can listen to: so they have no TLS */
  readonly tunnel: Tunnel;
}

export interface WebhookClientOptions {
  readonly serviceRoutes: ServiceRoutes;
  /** services are in the cluster, and others where this server is; absent: all are reached directly */
  readonly egress?: Egress | undefined;
  /** the whole seconds for one question; default 30 */
  readonly seconds?: number;
  /** see `Peer.metrics` */
  readonly metrics?: Peer['metrics'];
  /** the header `User-Agent`; absent: none */
  readonly userAgent?: string;
  /** the credentials by which the webhook is asked; absent for none */
  readonly credentials?: Pick<Peer, 'credentials' | 'impersonate'>;
}

/** The limits of one question. */
export interface QuestionLimits {
  /** the most bytes of the answer */
  readonly maxBytes: number;
  /** the whole seconds until there must be an answer; absent for those of the client */
  readonly seconds?: number;
  /** gives the question up when it is aborted */
  readonly signal?: AbortSignal | undefined;
  /** true: the signal is aborted when the seconds are over, for a reason that counts more than that */
  readonly endsBySignal?: boolean;
  /** on whose behalf the webhook is asked; absent: it is told of no trace */
  readonly parent?: TraceParent | undefined;
}

/** Seconds for an answer where nobody says how many, as in 1.32. */
const SECONDS = 30;
/** Milliseconds for the signal to be aborted in. */
const SIGNAL_IN = 1_000;
/** To one webhook: as many as there may be requests that wait for it, of which those are kept that many writers use again and again. */
const CONNECTIONS = { open: 1_024, idle: 64 };
const HTTPS = 443;
/** What clients of Go say where they are told nothing, as 1.32 does when it asks itself. */
const OWN_AGENT = 'Go-http-client/1.1';

export class WebhookClient {
  readonly #connection: PeerConnection;
  readonly #seconds: number;
  /** the address of the webhook in errors, without its query */
  readonly #address: string;
  /** the one that is asked */
  readonly #asked: string;
  /** where the last question went; it is cached, because most questions have the same time limit */
  #place: { readonly seconds: number; readonly address: string; readonly url: URL } | undefined;

  constructor(place: WebhookPlace, options: WebhookClientOptions) {
    const { url, service } = place;
    const { serviceRoutes, metrics, seconds = SECONDS } = options;
    const base = service ? serviceBase(service) : baseOf(url ?? '');
    this.#address = `${base.origin}${base.path}`;
    this.#seconds = seconds;
    const itself = isItself(place, serviceRoutes) ? serviceRoutes.itself : undefined;
    this.#asked = itself ? `http://${itself.host}${base.path}` : this.#address;
    this.#connection = new PeerConnection({
      server: this.#asked,
      ...(metrics && { metrics }),
      limits: CONNECTIONS,
      ...(itself ? { userAgent: OWN_AGENT, tunnel: itself.tunnel } : accessTo(place, options)),
    });
  }

  /**
   * @param json the question
   * @returns the answer, which has some bytes
   * @throws WebhookError; the reason of the signal
   */
  async post(json: string, limits: QuestionLimits): Promise<Buffer> {
    return answerBody(await this.#exchange(json, limits));
  }

  async #exchange(json: string, { maxBytes, seconds, signal, endsBySignal = false, parent }: QuestionLimits): Promise<ExchangeAnswer> {
    const limit = seconds ?? this.#seconds;
    const timeout = limit * 1_000 + (endsBySignal ? SIGNAL_IN : 0);
    const { address, url } = this.#placeFor(limit);
    try {
      return await repeatedWhenAsked(
        (left) => this.#connection.exchange({ method: 'POST', url, json, timeout: left, maxBytes, signal, parent }),
        timeout,
        signal,
      );
    } catch (error) {
      throw callFailure(error, address, seconds === undefined);
    }
  }

  /** The webhook is told how long anybody waits. */
  #placeFor(seconds: number): { readonly address: string; readonly url: URL } {
    if (this.#place?.seconds === seconds) return this.#place;
    const address = `${this.#address}?timeout=${seconds}s`;
    this.#place = { seconds, address, url: new URL(`${this.#asked}?timeout=${seconds}s`) };
    return this.#place;
  }

  /** Ends the connections that are kept. */
  close(): void {
    this.#connection.close();
  }
}

/** Whether a webhook is behind this server itself, which it believes whatever authorities the webhook states. */
export const isItself = (place: WebhookPlace, { itself }: ServiceRoutes): boolean =>
  itself !== undefined && webhookHost(place) === itself.host;

/** The host and the port by which credentials for a webhook are found, such as `hook.default.svc:443`. */
export function webhookHost({ url, service }: WebhookPlace): string {
  if (service) return `${service.name}.${service.namespace}.svc:${service.port ?? HTTPS}`;
  const { host, port } = new URL(url ?? '');
  return port === '' ? `${host}:${HTTPS}` : host;
}

/** The name or address that the certificate of a webhook must have. */
export function webhookName({ url, service }: WebhookPlace): string {
  return service ? `${service.name}.${service.namespace}.svc` : new URL(url ?? '').hostname.replace(/^\[|\]$/g, '');
}

interface Base {
  readonly origin: string;
  readonly path: string;
}

/** Splits an address as it is written, so that errors show a port only if the address has one. */
function baseOf(url: string): Base {
  return { origin: /^[^/]*\/\/[^/?#]*/.exec(url)?.[0] ?? '', path: cleanPath(new URL(url).pathname) };
}

function serviceBase({ namespace, name, path = '', port = HTTPS }: WebhookService): Base {
  return { origin: `https://${name}.${namespace}.svc:${port}`, path: cleanPath(path) };
}

/** Normalizes a path, and removes a slash at its end. */
const cleanPath = (path: string): string => posix.join('/', path).replace(/(?<=.)\/$/, '');

/** How a webhook outside of this server is reached and trusted, and who asks it. */
function accessTo(
  { service, caBundle }: WebhookPlace,
  { serviceRoutes, egress, userAgent, credentials }: WebhookClientOptions,
): Omit<Peer, 'server' | 'limits' | 'metrics'> {
  const tunnel = egress?.tunnel(service ? 'cluster' : 'controlplane');
  return {
    ...(userAgent !== undefined && { userAgent }),
    ...(caBundle && { certificateAuthority: Buffer.from(caBundle, 'base64').toString() }),
    ...(service ? wayTo(service, serviceRoutes, tunnel) : tunnel && { tunnel }),
    ...credentials,
  };
}

/** @param tunnel leads to services; absent: they are reached directly */
function wayTo(service: WebhookService, routes: ServiceRoutes, tunnel: Tunnel | undefined): Pick<Peer, 'lookup' | 'proxy' | 'tunnel'> {
  const { namespace, name, port = HTTPS } = service;
  const find = (): Target => routes.resolve({ namespace, name, port });
  // proxies know addresses, but not the names of services; a connection whose port is found with its host is made here
  const through = tunnel ?? (routes.changesPorts === true ? directTunnel : undefined);
  // no proxy outside of the cluster knows its services
  return { lookup: lookupOf(find), proxy: '', ...(through && { tunnel: async (_target: Target, signal) => through(find(), signal) }) };
}

function lookupOf(find: () => Target): LookupFunction {
  return (_host, options, callback) => {
    try {
      lookupName(find().host, options, callback);
    } catch (error) {
      callback(error as NodeJS.ErrnoException, '', 0);
    }
  };
}
