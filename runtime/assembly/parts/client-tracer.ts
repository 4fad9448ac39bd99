import type { Context } from 'koa';
import type { RequestTracer } from '../../chain/chain-parts.ts';
import type { Trace } from '../../contract/trace.ts';
import type { ClientRequest } from '../../endpoints/request/client-request.ts';
import { ClientTrace } from '../../endpoints/request/client-trace.ts';

/**
 * Traces requests that this server sends to others. It is loaded only if tracing is configured.
 * @param begin returns undefined for a request that is not traced
 */
export function clientTracer(begin: (request: ClientRequest, context: Context) => Trace | undefined): RequestTracer {
  return {
    begin(request, context) {
      const trace = begin(request, context);
      return trace && new ClientTrace(trace, request, context);
    },
  };
}
