/** Sends requests whose answers are read as a whole, in a third of the processor time of `send`. */
import { type OutgoingHttpHeader, validateHeaderName, validateHeaderValue } from 'node:http';
import type { Credential } from './connection-settings.ts';
import { pooledRoute } from './pooled-route.ts';
import { connectionError, type Headers, Transport, type TransportRequest, UNAUTHORIZED } from './transport.ts';
import { OutOfTime, type WholeAnswer } from './whole-exchange.ts';

/** A request whose answer is read as a whole. */
export interface Question extends Omit<TransportRequest, 'isStream'> {
  readonly method: 'GET' | 'POST';
  /** milliseconds for the whole exchange */
  readonly timeout: number;
  /** the most bytes of the answer's body, before it is unpacked */
  readonly maxBytes: number;
}

/** It is a class of its own because clients of the API do not need it, and their bundles stay small. */
export class AskingTransport extends Transport {
  /**
   * Works like `send` for an answer that is read as a whole, at a third of the cost.
   * @throws OutOfTime; what `send` throws
   */
  async ask(question: Question): Promise<WholeAnswer> {
    const until = performance.now() + question.timeout;
    const { credentials, ending } = this;
    if (credentials === undefined) return this.#askAs(question, until, {});
    const credential = await this.credentialFor(question, ending);
    const answer = await this.#askAs(question, until, credential);
    if (answer.status !== UNAUTHORIZED || !credentials.refused(credential)) return answer;
    return this.#askAs(question, until, await this.credentialFor(question, ending));
  }

  async #askAs(question: Question, until: number, credential: Credential): Promise<WholeAnswer> {
    const { method, body, signal, maxBytes, repeatable = method === 'GET' } = question;
    signal?.throwIfAborted();
    const url = this.urlOf(question.path);
    try {
      const { pool, path, headers: ofRoute } = pooledRoute(this.agents, url, credential.certificate);
      const headers = { host: url.host, ...ofRoute, ...this.headersFor(credential, body, method), ...question.headers };
      const bytes = requestBytes(`${method} ${path} HTTP/1.1`, headers, body);
      return await pool.exchange({ bytes, timeout: until - performance.now(), signal, maxBytes, repeatable });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof OutOfTime) throw error;
      throw connectionError(method, url, error);
    }
  }
}

/** Joins the head and the body, so that TLS encrypts them in one record. @throws TypeError for an invalid header */
function requestBytes(line: string, headers: Headers, body: string | Buffer = ''): Buffer {
  let head = `${line}\r\n`;
  for (const name in headers) {
    const value = headers[name] as OutgoingHttpHeader;
    validateHeaderName(name);
    for (const each of Array.isArray(value) ? value : [String(value)]) {
      validateHeaderValue(name, each);
      head += `${name}: ${each}\r\n`;
    }
  }
  head += 'connection: keep-alive\r\n\r\n';
  const bytes = Buffer.allocUnsafe(head.length + Buffer.byteLength(body));
  bytes.write(head, 'latin1');
  if (typeof body === 'string') bytes.write(body, head.length);
  else body.copy(bytes, head.length);
  return bytes;
}
