/** For an aggregation whose other servers say nothing long of themselves. */
import type { DocumentThread } from '../../runtime/aggregation/document-work.ts';

export const WITHOUT_THREAD: DocumentThread = {
  work: (name) => Promise.reject(new Error(`${name} is not much work`)),
  async close() {},
};
