/** Makes the events of one request, from the moment at which its user is known until its answer has ended. */
import type { ObjectReference } from '../../generated/audit/v1/types.ts';
import type { AnswerEnd } from '../connections/client-answer.ts';
import { RecordedBody } from '../connections/recorded-body.ts';
import type { ApiObject } from '../contract/object.ts';
import type { User } from '../contract/request-context.ts';
import type { Negotiator } from '../negotiation/negotiation.ts';
import { formatDuration } from '../schema/scalar/duration.ts';
import type { Status } from '../status/status.ts';
import { AuditEvent, type EventHead, type RecordedJson } from './audit-event.ts';
import { isAtLeast, type Recording, type Stage } from './audit-policy.ts';
import type { AuditSink } from './audit-sink.ts';
import type { AuditedClient, HttpExchange } from './audited-client.ts';
import type { ResponseStatus } from './event-text.ts';
import { answerJson, sentObject, sentPatch } from './recorded-object.ts';
import type { RequestRecorder, Sent, SentForm, SentReference } from './request-recorder.ts';

export interface RequestAuditParts {
  readonly sink: AuditSink;
  readonly negotiator: Pick<Negotiator, 'encodingOf'>;
  /** the prefix of the keys of annotations about latencies, with a slash at the end */
  readonly latencyPrefix: string;
  /** the most bytes of an answer that are recorded */
  readonly mostOfAnswer: number;
  /** is called with the error if a body cannot be recorded */
  readonly failed: (error: unknown) => void;
  /** counts each event */
  readonly counted: () => void;
}

/** The milliseconds above which the events of a request have annotations about where the time went. */
const SLOW = 500;
const SWITCHING_PROTOCOLS = 101;
const CLOSED_EARLY: ResponseStatus = { status: 'Success', message: 'Connection closed early', code: 200 };

export class RequestAudit implements RequestRecorder {
  readonly #parts: RequestAuditParts;
  readonly #recording: Recording;
  readonly #head: EventHead;
  readonly #request: AuditedClient;
  readonly #exchange: HttpExchange;
  readonly #who: User | undefined;
  #objectRef: ObjectReference | undefined;
  #requestObject: string | undefined;
  #status: ResponseStatus | undefined;
  /** the error that was sent instead of an answer */
  #refusal: string | undefined;
  #body: RecordedBody | undefined;
  #isOver = false;
  #isHandled = false;
  /** makes the last event once the request is handled, where its client has gone before that */
  #rest: (() => void) | undefined;

  constructor(parts: RequestAuditParts, recording: Recording, head: EventHead, request: AuditedClient, exchange: HttpExchange) {
    this.#parts = parts;
    this.#recording = recording;
    this.#head = head;
    this.#request = request;
    this.#exchange = exchange;
    this.#who = head.fields.user;
    this.#objectRef = referenceOf(request);
  }

