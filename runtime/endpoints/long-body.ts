/** Requests whose body turns out to be long, which another thread answers. */
import type { Context } from 'koa';
import type { ClientRequest } from './client-request.ts';

/** Answers requests with long bodies on another thread. */
export interface LongRequests {
  /** @param body its memory belongs to the other thread from then on. @throws StatusError */
  answer(client: ClientRequest, context: Context, body: Uint8Array<ArrayBuffer>): Promise<void>;
}

/** Ends what a handler does for a request whose body is long: all that it has looked at so far is looked at again on the other thread. */
export class LongBody extends Error {
  /** in memory that nobody else has */
  readonly body: Uint8Array<ArrayBuffer>;

  constructor(body: Uint8Array<ArrayBuffer>) {
    super('the body is long');
    this.body = body;
  }
}
