import type { Context, Middleware, Next } from 'koa';
import { requestOf } from '../endpoints/request/client-request.ts';
import { compose, type Run } from './application.ts';

type Member = (context: Context, next: Next) => Promise<void>;

/**
 * A second composition of the chain for requests that are traced, whose members tell the trace how long they take. All other requests, nearly all, pay nothing
 * for it.
 */
export class TracedChain {
  readonly #names = new Map<Middleware, string>();
  #run: Run | undefined;

  /** Notes a member whose time until it calls the next one is a part of traces. @param name the name of that part in 1.32. @returns the same member */
  part(name: string, member: Member): Member {
    this.#names.set(member, name);
    return member;
  }

  /** Composes the chain for traced requests. @param members those behind the one that begins traces */
  hold(members: readonly Middleware[]): void {
    this.#run = compose(members.map((member) => tracedMember(member, this.#names.get(member))));
  }

  /** Runs the members for a request that has a trace. It must not be called before `hold`. */
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
    // a member that refuses the request never calls the next one, so the part ends with the member
    return Promise.try(member, context, handOver).finally(() => span?.end());
  };
}
