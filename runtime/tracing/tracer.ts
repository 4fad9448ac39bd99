/** Begins the traces of requests, of which some are recorded, and says who is asked for the others what they are part of. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAnswer } from '../connections/client-answer.ts';
import type { RequestHeaders, Trace, TraceAttributes, TraceParent } from '../contract/trace.ts';
import { baggageOf, traceContextOf, traceParent } from '../outbound/trace-headers.ts';
import { RequestTrace, type SpanSink } from './request-trace.ts';
import type { LinkRecord } from './span-bytes.ts';
import { randomSpanId, TraceIds } from './trace-ids.ts';

/** What tracing needs of a client's request. */
export interface TracedRequest {
  readonly id: string;
  /** of `performance.now()`, when its head had come */
  readonly received: number;
  readonly answer: Pick<ClientAnswer, 'whenOver' | 'status' | 'length'>;
  readonly info: {
    readonly isResource: boolean;
    readonly path: string;
    readonly group: string;
    readonly version: string;
    readonly namespace: string;
    readonly resource: string;
    readonly subresource: string;
    readonly name: string;
  };
  /** the body, once it was read */
  readonly body?: Buffer | undefined;
}

/** Both sides of it in HTTP. */
export interface HttpExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

export class Tracer {
  readonly #ids: TraceIds;
  readonly #sink: SpanSink;

  constructor(ids: TraceIds, sink: SpanSink) {
    this.#ids = ids;
    this.#sink = sink;
  }

  /**
   * Whether a request is recorded has nothing to do with what its client says: anybody may be a client. A trace that a client says it belongs to is
   * linked, as in 1.32.
   * @returns undefined for one that is not recorded
   */
  begin(request: TracedRequest, { req }: HttpExchange): Trace | undefined {
    const traceId = this.#ids.draw();
    if (traceId === undefined) return undefined;
    const auditId = auditIdOf(request);
    const trace = new RequestTrace({
      traceId,
      sink: this.#sink,
      name: spanName(req.method ?? '', request.info),
      auditId,
      attributes: serverAttributes(auditId, req),
      start: request.received,
      link: linkOf(req.headers),
      baggage: baggageOf(req.headers),
    });
    request.answer.whenOver((end) => {
      const { status, length } = request.answer;
      const { root } = trace;
      root.set({
        ...(request.body !== undefined && request.body.length > 0 && { 'http.request_content_length': request.body.length }),
        ...(length > 0 && { 'http.response_content_length': length }),
        ...(status > 0 && { 'http.status_code': status }),
      });
      if (status >= SERVER_ERROR) root.fail('');
      else if (end === 'broken') root.fail('the connection broke off');
      trace.end();
    });
    return trace;
  }

  /** For a request that is not recorded. @param headers of it */
  unrecorded(headers: RequestHeaders): TraceParent {
    return unrecordedCalls(headers, this.#ids);
  }
}

const NOTHING_RECORDED = new TraceIds(0);

/** Calls for a request that is not recorded: who is asked is told so. @param headers of the request. @param ids absent: any */
export function unrecordedCalls(headers: RequestHeaders, ids = NOTHING_RECORDED): TraceParent {
  return {
    beginCall() {
      const baggage = baggageOf(headers);
      const traceparent = traceParent(ids.unrecorded().toString('hex'), randomSpanId().toString('hex'), false);
      return { headers: { traceparent, ...(baggage !== undefined && { baggage }) }, end() {} };
    },
  };
}

const SERVER_ERROR = 500;

/** As 1.32 names the span of a request: names of objects and of namespaces do not stand in it. */
function spanName(
  method: string,
  { isResource, path, group, version, namespace, resource, name, subresource }: TracedRequest['info'],
): string {
  if (!isResource) return method;
  let text = path.startsWith('/apis/') ? '/apis' : '/api';
  if (group !== '') text += `/${group}`;
  text += `/${version}`;
  if (namespace !== '') text += '/namespaces/{:namespace}';
  text += `/${resource}`;
  if (name !== '') text += '/{:name}';
  if (subresource !== '') text += `/${subresource}`;
  return `${method} ${text}`;
}

/** As instrumentation of OpenTelemetry for HTTP has it in 1.32 (semantic conventions 1.20). */
function serverAttributes(auditId: string, { method = '', url = '', headers, socket, httpVersion }: IncomingMessage): TraceAttributes {
  const authority = String(headers[':authority'] ?? headers.host ?? '');
  const [, host = '', port = ''] = /^(.*?)(?::(\d+))?$/.exec(authority) ?? [];
  const { remoteAddress, remotePort } = socket;
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',', 1)[0] ?? '';
  return {
    'http.method': method,
    'http.scheme': 'https',
    'net.host.name': host,
    ...(port !== '' && port !== HTTPS_PORT && { 'net.host.port': Number(port) }),
    ...(remoteAddress !== undefined && { 'net.sock.peer.addr': remoteAddress }),
    ...(remotePort !== undefined && { 'net.sock.peer.port': remotePort }),
    ...(headers['user-agent'] !== undefined && { 'user_agent.original': headers['user-agent'] }),
    ...(forwarded !== '' && { 'http.client_ip': forwarded.trim() }),
    'net.protocol.version': httpVersion,
    'http.target': url,
    'audit-id': auditId,
  };
}

/** The usual one is not said. */
const HTTPS_PORT = '443';

/** Characters of the id of a request, as 1.32 has it; clients may choose theirs. */
const MOST_AUDIT_ID = 64;

export const auditIdOf = ({ id }: Pick<TracedRequest, 'id'>): string => id.slice(0, MOST_AUDIT_ID);

function linkOf(headers: RequestHeaders): LinkRecord | undefined {
  const context = traceContextOf(headers);
  if (context === undefined) return undefined;
  const { traceId, spanId, state, isSampled } = context;
  return { traceId: Buffer.from(traceId, 'hex'), spanId: Buffer.from(spanId, 'hex'), state, isSampled };
}
