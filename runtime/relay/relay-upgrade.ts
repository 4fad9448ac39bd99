/** Passes on a request to switch protocols. When the backend has switched, its connection is joined with the client's. */
import type { Context } from 'koa';
import { newUnknown } from '../status/status.ts';
import { type Answer, type ExchangeOptions, exchange, type Outgoing } from './exchange.ts';
import { relayAnswer, relaySwitch } from './relay-answer.ts';
import { switchFailureText } from './relay-request.ts';

/** Milliseconds in which a backend must switch. */
const HEAD_LIMIT = 60_000;

/**
 * @param joinWith switches the client's connection and joins the two
 * @throws StatusError if the backend is not reached, or answers with neither a switch nor an error
 */
export async function relayUpgrade(
  context: Context,
  outgoing: Outgoing,
  options: ExchangeOptions,
  joinWith: (context: Context, answer: Required<Answer>) => void = relaySwitch,
): Promise<void> {
  const answer = await ask(outgoing, options);
  if (answer.switched !== undefined) return joinWith(context, { head: answer.head, switched: answer.switched });
  const status = answer.head.statusCode ?? 0;
  if (status >= 400) return relayAnswer(context, answer, { crossOrigin: false });
  answer.head.destroy();
  throw newUnknown(`invalid upgrade response: status code ${status}`);
}

async function ask(outgoing: Outgoing, options: ExchangeOptions): Promise<Answer> {
  try {
    return await exchange(outgoing, { headLimit: HEAD_LIMIT, ...options });
  } catch (error) {
    throw newUnknown(switchFailureText(error));
  }
}
