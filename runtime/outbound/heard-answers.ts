/**
 * What webhooks have answered about a request. Where one of the answers takes long to be read, another thread does the request anew: it gets the answers along
 * with it, so that nobody is asked
 * twice.
 */

/** One answer, and the question with which it was asked. */
export interface HeardAnswer {
  /** the question as it was sent */
  readonly question: string;
  /** the uid that only this question has */
  readonly uid: string;
  /** the bytes of the answer, or why there is none */
  readonly answer: Uint8Array | WebhookFailure;
}

/** The content of a `WebhookError`, which can be passed between threads. */
export interface WebhookFailure {
  readonly message: string;
  readonly status?: number;
}

const heard = new WeakMap<object, HeardAnswer[]>();

/** @param request that the answer is about */
export function noteAnswer(request: object, answer: HeardAnswer): void {
  const known = heard.get(request);
  if (known === undefined) heard.set(request, [answer]);
  else known.push(answer);
}

/** What was heard so far; undefined: nothing was. */
export const answersHeard = (request: object): readonly HeardAnswer[] | undefined => heard.get(request);

/** Gives a request what was heard about it elsewhere. */
export const giveAnswers = (request: object, answers: readonly HeardAnswer[]): void => void heard.set(request, [...answers]);

/**
 * An answer to the same question, which is given but once.
 * @param question with another uid than that of the answer
 */
export function takeAnswer(request: object, question: string, uid: string): HeardAnswer | undefined {
  const known = heard.get(request);
  if (known === undefined) return undefined;
  const place = known.findIndex((each) => each.question.length === question.length && each.question.replace(each.uid, uid) === question);
  return place === -1 ? undefined : known.splice(place, 1)[0];
}
