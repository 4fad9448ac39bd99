/**
 * Finds the user of a request (specification: Authentication). Methods are tried in the order of 1.32: a connection of the server to itself, headers of an
 * authenticating proxy, client certificate, bearer token. The first that knows the credentials decides. Invalid credentials are refused even where anonymous requests are
 * allowed.
 */
import type { IncomingMessage } from 'node:http';
import { connectionOf } from '../connections/connection-of.ts';
import { ownUser } from '../connections/own-connections.ts';
import type { User } from '../contract/request-context.ts';
import type { Log } from '../observability/log.ts';
import { newUnauthorized } from '../status/status.ts';
import type { AuthenticationMetrics, AuthenticationResult } from './authentication-metrics.ts';
import { bearerToken, headerToken, removeTokens, webSocketToken } from './bearer-token.ts';
import { type ClientAuthorities, type ClientCertificates, purposesOf } from './client-certificates.ts';
import { ANONYMOUS } from './identities.ts';
import { type Outcome, Refusal } from './outcome.ts';
import { type ProxyHeaderNames, ProxyHeaders } from './proxy-headers.ts';
import type { TokenAnswer } from './token-answer.ts';
import type { TokenAsker, TokenMethod, TokenOutcome } from './token-methods.ts';

export interface AuthenticatorParts {
  readonly certificates: ClientCertificates;
  readonly proxyHeaders: ProxyHeaders;
  readonly tokens: TokenMethod;
  /** audiences of this server: a token must be for one of them */
  readonly audiences: readonly string[];
  /** whether requests without credentials are allowed at a path */
  readonly anonymous: (path: string) => boolean;
  readonly log: Log;
  readonly metrics: AuthenticationMetrics;
  /** resolves identity placeholders */
  readonly text: (template: string) => string;
  /** functions that close what methods have open, such as connections to issuers of tokens */
  readonly closers?: readonly (() => void)[];
}

/** Rules for authenticating proxies, besides the authorities of their certificates. */
export interface ProxyRules {
  /** allowed Common Names of their certificates; empty: any */
  readonly names: readonly string[];
  readonly headers: ProxyHeaderNames;
}

/** A request whose user its connection did not tell, so that tokens are tried. */
interface Attempt {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly warn: (text: string) => void;
  readonly asker: TokenAsker | undefined;
  /** why credentials were refused, in the order of the methods */
  readonly refusals: Refusal[];
  /** time of `performance.now()` */
  readonly begun: number;
}

export class Authenticator {
  readonly #parts: AuthenticatorParts;
  #proxyHeaders: ProxyHeaders;

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
    this.#proxyHeaders = parts.proxyHeaders;
  }

  /**
   * Finds the user, and removes the credentials from the request.
   * @param path of the URL, decoded
   * @param warn gets warnings for the client
   * @param asker for methods that ask other services: whoever waits, and where notes about a token go
   * @throws StatusError Unauthorized for invalid credentials, and for none if anonymous requests are not allowed; a promise rejects with it
   */
  authenticate(request: IncomingMessage, path: string, warn: (text: string) => void, asker?: TokenAsker): User | Promise<User> {
    const begun = performance.now();
    const refusals: Refusal[] = [];
    const known = this.#ofConnection(request, refusals);
    if (known !== undefined) return this.#known(request, known, begun);
    const sent = [headerToken(request, warn), webSocketToken(request, this.#parts.text)];
    return this.#byTokens(sent, { request, path, warn, asker, refusals, begun });
  }

  /**
   * Replaces the authorities of client certificates, from the next request on.
   * @param proxies absent: the rules for proxies stay
   * @throws Error for a malformed certificate
   */
  trust(authorities: ClientAuthorities, proxies?: ProxyRules): void {
    this.#parts.certificates.trust({ ...purposesOf(authorities), ...(proxies && { proxyNames: proxies.names }) });
    if (proxies !== undefined) this.#proxyHeaders = new ProxyHeaders(proxies.headers);
  }

  /** For TokenReview: finds the user of a token, and for which of the wanted audiences it is. */
  async review(token: string, audiences: readonly string[], asker?: TokenAsker): Promise<TokenAnswer> {
    const presented = bearerToken(`Bearer ${token}`, () => {});
    const outcome = presented === undefined ? undefined : await this.#parts.tokens.identify(presented, audiences, asker);
    if (outcome === undefined) return { error: UNKNOWN_TOKEN.reason };
    if (outcome instanceof Refusal) return { error: `[${UNKNOWN_TOKEN.reason}, ${outcome.reason}]` };
    for (const warning of outcome.warnings ?? []) asker?.warn?.(warning);
    return { user: outcome.user, audiences: outcome.audiences };
  }

  /** Closes what methods have open. `authenticate` must not be called any more. */
  close(): void {
    for (const close of this.#parts.closers ?? []) close();
  }

  #record(result: AuthenticationResult, begun: number, user: string): void {
    this.#parts.metrics.record(result, (performance.now() - begun) / 1000, user);
  }

  /** The user of the connection itself, or by its certificate: the one in a proxy's headers, or the certificate's subject. */
  #ofConnection(request: IncomingMessage, refusals: Refusal[]): User | undefined {
    const own = ownUser(connectionOf(request));
    if (own !== undefined) return own;
    const { certificates } = this.#parts;
    const proxy = certificates.proxy(request);
    if (proxy === true) {
      const user = this.#proxyHeaders.user(request);
      if (user !== undefined) return user;
    } else if (proxy !== undefined) refusals.push(proxy);
    const user = certificates.user(request);
    if (!(user instanceof Refusal)) return user;
    refusals.push(user);
    return undefined;
  }

  /** The user of the first valid token, from an index on. It returns no promise as long as the methods return none. */
  #byTokens(sent: readonly Outcome<string>[], attempt: Attempt, index = 0): User | Promise<User> {
    if (index === sent.length) return this.#unknown(attempt);
    const token = sent[index];
    const { request, warn, asker, refusals, begun } = attempt;
    const next = (): User | Promise<User> => this.#byTokens(sent, attempt, index + 1);
    if (typeof token !== 'string') {
      if (token !== undefined) refusals.push(token);
      return next();
    }
    const settle = (outcome: TokenOutcome): User | Promise<User> => {
      if (outcome !== undefined && !(outcome instanceof Refusal)) {
        for (const warning of outcome.warnings ?? []) warn(warning);
        return this.#known(request, outcome.user, begun);
      }
      refusals.push(outcome ?? UNKNOWN_TOKEN);
      return next();
    };
    const { tokens, audiences } = this.#parts;
    const outcome = tokens.identify(token, audiences, asker, connectionOf(request));
    return outcome instanceof Promise ? outcome.then(settle) : settle(outcome);
  }

  /** @param begun time of `performance.now()` */
  #known(request: IncomingMessage, user: User, begun: number): User {
    this.#record('success', begun, user.name);
    removeTokens(request, this.#parts.text);
    this.#proxyHeaders.remove(request);
    return user;
  }

  /** @throws StatusError Unauthorized */
  #unknown({ request, path, refusals, begun }: Attempt): User {
    const { anonymous, log } = this.#parts;
    if (refusals.length === 0 && anonymous(path)) {
      this.#proxyHeaders.remove(request);
      this.#record('success', begun, ANONYMOUS.name);
      return ANONYMOUS;
    }
    this.#record(refusals.length > 0 ? 'error' : 'failure', begun, '');
    log.debug({ path, reasons: refusals.map(({ reason }) => reason) }, 'a request is not authenticated');
    throw newUnauthorized();
  }
}

const UNKNOWN_TOKEN = new Refusal('invalid bearer token');
