/** Asks another service about tokens, by posting it a TokenReview (specification: webhook token authentication). */
import type { User } from '../contract/request-context.ts';
import type { TraceParent } from '../contract/trace.ts';
import { AskedService } from '../outbound/asked-service.ts';
import type { CountRequest } from '../outbound/delegated-requests.ts';
import type { ExchangeAnswer, Peer } from '../outbound/exchange.ts';
import { type Retries, WEBHOOK_RETRIES, withRetries } from '../outbound/retries.ts';
import { SharedAnswer, type Waiting } from '../outbound/shared-answer.ts';
import { answerBody } from '../outbound/webhook-failure.ts';
import { type MemberPlace, parsedReview, reviewMember, reviewTexts, SHOWN } from '../outbound/webhook-review.ts';
import { isLong } from '../registry/stored-objects/long-value.ts';
import type { JsonObject } from '../schema/json/member.ts';
import { Refusal } from './outcome.ts';
import { TokenCache } from './token-cache.ts';
import type { TokenCacheMetrics } from './token-cache-metrics.ts';
import { commonAudiences, type TokenIdentity, type TokenMethod, type TokenOutcome } from './token-methods.ts';

export interface WebhookTokensOptions {
  readonly peer: Peer;
  /** group and version of the reviews that are sent */
  readonly apiVersion: string;
  /** audiences of this server, which count if the service's answer has none */
  readonly audiences: readonly string[];
  /** milliseconds for which an answer is cached */
  readonly cacheTtl: number;
  /** milliseconds for one attempt; default 30 seconds */
  readonly timeout?: number;
  readonly retries?: Retries;
  /** absent: answers are not counted */
  readonly count?: CountRequest;
  /** metrics of cached answers; absent: they are not counted */
  readonly cacheMetrics?: TokenCacheMetrics;
}

/** Milliseconds for an answer, as in 1.32. */
const TIMEOUT = 30_000;
const UNCOUNTED: CountRequest = (exchange) => exchange;
/** Bytes of an answer at most, which has all groups of a user. */
const MAX_BYTES = 512 * 1024;

/** `null`: the service does not know the token. This answer is cached, too. */
type Answer = TokenIdentity | null;

export class WebhookTokens implements TokenMethod {
  readonly #options: WebhookTokensOptions;
  readonly #service: AskedService;
  readonly #answers = new TokenCache<SharedAnswer<Answer>>();

  constructor(options: WebhookTokensOptions) {
    this.#options = options;
    this.#service = new AskedService(options.peer, options.timeout ?? TIMEOUT);
  }

  async identify(token: string, audiences: readonly string[], waiting?: Waiting, connection?: object): Promise<TokenOutcome> {
    const { cacheMetrics } = this.#options;
    const scope = JSON.stringify(audiences);
    let answer = this.#answers.get(token, scope, connection);
    if (answer === undefined || answer.isGivenUp) {
      const asked = new SharedAnswer((signal) => {
        const asking = this.#ask(token, audiences, signal, waiting?.traceParent);
        return cacheMetrics?.fetch(asking) ?? asking;
      });
      // Requests that come meanwhile share the answer. A failure is not cached for later ones.
      this.#answers.set(token, asked, this.#options.cacheTtl, scope);
      asked.whenFailed(() => this.#forget(token, scope, asked));
      answer = asked;
    }
    const waited = answer.wait(waiting);
    return (cacheMetrics?.request(answer.isSettled, waited) ?? waited).then(
      (identity) => identity ?? undefined,
      (error: unknown) => new Refusal(error instanceof Error ? error.message : String(error)),
    );
  }

  /** Removes the question, unless another one has replaced it after it was given up. */
  #forget(token: string, scope: string, asked: SharedAnswer<Answer>): void {
    if (this.#answers.get(token, scope) === asked) this.#answers.delete(token, scope);
  }

  close(): void {
    this.#service.close();
  }

  /** @throws Error if the service does not answer, or could not check the token */
  async #ask(token: string, audiences: readonly string[], signal: AbortSignal, parent: TraceParent | undefined): Promise<Answer> {
    const { apiVersion, retries = WEBHOOK_RETRIES, audiences: own, count = UNCOUNTED } = this.#options;
    const body = {
      kind: 'TokenReview',
      apiVersion,
      metadata: { creationTimestamp: null },
      spec: { token, ...(audiences.length > 0 && { audiences }) },
      status: { user: {} },
    };
    const attempt = () => count(this.#service.post({ body, maxBytes: MAX_BYTES, signal, parent }));
    const reviewed = await withRetries(attempt, retries, signal).catch((error: unknown) => {
      throw this.#service.failure(error);
    });
    const status = reviewStatus(reviewed, apiVersion);
    const authenticated = reviewMember(status, 'authenticated', 'bool', place('authenticated', 'bool')) ?? false;
    const failure = reviewMember(status, 'error', 'string', place('error', 'string')) ?? '';
    const user = userOf(reviewMember(status, 'user', 'object', place('user', 'v1.UserInfo')) ?? {});
    const held = reviewTexts(status, 'audiences', place('audiences', '').path);
    const meant = commonAudiences(held.length > 0 ? held : own, audiences);
    if (meant.length === 0 && audiences.length > 0) return null;
    if (authenticated) return { user, audiences: meant };
    if (failure !== '') throw new Error(failure.slice(0, SHOWN));
    return null;
  }
}

/** As in 1.32, what an answer does not have is taken for no: one without a status knows no token. @throws Error if the answer is another thing than the review */
function reviewStatus(answer: ExchangeAnswer, apiVersion: string): JsonObject {
  const body = answerBody(answer);
  if (isLong(body, 'identity')) throw new Error('the token webhook answers more than is read of a user');
  const [group = '', version = ''] = apiVersion.split('/');
  const review = parsedReview(body, { kind: 'TokenReview', group, version });
  return reviewMember(review, 'status', 'object', { path: 'TokenReview.status', type: `${version}.TokenReviewStatus` }) ?? {};
}

const place = (member: string, type: string): MemberPlace => ({ path: `TokenReviewStatus.status.${member}`, type });

/** @throws ReviewError for a member of a wrong type, because a user must not be accepted with only part of what the service said about it */
function userOf(user: JsonObject): User {
  const at = (member: string): string => `UserInfo.status.user.${member}`;
  const text = (member: string): string => reviewMember(user, member, 'string', { path: at(member), type: 'string' }) ?? '';
  const extra = reviewMember(user, 'extra', 'object', { path: at('extra'), type: 'map[string]v1.ExtraValue' }) ?? {};
  return {
    name: text('username'),
    uid: text('uid'),
    groups: reviewTexts(user, 'groups', at('groups')),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, reviewTexts(extra, key, at('extra'))])),
  };
}
