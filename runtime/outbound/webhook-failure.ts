/** Why a webhook gave no answer, in the words of 1.32. */
import type { OutOfTime } from '../client/transport/whole-exchange.ts';
import { requestProblem, type SystemError } from '../connections/connection-problem.ts';
import { isLong } from '../registry/stored-objects/long-value.ts';
import { membersOf } from '../schema/json/json-members.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import { type Status, serverAnswerMessage, UNREADABLE } from '../status/status.ts';
import { type ExchangeAnswer, ExchangeError, ExchangeTimeout, LedOn } from './exchange.ts';

/** A question that got no answer. The message is for clients. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  /** the status code of an answer that was no success; undefined if there was no such answer */
  readonly status: number | undefined;

  constructor(message: string, { cause, status }: { readonly cause?: unknown; readonly status?: number } = {}) {
    super(message, { cause });
    this.status = status;
  }
}

const DEADLINE = 'context deadline exceeded';
/** Of an answer that ends within its body. */
const CUT_OFF = 'unexpected EOF';

/** Characters of another server's text that are passed on. */
const SHOWN = 2_048;

/**
 * @param error of an exchange
 * @param address that was posted to, as it is shown
 * @param isOfClient whether the time limit is one for all that the client asks, of which 1.32 says so
 * @returns a WebhookError for an exchange without a whole answer; else the error itself
 */
export function callFailure(error: unknown, address: string, isOfClient: boolean): unknown {
  if (!(error instanceof ExchangeError)) return error;
  if (error instanceof LedOn) return new WebhookError(`Post ${JSON.stringify(error.location)}: ${error.message}`, { cause: error });
  const isLate = error instanceof ExchangeTimeout;
  const problem = isLate ? DEADLINE : requestProblem(error.cause as SystemError);
  const late = (what: string): string => (isLate && isOfClient ? `${problem} (Client.Timeout ${what})` : problem);
  if (isLate ? (error.cause as Partial<OutOfTime> | undefined)?.hasBegun : problem === CUT_OFF) {
    const original = late('or context cancellation while reading body');
    return new WebhookError(`unexpected error when reading response body. Please retry. Original error: ${original}`, { cause: error });
  }
  return new WebhookError(`Post ${JSON.stringify(address)}: ${late('exceeded while awaiting headers')}`, { cause: error });
}

/** The body, which has some bytes. @throws WebhookError for another status than those of success, and for an answer without a body */
export function answerBody({ status, headers, body }: ExchangeAnswer): Buffer {
  const type = headers['content-type'] ?? '';
  if (status < 200 || status > 206) {
    const text = type === '' || type.startsWith('text/') ? body.toString('utf8', 0, SHOWN).trim() : UNREADABLE;
    throw new WebhookError(failureOf(body) ?? serverAnswerMessage(status, text), { status });
  }
  // what says no type counts as JSON, in the words of 1.32 too
  if (body.length === 0)
    throw new WebhookError(`0-length response with status code: ${status} and content type: ${type || 'application/json'}`);
  return body;
}

/** Bytes of an answer that are looked at for a failure: what is longer says something else. */
const MOST_OF_FAILURE = 512 * 1024;
/** Members of a failure that are looked at, all of which are text; what stands beside them may be much. */
const TOLD: readonly string[] = ['kind', 'status', 'message'];

/** The message of a failure that another server has said in the form that this API has for it. */
function failureOf(body: Buffer): string | undefined {
  if (body.length > MOST_OF_FAILURE) return undefined;
  try {
    const { kind = 'Status', status, message = '' } = toldBy(body);
    return kind === 'Status' && status === 'Failure' ? String(message).slice(0, SHOWN) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws SyntaxError, JsonSyntaxError */
function toldBy(body: Buffer): Partial<Status> {
  if (!isLong(body, 'answer')) return parseNativeJson<Partial<Status>>(body.toString()) ?? {};
  const told: Record<string, unknown> = {};
  for (const { name, start, end } of membersOf(body))
    if (TOLD.includes(name) && body[start] === QUOTE) told[name] = parseNativeJson(body.toString('utf8', start, end));
  return told as Partial<Status>;
}

const QUOTE = 0x22;
