/** What lists under way may hold, all together and each. */
import type { ServerResponse } from 'node:http';
import { whenClientGone } from '../../connections/client-gone.ts';
import type { ByteBudgetOptions, ByteLease } from '../byte-budget.ts';

/** 64 streams at a time, or one large answer that is put together as a whole; 1.32 lets a request wait for a quarter of its time as well. */
export const LIST_BUDGET: ByteBudgetOptions = {
  bytes: 64 * 1024 * 1024,
  waiting: 1_000,
  patience: 15_000,
  refusal: 'too many large lists are under way, please try again later',
};
/** Of lists that go through a file. */
export const SPOOL_BUDGET: ByteBudgetOptions = { ...LIST_BUDGET, bytes: 4 * 1024 ** 3 };

/** Bytes that a list holds while it is streamed: a slice, and what compression and the connection keep of it. */
export const SLICE_LEASE = 1024 * 1024;
/** Milliseconds that a client may take for a list that is held as a whole. */
const SEND_LIMIT = 60_000;

/** Keeps what an answer holds until the client has it, or has taken too long. */
export function closeWhenSent(response: ServerResponse, lease: ByteLease): void {
  const late = setTimeout(() => response.destroy(), SEND_LIMIT);
  whenClientGone(response, () => {
    clearTimeout(late);
    lease.close();
  });
}
