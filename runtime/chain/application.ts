import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa, { type Context } from 'koa';

export type Run = (context: Context) => Promise<void>;

const DONE = Promise.resolve();

/**
 * Koa with its chain and contexts. Answers leave by `ClientAnswer` alone: Koa's own way of answering, and the listeners by which it hears of each
 * answer's end, are not used, for a small get pays for them.
 */
export class ApiApplication extends Koa {
  override callback(): ReturnType<Koa['callback']> {
    const run = compose(this.middleware);
    return (request, response) => {
      const context = this.createContext(request as IncomingMessage, response as ServerResponse);
      return run(context).catch((error) => {
        // An answer that could not even be refused: nothing more can be said to the client.
        this.emit('error', error);
        context.res.destroy();
      });
    };
  }
}

/** As Koa does it, without a bound function for each step, and a guard against members that go on twice: ours do not. */
export function compose(middleware: readonly Koa.Middleware[]): Run {
  return (context) => {
    const step = (index: number): Promise<void> => {
      const member = middleware[index];
      if (member === undefined) return DONE;
      try {
        const ran: unknown = member(context as Koa.ParameterizedContext, () => step(index + 1));
        return ran instanceof Promise ? ran : Promise.resolve(ran as undefined);
      } catch (error) {
        return Promise.reject(error);
      }
    };
    return step(0);
  };
}
