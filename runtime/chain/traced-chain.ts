import type { Context, Middleware, Next } from 'koa';
import { requestOf } from '../endpoints/client-request.ts';
import { compose, type Run } from './application.ts';

type Member = (context: Context, next: Next) => Promise<void>;

/** The chain of requests that are traced: its members tell the trace how long they take. The others, which are nearly all, pay for none of it. */
export class TracedChain {
  readonly #names = new Map<Middleware, string>();
  #run: Run | undefined;

  /** Notes a member whose time, until it hands over to the next one, is a part of a trace. @param name that 1.32 has for it. @returns the member */
  part(name: string, member: Member): Member {
    this.#names.set(member, name);
    return member;
  }

  /** @param members that come behind the one that begins traces */
  hold(members: readonly Middleware[]): void {
    this.#run = compose(members.map((member) => tracedMember(member, this.#names.get(member))));
  }

  /** For a request that has a trace. Not before `hold`. */
  run(context: Context): Promise<void> {
    return (this.#run as Run)(context);
  }
}

function tracedMember(member: Middleware, name: string | undefined): Middleware {
  if (name === undefined) return member;
  return (context, next) => {
    const span = requestOf(context).trace?.enter(name);
    const handOver = (): Promise<void> => {
      span?.end();
      return next();
    };
    // who is refused comes no further
    return Promise.try(member, context, handOver).finally(() => span?.end());
  };
}
