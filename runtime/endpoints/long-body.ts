/** Requests that turn out to be much work, for what they say or for the object that they are about, which another thread answers. */
import type { Context } from 'koa';
import type { User } from '../contract/request-context.ts';
import type { Status } from '../status/status.ts';
import type { LongForms } from './long-form.ts';
import type { ClientRequest } from './request/client-request.ts';

/** Answers such requests on another thread, and makes there what others need of long objects. */
export interface LongRequests extends LongForms {
  /** @param body its memory belongs to the other thread from then on. @throws StatusError */
  answer(client: ClientRequest, context: Context, body: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Sends a request of the server's own, about a long object. @returns why it failed; undefined where it did not. @throws what keeps it from being answered */
  send(request: OwnRequest): Promise<Status | undefined>;
}

/** Somebody of the server's own asks, who may. */
export interface OwnRequest {
  readonly method: string;
  /** with its query */
  readonly path: string;
  readonly contentType: string;
  /** becomes JSON */
  readonly body: object;
  readonly user: User;
  /** true for a delete about which admission is not asked */
  readonly skipsAdmission?: true;
}

/** Ends the handler of a request that is much work. The other thread handles the request again from the beginning. */
export class LongBody extends Error {
  /** the body, in memory that nobody else has; empty if there is none */
  readonly body: Uint8Array<ArrayBuffer>;

  constructor(body: Uint8Array<ArrayBuffer> = new Uint8Array()) {
    super('the request is much work');
    this.body = body;
  }
}
