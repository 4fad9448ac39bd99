/** Converts a request to the form that another thread answers, and sends that thread's answer. */
import type { Context } from 'koa';
import type { User } from '../../contract/request-context.ts';
import type { ClientRequest } from '../../endpoints/request/client-request.ts';
import { answersHeard } from '../../outbound/heard-answers.ts';
import type { LongAnswer, LongRequest, Noted } from './long-request-messages.ts';

/** Headers that the thread does not get: the user is known already, and the connection is not the thread's. */
const LEFT_OUT = /^(?:authorization|impersonate-.*|connection|keep-alive|content-length|transfer-encoding|expect|upgrade|:.*)$/;

export function requestOf(client: ClientRequest, { req }: Context, body: Uint8Array<ArrayBuffer>): LongRequest {
  const { id, user, recorder, trace } = client;
  const headers: [string, string][] = [];
  // HTTP/2 sends the host as `:authority`
  const { ':authority': authority } = req.headers;
  if (typeof authority === 'string' && req.headers.host === undefined) headers.push(['host', authority]);
  for (const [name, value] of Object.entries(req.headers)) {
    if (LEFT_OUT.test(name) || name === 'audit-id' || value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) headers.push([name, each]);
  }
  headers.push(['audit-id', id]);
  const recording = recorder && { recording: recorder.sentForm };
  const traced = trace && { trace: trace.place };
  const answers = answersHeard(client);
  const heard = answers && { heard: { answers, choices: client.choices } };
  return { method: req.method as string, url: req.url as string, headers, user: plainUser(user), body, ...recording, ...traced, ...heard };
}

/** A copy that can be sent to another thread: users may have more fields than these. */
export const plainUser = ({ name, uid, groups, extra }: User): User => ({ name, uid, groups: [...groups], extra: { ...extra } });

export function sendAnswer(client: ClientRequest, context: Context, { status, headers, body, noted, spans = [] }: LongAnswer): void {
  const { answer } = client;
  const { res } = context;
  if (noted !== undefined) passOn(client, noted);
  client.trace?.adopt(spans);
  // the answer also has the headers that the chain has set here, so they are replaced and not doubled
  const seen = new Set<string>();
  for (const [name, value] of headers) {
    if (seen.has(name)) res.appendHeader(name, value);
    else res.setHeader(name, value);
    seen.add(name);
  }
  if (body.length === 0) return answer.sendEmpty(status);
  answer.send(status, String(res.getHeader('content-type')), Buffer.from(body.buffer, body.byteOffset, body.length));
}

function passOn(client: ClientRequest, { annotations, timings, sent, outcome }: Noted): void {
  for (const [key, value] of annotations) client.annotate(key, value);
  for (const [step, milliseconds] of timings) client.took(step, milliseconds);
  if (sent !== undefined) client.recorder?.sentElsewhere(sent);
  if (outcome !== undefined) client.recorder?.outcome(outcome);
}
