import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa, { type Context } from 'koa';

type Run = (context: Context) => Promise<void>;

/** What Koa has of these, which its types leave out. */
interface Application {
  handleRequest(context: Context, run: Run): Promise<void>;
  compose(middleware: Koa['middleware']): Run;
}

/**
 * Koa with its chain, contexts and answers, without the listeners by which it hears of each answer's end: nothing here waits for it, and a small get
 * pays for them. Who needs to know asks `client-gone.ts`.
 */
export class ApiApplication extends Koa {
  override callback(): ReturnType<Koa['callback']> {
    const koa = this as unknown as Application;
    const run = koa.compose(this.middleware);
    return async (request, response) => {
      const context = this.createContext(request as IncomingMessage, response as ServerResponse);
      response.statusCode = 404;
      try {
        await run(context);
      } catch (error) {
        context.onerror(error as Error);
        return;
      }
      if (context.respond === false) return;
      const { statusCode } = response;
      await koa.handleRequest(context, async () => {
        response.statusCode = statusCode;
      });
    };
  }
}
