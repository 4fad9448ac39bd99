/**
 * Who asks (specification: Authentication). Methods are tried in the order of 1.32, the first that knows the credentials decides: the headers of
 * an authenticating proxy, the client certificate, the bearer token. Credentials that nobody takes are refused, even where anonymous
 * requests are let in.
 */
import type { IncomingMessage } from 'node:http';
import { connectionOf } from '../connections/connection-of.ts';
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
  /** names of this API, one of which a token must be for */
  readonly audiences: readonly string[];
  /** whether requests without credentials are let in at a path */
  readonly anonymous: (path: string) => boolean;
  readonly log: Log;
  readonly metrics: AuthenticationMetrics;
  /** resolves identity placeholders */
  readonly text: (template: string) => string;
  /** end what methods have open, such as connections to those who issue tokens */
  readonly closers?: readonly (() => void)[];
}

/** What is believed of authenticating proxies besides their authorities. */
export interface ProxyRules {
  /** Common Names of their certificates; empty: any */
  readonly names: readonly string[];
  readonly headers: ProxyHeaderNames;
}

/** A request whose connection names nobody. */
interface Attempt {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly warn: (text: string) => void;
  readonly asker: TokenAsker | undefined;
  /** why credentials were refused, in their order */
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
   * Credentials are taken out of the request once they are known.
   * @param path of the URL, decoded
   * @param warn gets what the client did wrong
   * @param asker who waits where others are asked, and records what is said of a token
   * @throws StatusError Unauthorized for credentials that nobody knows, and for none where anonymous requests are off; a promise rejects with it
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
   * Judges client certificates by other authorities from the next request on.
   * @param proxies absent: those that there were
   * @throws Error for a text that holds a broken certificate
   */
  trust(authorities: ClientAuthorities, proxies?: ProxyRules): void {
    this.#parts.certificates.trust({ ...purposesOf(authorities), ...(proxies && { proxyNames: proxies.names }) });
    if (proxies !== undefined) this.#proxyHeaders = new ProxyHeaders(proxies.headers);
  }

  /** For TokenReview: whose a token is, and for which of the wanted audiences. */
  async review(token: string, audiences: readonly string[], asker?: TokenAsker): Promise<TokenAnswer> {
    const presented = bearerToken(`Bearer ${token}`, () => {});
    const outcome = presented === undefined ? undefined : await this.#parts.tokens.identify(presented, audiences, asker);
    if (outcome === undefined) return { error: UNKNOWN_TOKEN.reason };
    if (outcome instanceof Refusal) return { error: `[${UNKNOWN_TOKEN.reason}, ${outcome.reason}]` };
    for (const warning of outcome.warnings ?? []) asker?.warn?.(warning);
    return { user: outcome.user, audiences: outcome.audiences };
  }

  /** Ends what methods have open. Nobody may be authenticated any more. */
  close(): void {
    for (const close of this.#parts.closers ?? []) close();
  }

  #record(result: AuthenticationResult, begun: number, user: string): void {
    this.#parts.metrics.record(result, (performance.now() - begun) / 1000, user);
  }

  /** By the certificate of the connection: a proxy's headers, or its own subject. */
  #ofConnection(request: IncomingMessage, refusals: Refusal[]): User | undefined {
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

  /** By the first token, of those from an index on, that is somebody's. Stays synchronous as long as the methods are. */
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
