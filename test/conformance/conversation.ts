/** Has one recorded conversation with a server, and compares each answer with the recorded one. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Dialect } from '../../runtime/contract/identity.ts';
import { Watch, type WatchEvent } from '../harness/watch.ts';
import type { Case, Exchange, Read, RecordedAnswer, Step } from './cases.ts';
import { compareAnswers } from './comparison.ts';
import { answerInDialect, inDialect } from './dialect.ts';
import { type Masking, maskBody, observe, type Received, readBody } from './observation.ts';
import { authorizationOf, type Connections } from './participants.ts';
import { valueAt } from './pointers.ts';
import { Variables } from './variables.ts';

export interface Failure {
  /** id of the step */
  readonly step: string;
  readonly why: readonly string[];
}

export interface ConversationOptions {
  readonly dialect: Dialect;
  /** milliseconds that a step waits for what must come: an answer, a condition, events */
  readonly limit: number;
  /** how often a step looks whether its condition holds, within the limit */
  readonly looks: number;
  /** the first failure ends the conversation */
  readonly untilFailure: boolean;
}

/** Between two looks at a condition, in milliseconds. */
const LOOK_AGAIN = 20;

/** @returns the steps that were answered otherwise than recorded; none when all hold */
export async function converse(recorded: Case, connections: Connections, options: ConversationOptions): Promise<Failure[]> {
  const conversation = new Conversation(recorded, connections, options);
  try {
    return await conversation.run();
  } finally {
    conversation.end();
  }
}

class Conversation {
  readonly #case: Case;
  readonly #connections: Connections;
  readonly #options: ConversationOptions;
  readonly #variables: Variables;
  readonly #watches = new Map<string, Watch>();
  /** metadata.resourceVersion of what was answered last; '' where it has none */
  #latestVersion = '';

  constructor(recorded: Case, connections: Connections, options: ConversationOptions) {
    this.#case = recorded;
    this.#connections = connections;
    this.#options = options;
    this.#variables = new Variables(`c${randomBytes(5).toString('hex').slice(1)}`, connections.known);
  }

