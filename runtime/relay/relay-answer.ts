/** A backend's answer on its way to the client. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { answerOf } from '../connections/client-answer.ts';
import type { Answer } from './exchange.ts';
import { answerHeaders } from './headers.ts';
import { failureText } from './relay-request.ts';
import { join } from './tunnel.ts';

export interface RelayOptions {
  /** passes on headers that let other origins read the answer */
  readonly crossOrigin: boolean;
  /** the header's value for the client, by its lower-case name */
  readonly rewrite?: (name: string, value: string) => string;
}

/** Sends the answer on, with its body as it comes. @throws Error for a head that cannot be sent */
export function relayAnswer(context: Context, { head }: Answer, options: RelayOptions): void {
  try {
    setHeaders(head, context.res, options);
    answerOf(context).pipe(head.statusCode as number, head);
  } catch (error) {
    head.destroy();
    throw error;
  }
}

/** @throws Error for what Node takes from a backend but does not send itself */
function setHeaders(head: IncomingMessage, response: ServerResponse, options: RelayOptions): void {
  const seen = new Set<string>();
  for (const [name, value] of answerHeaders(head.rawHeaders, options)) {
    const lower = name.toLowerCase();
    const shown = options.rewrite?.(lower, value) ?? value;
    // what the chain has set before is not the backend's
    if (seen.has(lower)) response.appendHeader(name, shown);
    else response.setHeader(name, shown);
    seen.add(lower);
  }
}

/** Switches the client's connection as the backend has switched its own, and joins them. */
export function relaySwitch(context: Context, { head, switched }: Required<Answer>): void {
  const { socket, head: first } = answerOf(context).switchProtocols();
  const protocol = head.headers.upgrade ?? context.req.headers.upgrade ?? '';
  const lines = answerHeaders(head.rawHeaders, { crossOrigin: true })
    .filter(([name]) => name.toLowerCase() !== 'content-length')
    .map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${lines.join('')}\r\n`, 'latin1');
  if (switched.rest.length > 0) socket.write(switched.rest);
  if (first.length > 0) switched.socket.write(first);
  void join(socket, switched.socket);
}

/** Bytes of a backend's explanation that are read. */
const MAX_EXPLANATION = 50_000;

/** What a backend says of a failure, as far as that is of use. */
export async function explanation(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_EXPLANATION) break;
    }
  } catch (error) {
    return failureText(error);
  }
  return Buffer.concat(chunks).toString('utf8', 0, MAX_EXPLANATION);
}
