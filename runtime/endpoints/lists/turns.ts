/** The turns of a long answer: other requests have theirs in between, and what nobody waits for any longer ends. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Context } from 'koa';
import { newTimeout } from '../../status/status.ts';

/** Whether the client is gone, or has been told already that it took too long. */
export const isOver = ({ res }: Context): boolean => res.destroyed || res.writableEnded;

/** @throws StatusError Timeout, which nobody gets, where the answer is over */
export async function nextTurn(context: Context): Promise<void> {
  await turn();
  if (isOver(context)) throw newTimeout('nobody waits for the answer any longer');
}
