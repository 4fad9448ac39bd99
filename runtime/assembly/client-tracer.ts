import type { Context } from 'koa';
import type { RequestTracer } from '../chain/chain-parts.ts';
import type { Trace } from '../contract/trace.ts';
import type { ClientRequest } from '../endpoints/client-request.ts';
import { ClientTrace } from '../endpoints/client-trace.ts';

/** Traces requests of clients. Loaded where there are traces. @param begin undefined: a request is not traced */
export function clientTracer(begin: (request: ClientRequest, context: Context) => Trace | undefined): RequestTracer {
  return {
    begin(request, context) {
      const trace = begin(request, context);
      return trace && new ClientTrace(trace, request, context);
    },
  };
}
