/** The trace of a client's request, with the parts, attributes and events that 1.32 has. Loaded where requests are traced. */
import type { Context } from 'koa';
import { sourceAddresses } from '../../audit/source-addresses.ts';
import type { ClientAnswer } from '../../connections/client-answer.ts';
import type { Part, Span, Trace, TraceAttributes, TracePlace } from '../../contract/trace.ts';
import type { Encoding } from '../../negotiation/negotiation.ts';
import type { ListReading } from '../../registry/lists/list.ts';
import type { RequestInfo } from './request-info.ts';
import { scopeOf, verbOf } from './request-labels.ts';
import { beginReading, type TracedList } from './traced-list.ts';

const VERBS: Readonly<Record<string, string>> = {
  create: 'Create',
  get: 'Get',
  list: 'List',
  update: 'Update',
  patch: 'Patch',
  delete: 'Delete',
  deletecollection: 'Delete',
};

/** What is said as soon as a verb is begun, of verbs whose handlers begin with that. */
const FIRST_EVENTS: Readonly<Record<string, string>> = {
  get: 'About to Get from storage',
  list: 'About to List from storage',
};

/** Characters, as 1.32 has it. */
const MOST_USER_AGENT = 1_024;

/** What it says of a client's request. */
export interface TracedClient {
  readonly info: RequestInfo;
  readonly answer: Pick<ClientAnswer, 'length'>;
  /** the body, once it was read */
  readonly body?: Buffer;
}

export class ClientTrace implements Trace {
  readonly #trace: Trace;
  readonly #client: TracedClient;
  readonly #context: Context;
  /** the attributes about the answer, which are added when it has ended; undefined if there are none */
  answered: TraceAttributes | undefined;

  constructor(trace: Trace, client: TracedClient, context: Context) {
    this.#trace = trace;
    this.#client = client;
    this.#context = context;
  }

  get auditId(): string {
    return this.#trace.auditId;
  }

  get current(): Span {
    return this.#trace.current;
  }

  get place(): TracePlace {
    return this.#trace.place;
  }

  adopt(parts: readonly Uint8Array[]): void {
    this.#trace.adopt(parts);
  }

  at(id: string): Part {
    return this.#trace.at(id);
  }

  enter(name: string, attributes?: TraceAttributes): Span {
    return this.#trace.enter(name, attributes);
  }

  during<T>(name: string, attributes: TraceAttributes | undefined, work: () => Promise<T>): Promise<T> {
    return this.#trace.during(name, attributes, work);
  }

  /** Begins the part in which the handler of the request's verb runs. Watches have none, as in 1.32. @param begins what is done first */
  enterVerb(begins?: string): Span {
    const { verb } = this.#client.info;
    const span = this.enter(VERBS[verb] ?? verb, this.#verbAttributes());
    if (begins !== undefined) span.event(begins);
    const first = FIRST_EVENTS[verb];
    if (first !== undefined) span.event(first);
    return span;
  }

  #verbAttributes(): TraceAttributes {
    const { info } = this.#client;
    const { req } = this.#context;
    const { accept = '', 'user-agent': userAgent = '', 'content-type': contentType } = req.headers;
    return {
      accept,
      'audit-id': this.auditId,
      client: sourceAddresses(req)[0] ?? '',
      'api-group': info.group,
      'api-version': info.version,
      name: info.name,
      subresource: info.subresource,
      namespace: info.namespace,
      protocol: `HTTP/${req.httpVersion}`,
      resource: info.resource,
      scope: scopeOf(info),
      url: info.path,
      'user-agent': userAgent.length > MOST_USER_AGENT ? `${userAgent.slice(0, MOST_USER_AGENT)}...TRUNCATED` : userAgent,
      verb: verbOf(info, contentType),
    };
  }

  /** Begins to read a list. */
  beginList(list: Omit<TracedList, 'auditId'>): ListReading {
    return beginReading(this.current, { ...list, auditId: this.auditId });
  }

  /** Says that a write is about to begin. */
  beginWrite(): WritePart {
    this.current.event('About to store object in database');
    return new WritePart(this.current, this.#client.body?.length ?? 0);
  }

  /** Begins to encode and to send an answer to what was asked for, which is a part until the connection was given all of it. */
  beginAnswer(mediaType: string, encoding: Encoding): AnswerPart {
    if (this.#client.info.verb !== 'list') this.current.event('About to write a response');
    return this.beginError(mediaType, encoding);
  }

  /** Does the same for an answer with an error. */
  beginError(mediaType: string, encoding: Encoding): AnswerPart {
    const { info, answer } = this.#client;
    const { req } = this.#context;
    const span = this.enter('SerializeObject', {
      'audit-id': this.auditId,
      method: req.method ?? '',
      url: info.path,
      protocol: `HTTP/${req.httpVersion}`,
      mediaType,
      encoder: encoderName(encoding, info.group === '' ? info.version : `${info.group}/${info.version}`),
    });
    return new AnswerPart(span, answer);
  }

  /** Says that the answer that was begun is about to leave. @param size of its body, in bytes; undefined: it is not known yet */
  tellWriting(size: number | undefined): void {
    tellWriting(this.current, size);
  }
}

function tellWriting(span: Span, size: number | undefined): void {
  span.event('About to start writing response', size === undefined ? undefined : { size });
}

/** A write, of which a trace says what has become. */
export class WritePart {
  readonly #span: Span;
  readonly #length: number;

  /** @param length of the body, in bytes */
  constructor(span: Span, length: number) {
    this.#span = span;
    this.#length = length;
  }

  follow(written: Promise<unknown>): void {
    const len = this.#length;
    written.then(
      () => this.#span.event('Write to database call succeeded', { len }),
      (error: Error) => this.#span.event('Write to database call failed', { len, err: error.message }),
    );
  }
}

export class AnswerPart {
  readonly #span: Span;
  readonly #answer: TracedClient['answer'];

  constructor(span: Span, answer: TracedClient['answer']) {
    this.#span = span;
    this.#answer = answer;
  }

  /** @param size of the body, in bytes */
  begins(size: number): void {
    tellWriting(this.#span, size);
  }

  /** @param sending resolves when the connection was given all. @throws what it rejects with */
  async until(sending: Promise<void>): Promise<void> {
    const span = this.#span;
    try {
      await sending;
      span.event('Write call succeeded', { size: this.#answer.length });
    } catch (error) {
      span.event('Write call failed', { size: this.#answer.length, err: (error as Error).message });
      throw error;
    } finally {
      span.end();
    }
  }
}

/** Makes the name that traces of 1.32 have for an encoder. */
function encoderName(encoding: Encoding, encodeGV: string): string {
  return `{"encodeGV":${JSON.stringify(encodeGV)},"encoder":${ENCODERS[encoding]},"name":"versioning"}`;
}

const jsonEncoder = (yaml: boolean): string =>
  JSON.stringify(JSON.stringify({ name: 'json', pretty: 'false', strict: 'false', yaml: String(yaml) }));
const ENCODERS: Readonly<Record<Encoding, string>> = {
  json: jsonEncoder(false),
  yaml: jsonEncoder(true),
  protobuf: '"protobuf"',
  cbor: '"cbor"',
};