  get sentForm(): SentForm {
    return { whole: isAtLeast(this.#recording.level, 'Request'), omitManagedFields: this.#recording.omitManagedFields };
  }

  /** @returns false if the request must not go on */
  received(): boolean | Promise<boolean> {
    return this.#tell('RequestReceived', this.#head.fields.received);
  }

  /** Records the rest of a request. @param isLongRunning whether the beginning of its answer is an event of its own */
  follow(isLongRunning: boolean): void {
    const { answer } = this.#request;
    if (isLongRunning)
      answer.whenBegun((code) => {
        this.#status = { ...this.#status, code };
        void this.#tell('ResponseStarted', microseconds(), this.#refusal);
      });
    answer.whenOver((end) => {
      // whoever goes early does not hide what becomes of the request
      if (answer.status === 0 && !this.#isHandled) this.#rest = () => this.#end(end, isLongRunning);
      else this.#end(end, isLongRunning);
    });
  }

  handled(): void {
    this.#isHandled = true;
    const rest = this.#rest;
    this.#rest = undefined;
    rest?.();
  }

  /** Records only the answer of a refused request. @param outcome with which it is answered */
  refuse(outcome: Status): void {
    this.outcome(outcome);
    this.#request.answer.whenBegun((code) => {
      this.#status = { ...this.#status, code };
      void this.#tell('ResponseStarted', microseconds(), this.#refusal);
    });
  }

  sent(object: ApiObject): void {
    this.sentElsewhere(sentObject(object, this.sentForm));
  }

  sentElsewhere({ json, objectRef }: Sent): void {
    this.#objectRef = mergedReference(objectRef, this.#objectRef);
    if (json !== undefined) this.#requestObject = json;
  }

  sentPatch(body: Buffer): void {
    this.sentElsewhere(sentPatch(body, this.sentForm));
  }

  answers(): void {
    if (this.#body !== undefined || this.#recording.level !== 'RequestResponse') return;
    this.#body = new RecordedBody(this.#parts.mostOfAnswer);
    this.#request.answer.record(this.#body);
  }

  outcome(outcome: Status): void {
    const { status, message, reason, details, code } = outcome;
    if (this.#recording.level === 'RequestResponse') this.#refusal = JSON.stringify(outcome);
    this.#status = {
      status,
      ...(message !== undefined && { message }),
      ...(reason !== undefined && { reason }),
      ...(details !== undefined && { details }),
      ...(code !== undefined && { code }),
    };
  }

  failed(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#status = {
      status: 'Failure',
      reason: 'InternalError',
      message: `APIServer panic'd: see ${this.#head.fields.auditID} in the log`,
      code: 500,
    };
    void this.#tell('Panic');
  }

  #end(end: AnswerEnd, isLongRunning: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { status: code } = this.#request.answer;
    if (code !== 0 && this.#status?.code !== code) this.#status = { ...this.#status, code };
    if (this.#status?.code === undefined) {
      this.#status = CLOSED_EARLY;
      if (isLongRunning) void this.#tell('ResponseStarted');
    }
    const now = performance.now();
    const latency = now - this.#request.received;
    if (latency > SLOW && this.#head.fields.verb !== 'watch') this.#noteLatency(latency, isLongRunning ? 0 : this.#writing(now));
    const reached = microseconds(now);
    // of an answer that was there as a whole, all is recorded, whatever the client has got of it
    const answered = end === 'broken' && this.#body?.isWhole !== true ? this.#refusal : this.#answered();
    if (answered instanceof Promise) void answered.then((json) => this.#tell('ResponseComplete', reached, json));
    else void this.#tell('ResponseComplete', reached, answered);
  }

  /**
   * The milliseconds in which the client took the answer; 0 if there was no answer, or only a switch to another protocol.
   * @param now the time by `performance.now()`
   */
  #writing(now: number): number {
    const { begunAt, status } = this.#request.answer;
    return begunAt === 0 || status === SWITCHING_PROTOCOLS ? 0 : now - begunAt;
  }

  /**
   * Adds the annotations that 1.32 has for slow requests: how long the steps took. Where no step is known it has none.
   * @param total milliseconds for the whole request
   * @param writing milliseconds for the writing of the answer; 0 to leave that annotation out
   */
  #noteLatency(total: number, writing: number): void {
    const { latencyPrefix } = this.#parts;
    if (this.#request.timings.size === 0 && writing <= 0) return;
    const text = (milliseconds: number): string => formatDuration(BigInt(Math.round(milliseconds * 1e6)));
    for (const [step, milliseconds] of this.#request.timings) this.#request.annotate(`${latencyPrefix}${step}`, text(milliseconds));
    if (writing > 0) this.#request.annotate(`${latencyPrefix}response-write`, text(writing));
    this.#request.annotate(`${latencyPrefix}total`, text(total));
  }

  /** Makes the JSON of the answer; undefined if it is not recorded, or cannot be. A promise never rejects. */
  #answered(): RecordedJson | undefined | Promise<RecordedJson | undefined> {
    const bytes = this.#body?.bytes;
    if (bytes === undefined) return undefined;
    const { res } = this.#exchange;
    const form = {
      contentType: this.#request.answer.contentType,
      isZipped: res.getHeader('content-encoding') === 'gzip',
      omitManagedFields: this.#recording.omitManagedFields,
    };
    const failed = (error: unknown): undefined => {
      this.#parts.failed(error);
      return undefined;
    };
    try {
      const json = answerJson(bytes, form, this.#parts.negotiator, this.#request.registry);
      return json instanceof Promise ? json.catch(failed) : json;
    } catch (error) {
      return failed(error);
    }
  }

  #tell(stage: Stage, reached = microseconds(), responseObject?: RecordedJson): boolean | Promise<boolean> {
    if (this.#recording.omitStages.has(stage)) return true;
    const { impersonator, user, annotations } = this.#request;
    const state = {
      stage,
      reached,
      actsAs: this.#who !== undefined && impersonator !== undefined ? user : undefined,
      objectRef: this.#objectRef,
      status: this.#status,
      requestObject: this.#requestObject,
      responseObject,
      annotations,
    };
    this.#parts.counted();
    return this.#parts.sink.take(new AuditEvent(this.#head, state));
  }
}

const { timeOrigin } = performance;

/** Converts a time to microseconds since 1970. @param milliseconds the time by `performance.now()`; default: now */
export function microseconds(milliseconds = performance.now()): number {
  return Math.round((timeOrigin + milliseconds) * 1_000);
}

function referenceOf({ info, askedName: name }: AuditedClient): ObjectReference | undefined {
  if (info?.isResource !== true) return undefined;
  const { resource, namespace, group, version, subresource } = info;
  return {
    resource,
    ...(namespace !== '' && { namespace }),
    ...(name !== '' && { name }),
    ...(group !== '' && { apiGroup: group }),
    ...(version !== '' && { apiVersion: version }),
    ...(subresource !== '' && { subresource }),
  };
}

/** Completes a reference with what the object says about itself. What the path says takes precedence. */
function mergedReference(said: SentReference, known: ObjectReference = {}): ObjectReference {
  const merged = { ...known };
  for (const name of ['name', 'namespace', 'uid', 'resourceVersion'] as const) {
    const value = said[name];
    if (merged[name] === undefined && value !== undefined && value !== '') merged[name] = value;
  }
  return merged;
}
