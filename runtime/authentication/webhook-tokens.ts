/** Tokens that another service is asked about (specification: webhook token authentication): a TokenReview is posted to it. */
import type { User } from '../contract/request-context.ts';
import type { TraceParent } from '../contract/trace.ts';
import type { CountRequest } from '../outbound/delegated-requests.ts';
import { type ExchangeAnswer, type Peer, PeerConnection } from '../outbound/exchange.ts';
import { type Retries, WEBHOOK_RETRIES, withRetries } from '../outbound/retries.ts';
import { SharedAnswer, type Waiting } from '../outbound/shared-answer.ts';
import { isLong } from '../registry/long-value.ts';
import { isObject } from '../schema/member.ts';
import { parseNativeJson } from '../schema/native-json.ts';
import { Refusal } from './outcome.ts';
import { TokenCache } from './token-cache.ts';
import { commonAudiences, type TokenIdentity, type TokenMethod, type TokenOutcome } from './token-methods.ts';

export interface WebhookTokensOptions {
  readonly peer: Peer;
  /** group and version of the reviews that are sent */
  readonly apiVersion: string;
  /** names of this API: what a service that knows no audiences vouches for */
  readonly audiences: readonly string[];
  /** milliseconds for which an answer holds */
  readonly cacheTtl: number;
  /** milliseconds for one attempt, 30 seconds by default */
  readonly timeout?: number;
  readonly retries?: Retries;
  /** absent: answers are not counted */
  readonly count?: CountRequest;
}

const TIMEOUT = 30_000;
const UNCOUNTED: CountRequest = (exchange) => exchange;
const MAX_BYTES = 512 * 1024;

/** `null` is an answer too: nobody's token. */
type Answer = TokenIdentity | null;

export class WebhookTokens implements TokenMethod {
  readonly #options: WebhookTokensOptions;
  readonly #connection: PeerConnection;
  readonly #answers = new TokenCache<SharedAnswer<Answer>>();

  constructor(options: WebhookTokensOptions) {
    this.#options = options;
    this.#connection = new PeerConnection(options.peer);
  }

  async identify(token: string, audiences: readonly string[], waiting?: Waiting, connection?: object): Promise<TokenOutcome> {
    const scope = JSON.stringify(audiences);
    let answer = this.#answers.get(token, scope, connection);
    if (answer === undefined || answer.isGivenUp) {
      answer = new SharedAnswer((signal) => this.#ask(token, audiences, signal, waiting?.traceParent));
      // Requests that come meanwhile wait for the same answer; one that failed is no answer for later ones.
      this.#answers.set(token, answer, this.#options.cacheTtl, scope);
      answer.whenFailed(() => this.#answers.delete(token, scope));
    }
    return answer.wait(waiting).then(
      (identity) => identity ?? undefined,
      (error: unknown) => new Refusal(error instanceof Error ? error.message : String(error)),
    );
  }

  close(): void {
    this.#connection.close();
  }

  /** @throws Error where the service has no answer, or says that it could not check the token */
  async #ask(token: string, audiences: readonly string[], signal: AbortSignal, parent: TraceParent | undefined): Promise<Answer> {
    const { apiVersion, retries = WEBHOOK_RETRIES, timeout = TIMEOUT, audiences: own, count = UNCOUNTED } = this.#options;
    const body = {
      kind: 'TokenReview',
      apiVersion,
      metadata: { creationTimestamp: null },
      spec: { token, ...(audiences.length > 0 && { audiences }) },
      status: { user: {} },
    };
    const attempt = () => count(this.#connection.exchange({ method: 'POST', body, timeout, maxBytes: MAX_BYTES, signal, parent }));
    const status = reviewStatus(await withRetries(attempt, retries, signal));
    const held = texts(status.audiences);
    const meant = commonAudiences(held.length > 0 ? held : own, audiences);
    if (meant.length === 0 && audiences.length > 0) return null;
    if (status.authenticated === true) return { user: userOf(status.user), audiences: meant };
    if (status.error) throw new Error(String(status.error));
    return null;
  }
}

type Status = Readonly<Record<string, unknown>>;

/** @throws Error for an answer that is no review */
function reviewStatus({ status, body }: ExchangeAnswer): Status {
  if (status < 200 || status > 299) throw new Error(`the token webhook answers ${status}`);
  if (isLong(body, 'identity')) throw new Error('the token webhook answers more than is read of a user');
  try {
    const { status: answer } = parseNativeJson(body.toString('utf8')) as { status?: Status };
    if (typeof answer === 'object' && answer !== null) return answer;
  } catch {
    // said below
  }
  throw new Error('the token webhook answers no TokenReview');
}

function userOf(value: unknown): User {
  const { username, uid, groups, extra } = (value ?? {}) as Partial<Record<'username' | 'uid' | 'groups' | 'extra', unknown>>;
  return {
    name: typeof username === 'string' ? username : '',
    uid: typeof uid === 'string' ? uid : '',
    groups: texts(groups),
    extra: isObject(extra) ? Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, texts(values)])) : {},
  };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
