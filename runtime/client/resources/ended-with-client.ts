/** What goes on by itself, over several requests, ends when its client is closed. */
import type { Requester } from './requester.ts';

/** @returns aborted with `signal`, or by a ConnectionError when the client is closed */
export const endedWithClient = ({ ending }: Pick<Requester, 'ending'>, signal: AbortSignal = ending): AbortSignal =>
  AbortSignal.any([signal, ending]);
