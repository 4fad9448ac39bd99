/** Passes on what a backend says before its answer, such as 103 (RFC 9110 section 15.2). */
import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Context } from 'koa';
import { answerOf } from '../connections/client-answer.ts';
import type { Information } from './exchange.ts';
import { answerHeaders } from './headers.ts';

/** What a client is told when it asks whether to send its body is no matter of the backend's. */
const CONTINUE = 100;

export function relayInformation(context: Context, { statusCode, statusMessage, rawHeaders }: Information): void {
  const response: ServerResponse & { readonly stream?: ServerHttp2Stream } = context.res;
  if (statusCode === CONTINUE || answerOf(context).hasBegun || response.destroyed) return;
  const headers = answerHeaders(rawHeaders, { crossOrigin: false });
  if (response.stream !== undefined) return response.stream.additionalHeaders({ ':status': statusCode, ...grouped(headers) });
  // Node gives a response its connection once those before it are through. Clients of HTTP/1.0 know only one answer.
  if (context.req.httpVersionMinor === 0) return;
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  response.socket?.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines}\r\n`, 'latin1');
}

function grouped(headers: readonly (readonly [name: string, value: string])[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    groups[lower] = [...(groups[lower] ?? []), value];
  }
  return groups;
}
