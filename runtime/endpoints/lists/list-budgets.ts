/** What lists under way may hold, all together and each. */
import type { ByteBudgetOptions } from '../bodies/byte-budget.ts';

/** 64 streams at a time, or one large answer that is put together as a whole; 1.32 lets a request wait for a quarter of its time as well. */
export const LIST_BUDGET: ByteBudgetOptions = {
  bytes: 64 * 1024 * 1024,
  waiting: 1_000,
  patience: 15_000,
  refusal: 'too many large lists are under way, please try again later',
};
/** The budget of lists that go through a file. */
export const SPOOL_BUDGET: ByteBudgetOptions = { ...LIST_BUDGET, bytes: 4 * 1024 ** 3 };

/** The bytes that a list holds while it is streamed: a slice, and what compression and the connection keep of it. */
export const SLICE_LEASE = 1024 * 1024;