  async run(): Promise<Failure[]> {
    const failures: Failure[] = [];
    try {
      if (!this.#case.noNamespace) await this.#makeNamespace();
      for (const step of this.#case.steps) {
        const failure = await this.#take(step);
        if (failure === undefined) continue;
        failures.push(failure);
        if (this.#options.untilFailure) break;
      }
    } catch (error) {
      failures.push({ step: '(conversation)', why: [(error as Error).message] });
    }
    return failures;
  }

  end(): void {
    for (const watch of this.#watches.values()) watch.close();
  }

  async #makeNamespace(): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#variables.namespace } };
    const received = await receive(await this.#send({ method: 'POST', path: '/api/v1/namespaces', body }));
    if (received.status >= 300) throw new Error(`making the namespace: ${received.status} ${received.bytes}`);
  }

  async #take(step: Step): Promise<Failure | undefined> {
    if ('close' in step) {
      this.#watches.get(step.close)?.close();
      return undefined;
    }
    const seen = 'read' in step ? await this.#readWatch(step) : await this.#exchange(step);
    const why = compareAnswers(answerInDialect(step.expect, this.#options.dialect), seen, step.compare ?? 'full', (placeholder) => {
      const [list, object] = [this.#latestVersion, this.#variables.fill(placeholder)];
      return /^\d+$/.test(list) && /^\d+$/.test(object) && BigInt(list) > BigInt(object);
    });
    return why.length === 0 ? undefined : { step: step.id, why };
  }

  async #exchange(step: Exchange): Promise<RecordedAnswer> {
    if (step.watch === 'open') {
      const response = await this.#send(step);
      const { statusCode: status = 0, headers } = response;
      if (status !== 200) return observe(await receive(response), this.#masking(step));
      this.#watches.set(step.id, new Watch(response));
      return { status, headers: { 'content-type': headers['content-type'] ?? '' }, body: null };
    }
    const received = await this.#receiveWhatHolds(step);
    const body = readBody(received);
    this.#latestVersion = String((body as { metadata?: { resourceVersion?: unknown } } | null)?.metadata?.resourceVersion ?? '');
    for (const [name, from] of Object.entries(step.capture ?? {})) {
      const header = /^header:(.*)$/.exec(from)?.[1];
      this.#variables.keep(name, String(header === undefined ? valueAt(body, from) : received.headers[header]));
    }
    return observe(received, this.#masking(step));
  }

  /** The answer that the step waits for; the last one where that does not come in time. */
  async #receiveWhatHolds(step: Exchange): Promise<Received> {
    const over = AbortSignal.timeout(this.#options.limit);
    for (let look = 1; ; look++) {
      const received = await receive(await this.#send(step));
      const last = over.aborted || look >= this.#options.looks;
      if (step.waitFor === undefined || last || holds(step.waitFor, received, this.#options.dialect)) return received;
      await sleep(LOOK_AGAIN);
    }
  }

  async #readWatch(step: Read): Promise<RecordedAnswer> {
    const watch = this.#watches.get(step.read);
    if (watch === undefined) throw new Error(`step ${step.id} reads ${step.read}, which is no open watch`);
    const events = await this.#events(watch, step);
    for (const [name, pointer] of Object.entries(step.capture ?? {})) this.#variables.keep(name, String(valueAt(events, pointer)));
    const body = maskBody({ events, ...(step.untilEnd && { ended: watch.ended }) }, this.#masking(step));
    return { status: 200, headers: {}, body };
  }

  /** As many as the step wants, or fewer where the stream ends or no more come in time. */
  async #events(watch: Watch, step: Read): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    try {
      while (events.length < step.events && !watch.ended) events.push(await watch.next(this.#options.limit));
    } catch {
      // Neither an end of the stream nor silence is an error: the recorded events tell what is missing.
    }
    return events;
  }

  #masking(step: Exchange | Read): Masking {
    return { variables: this.#variables, managedFields: this.#case.managedFields ?? false, ignore: step.ignore ?? [] };
  }

  #send(step: Pick<Exchange, 'as' | 'method' | 'path' | 'headers' | 'body' | 'text' | 'base64'>): Promise<IncomingMessage> {
    const say = (text: string) => inDialect(this.#variables.fill(text), this.#options.dialect);
    const who = say(step.as ?? 'admin');
    const payload = payloadOf(step, say);
    const headers = headersOf(step, payload, say);
    const authorization = authorizationOf(who);
    if (authorization !== undefined) headers.authorization ??= authorization;
    const { limit } = this.#options;
    return new Promise((resolve, reject) => {
      const options = { method: step.method ?? 'GET', headers, agent: this.#connections.agent(who) };
      // The path is given as it is: a URL would be written in its normal form.
      const { hostname, port } = new URL(this.#connections.url);
      const request = https.request({ ...options, host: hostname, port, path: say(step.path) }, (response) => {
        request.setTimeout(0);
        resolve(response);
      });
      request.on('error', reject);
      request.setTimeout(limit, () => request.destroy(new Error(`${step.method ?? 'GET'} ${step.path} had no answer in ${limit} ms`)));
      request.end(payload);
    });
  }
}

/** The name by which the reference knew its client, which it shows in answers. */
const USER_AGENT = 'conformance/1.0';

function headersOf(step: Pick<Exchange, 'headers'>, payload: Buffer | undefined, say: (text: string) => string): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(step.headers ?? {}))
    headers[name.toLowerCase()] = typeof value === 'string' ? say(value) : value.map(say);
  headers['user-agent'] ??= USER_AGENT;
  headers.accept ??= 'application/json';
  if (payload !== undefined) {
    headers['content-type'] ??= 'application/json';
    headers['content-length'] = payload.length;
  }
  return headers;
}

function payloadOf({ body, text, base64 }: Pick<Exchange, 'body' | 'text' | 'base64'>, say: (text: string) => string): Buffer | undefined {
  if (text !== undefined) return base64 ? Buffer.from(text, 'base64') : Buffer.from(say(text));
  return body === undefined ? undefined : Buffer.from(say(JSON.stringify(body)));
}

async function receive(response: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = await Array.fromAsync(response);
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) };
}

function holds(condition: NonNullable<Exchange['waitFor']>, received: Received, dialect: Dialect): boolean {
  if ('status' in condition) return received.status === answerInDialect({ status: condition.status }, dialect).status;
  return isDeepStrictEqual(valueAt(readBody(received), condition.pointer), condition.equals);
}
