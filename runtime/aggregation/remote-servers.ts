/** The other API servers that answer group versions: where they are, and requests to them. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Tunnel } from '../client/transport/tunnel.ts';
import { hostPort } from '../connections/connection-problem.ts';
import { ExchangeError } from '../connections/exchange-error.ts';
import type { User } from '../contract/request-context.ts';
import type { Answer, ExchangeOptions, Outgoing } from '../relay/exchange.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { identityHeaders, isIdentityHeader } from './identity-headers.ts';
import { Beginnings, Questions } from './questions.ts';
import { RemoteConnections } from './remote-connections.ts';
import { exchangeWith } from './remote-exchange.ts';
import type { RemoteVersion, TrustedService } from './remote-version.ts';
import type { RemoteVersions } from './remote-versions.ts';
import type { Address, ResolveService } from './service-address.ts';

export interface RemoteServerParts {
  readonly versions: RemoteVersions;
  readonly resolve: ResolveService;
  /** the client certificate that this server shows; undefined if it has none */
  readonly clientCertificate: () => ClientCertificate | undefined;
  /** leads to the other servers; absent: they are reached directly */
  readonly tunnel?: Tunnel | undefined;
  /** the feature gate RemoteRequestHeaderUID */
  readonly withUid: boolean;
}

/** A request that this server sends for itself, not for a client. */
export interface Question {
  /** GET by default */
  readonly method?: 'GET' | 'DELETE' | 'PATCH';
  /** JSON for the body; absent: no body */
  readonly json?: string;
  /** of the body; absent: that of JSON */
  readonly contentType?: string;
  /** with the query */
  readonly path: string;
  readonly accept: string;
  /** of the answer that is known already: if it is still the same, the answer is a 304 without a body */
  readonly etag?: string | undefined;
  /** the user of the request */
  readonly user: User;
  /** aborts the request */
  readonly signal?: AbortSignal;
  /** milliseconds for the whole answer */
  readonly timeout: number;
  /** most bytes of the answer's body */
  readonly maxBytes: number;
  /** absent: the current address of the service */
  readonly address?: Address;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Milliseconds until an answer that is read as it comes must begin. */
const BEGINNING = 30_000;
/** Bytes of an answer that nobody wants. */
const UNREAD = 64 * 1024;

/** Error message for an answer that does not come in time, worded as by clients of 1.32. */
const LATE = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';

export class RemoteServers {
  readonly versions: RemoteVersions;
  readonly #parts: RemoteServerParts;
  readonly #connections: RemoteConnections;
  readonly #ending = new AbortController();
  readonly #questions = new Questions();
  readonly #beginnings = new Beginnings();

  constructor(parts: RemoteServerParts) {
    this.versions = parts.versions;
    this.#parts = parts;
    this.#connections = new RemoteConnections(parts.clientCertificate, parts.tunnel);
    parts.versions.onChange((changes) => this.#connections.release(changes, () => parts.versions.all()));
  }

  /** The current address of the version's service. @throws ServiceError */
  address({ service }: RemoteVersion): Address {
    return this.#parts.resolve(service);
  }

  /** Whether this server alone may set a header: one that tells who the client is. @param name in lower case */
  isOwnHeader(name: string): boolean {
    return isIdentityHeader(name);
  }

  /** Headers that tell who the client is: names and values in turn. */
  ownHeaders(user: User): string[] {
    return identityHeaders(user, this.#parts.withUid);
  }

  /** @throws ExchangeError, DialError; ServiceError if the bundle of authorities is invalid */
  exchange(
    remote: TrustedService,
    outgoing: Outgoing,
    options: Pick<ExchangeOptions, 'signal' | 'headLimit' | 'informed'>,
  ): Promise<Answer> {
    return exchangeWith(remote, outgoing, this.#connections, options);
  }

  /** Whether its authorities can be read. @throws ServiceError */
  checkTrust(remote: RemoteVersion): void {
    this.#connections.of(remote);
  }

  /** The status of an answer whose body is not needed. @throws ServiceError; ExchangeError if the answer breaks off or is late */
  status(remote: RemoteVersion, question: Omit<Question, 'maxBytes'>): Promise<number> {
    return this.#asked(remote, question, async (head) => {
      // a short body is read to its end, so that the connection can be used again
      await whole(head, UNREAD).catch(() => head.destroy());
      return head.statusCode ?? 0;
    });
  }

  /** Redirects are not followed. @throws ServiceError; ExchangeError if the answer breaks off, is late or too long */
  ask(remote: RemoteVersion, question: Question): Promise<WholeAnswer> {
    return this.#asked(remote, question, async (head) => ({
      status: head.statusCode ?? 0,
      headers: head.headers,
      body: await whole(head, question.maxBytes),
    }));
  }

  /**
   * An answer whose body comes for as long as the server goes on, such as a watch.
   * @param signal ends it. @throws ServiceError; ExchangeError, also if the answer does not begin in time
   */
  async stream(
    remote: RemoteVersion,
    { path, accept, user, signal }: Pick<Question, 'path' | 'accept' | 'user'> & { readonly signal: AbortSignal },
  ): Promise<IncomingMessage> {
    const address = this.address(remote);
    const headers = ['Host', hostPort(address.host, address.port), 'Accept', accept, ...identityHeaders(user, true)];
    const options = { signal: AbortSignal.any([signal, this.#ending.signal]), headLimit: BEGINNING };
    return (await this.exchange(remote, { target: address, method: 'GET', path, headers }, options)).head;
  }

  async #asked<T>(remote: RemoteVersion, question: Omit<Question, 'maxBytes'>, read: (head: IncomingMessage) => Promise<T>): Promise<T> {
    const hasBegun = await this.#beginnings.enter();
    const {
      method = 'GET',
      json,
      contentType = 'application/json',
      path,
      accept,
      etag,
      user,
      signal,
      timeout,
      address = this.address(remote),
    } = question;
    const headers = ['Host', hostPort(address.host, address.port), 'Accept', accept, ...(etag ? ['If-None-Match', etag] : [])];
    const outgoing: Outgoing = {
      target: address,
      method,
      path,
      headers: [...headers, ...(json === undefined ? [] : ['Content-Type', contentType]), ...identityHeaders(user, true)],
      ...(json !== undefined && { body: Readable.from([Buffer.from(json)]), bodyLength: String(Buffer.byteLength(json)) }),
    };
    const late = AbortSignal.timeout(timeout);
    let leave = (): void => {};
    try {
      leave = await this.#questions.enter(hostPort(address.host, address.port), late);
      const { head } = await this.exchange(remote, outgoing, {
        signal: AbortSignal.any([late, this.#ending.signal, ...(signal ? [signal] : [])]),
      });
      hasBegun();
      return await read(head);
    } catch (error) {
      throw late.aborted ? new ExchangeError(LATE, { cause: error }) : error;
    } finally {
      hasBegun();
      leave();
    }
  }

  /** Closes unused connections, and aborts this server's own requests. */
  close(): void {
    this.#ending.abort();
    this.#connections.close();
  }
}

/** @throws ExchangeError */
async function whole(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) throw new ExchangeError(`the answer is longer than ${maxBytes} bytes`);
    }
  } catch (error) {
    throw error instanceof ExchangeError ? error : new ExchangeError('unexpected EOF', { cause: error });
  }
  return Buffer.concat(chunks);
}
