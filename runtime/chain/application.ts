import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa, { type Context } from 'koa';

type Run = (context: Context) => Promise<void>;

/** What Koa has of this, which its types leave out. */
interface Application {
  compose(middleware: Koa['middleware']): Run;
}

/**
 * Koa with its chain and contexts. Answers leave by `ClientAnswer` alone: Koa's own way of answering, and the listeners by which it hears of each
 * answer's end, are not used, for a small get pays for them.
 */
export class ApiApplication extends Koa {
  override callback(): ReturnType<Koa['callback']> {
    const run = (this as unknown as Application).compose(this.middleware);
    return async (request, response) => {
      const context = this.createContext(request as IncomingMessage, response as ServerResponse);
      try {
        await run(context);
      } catch (error) {
        // An answer that could not even be refused: nothing more can be said to the client.
        this.emit('error', error);
        context.res.destroy();
      }
    };
  }
}
