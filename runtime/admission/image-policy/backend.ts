/** The service that ImagePolicyWebhook asks. Loaded with the first pod that it is asked about. */
import type { ImageReviewSpec, ImageReviewStatus } from '../../../generated/imagepolicy/v1alpha1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import { mayBeMoved, type RequestContext } from '../../contract/request-context.ts';
import { AskedService } from '../../outbound/asked-service.ts';
import type { ExchangeAnswer } from '../../outbound/exchange.ts';
import { KeptAnswers } from '../../outbound/kept-answers.ts';
import { WEBHOOK_RETRIES, withRetries } from '../../outbound/retries.ts';
import type { Waiting } from '../../outbound/shared-answer.ts';
import { answerBody, WebhookError } from '../../outbound/webhook-failure.ts';
import { parsedReview, ReviewError, reviewMember } from '../../outbound/webhook-review.ts';
import { isLong, LongObject } from '../../registry/stored-objects/long-value.ts';
import type { ImagePolicySettings } from './configuration.ts';

type Asking = Waiting & Pick<RequestContext, 'verb'>;

const KIND = 'ImageReview';
const VERSION = 'v1alpha1';
/** Milliseconds for one attempt. */
const TIMEOUT = 30_000;
const MAX_BYTES = 3 * 1024 * 1024;
/** Answers that are kept at most, as in 1.32. */
const MAX_ANSWERS = 1_024;
/** Characters of a question, and bytes of an answer, that are kept; longer ones are asked each time, so that nobody fills the memory with them. */
const MAX_KEPT = 10_000;

/** A question without an answer. */
export interface Unanswered {
  /** the message is for clients */
  readonly unanswered: Error;
}

export class ImagePolicyBackend {
  readonly #settings: ImagePolicySettings;
  readonly #mayTakeLong: boolean;
  readonly #group: string;
  readonly #service: AskedService;
  readonly #answers = new KeptAnswers<ImageReviewStatus>(MAX_ANSWERS);

  /** @param mayTakeLong whether answers that take long are read here: others wait for this thread otherwise */
  constructor(settings: ImagePolicySettings, identity: Pick<Identity, 'text'>, mayTakeLong: boolean) {
    this.#settings = settings;
    this.#mayTakeLong = mayTakeLong;
    this.#group = identity.text('imagepolicy.${groupDomain}');
    this.#service = new AskedService(settings.peer, TIMEOUT);
  }

  /** @throws the reason of the signal of who waits; LongObject where another thread is to read the answer */
  async ask(spec: ImageReviewSpec, waiting: Asking): Promise<ImageReviewStatus | Unanswered> {
    try {
      return await this.#answer(JSON.stringify(spec), waiting);
    } catch (error) {
      if (error instanceof WebhookError || error instanceof ReviewError) return { unanswered: error };
      throw error;
    }
  }

  /** @param question JSON. @throws WebhookError, ReviewError; the reason of the signal of who waits */
  async #answer(question: string, waiting: Asking): Promise<ImageReviewStatus> {
    const kept = this.#answers.get(question);
    if (kept !== undefined) return kept;
    const body = await this.#post(question, waiting);
    // the question has no side effects: another thread may ask it again
    if (!this.#mayTakeLong && mayBeMoved(waiting) && isLong(body, 'answer')) throw new LongObject();
    const status = this.#statusOf(body);
    const { allowTtl, denyTtl } = this.#settings;
    if (question.length + body.length <= MAX_KEPT) this.#answers.set(question, status, status.allowed ? allowTtl : denyTtl);
    return status;
  }

  /** Ends the connections that are kept. */
  close(): void {
    this.#service.close();
  }

  /** @param spec JSON */
  async #post(spec: string, { signal, traceParent: parent }: Waiting): Promise<Buffer> {
    const metadata = '{"creationTimestamp":null}';
    const json = `{"kind":"${KIND}","apiVersion":"${this.#group}/${VERSION}","metadata":${metadata},"spec":${spec},"status":{"allowed":false}}`;
    const attempt = (): Promise<ExchangeAnswer> => this.#service.post({ json, maxBytes: MAX_BYTES, signal, parent });
    try {
      return answerBody(await withRetries(attempt, { ...WEBHOOK_RETRIES, wait: this.#settings.retryBackoff }, signal));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw this.#service.failure(error);
    }
  }

  #statusOf(bytes: Buffer): ImageReviewStatus {
    const answer = parsedReview(bytes, { kind: KIND, group: this.#group, version: VERSION });
    const place = (member: string, type: string) => ({ path: `${KIND}.status${member}`, type });
    const status = reviewMember(answer, 'status', 'object', place('', 'v1alpha1.ImageReviewStatus')) ?? {};
    const annotations = reviewMember(status, 'auditAnnotations', 'object', place('.auditAnnotations', 'map[string]string')) ?? {};
    for (const name of Object.keys(annotations)) reviewMember(annotations, name, 'string', place('.auditAnnotations', 'string'));
    return {
      allowed: reviewMember(status, 'allowed', 'bool', place('.allowed', 'bool')) ?? false,
      reason: reviewMember(status, 'reason', 'string', place('.reason', 'string')) ?? '',
      auditAnnotations: annotations as { [key: string]: string },
    };
  }
}
