/** Work that spans several requests, such as a watch, must end when its client is closed. */
import type { Requester } from './requester.ts';

/** @returns a signal that is aborted with `signal`, or by a ConnectionError when the client is closed */
export const endedWithClient = ({ ending }: Pick<Requester, 'ending'>, signal: AbortSignal = ending): AbortSignal =>
  AbortSignal.any([signal, ending]);
