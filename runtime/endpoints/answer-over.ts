/** Whether anybody still waits for an answer: long work ends where nobody does. */

import type { Context } from 'koa';
import { turn } from '../registry/event-loop-turns.ts';
import { newTimeout, type StatusError } from '../status/status.ts';
import { isClientGone, whenClientGone } from './client-gone.ts';

/** Whether the client is gone, or has its answer: that it took too long, where the work still goes on. */
export const isOver = ({ res }: Context): boolean => res.writableEnded || isClientGone(res);

/** Lets others have their turn. @throws StatusError Timeout, which nobody gets, where the answer is over */
export async function nextTurn(context: Context): Promise<void> {
  await turn();
  if (isOver(context)) throw nobodyWaits();
}

/** Aborted when the answer is over; its reason is a StatusError, which nobody gets. */
export function overSignal({ res }: Context): AbortSignal {
  const controller = new AbortController();
  const over = (): void => controller.abort(nobodyWaits());
  res.once('finish', over);
  whenClientGone(res, over);
  return controller.signal;
}

const nobodyWaits = (): StatusError => newTimeout('nobody waits for the answer any longer');
