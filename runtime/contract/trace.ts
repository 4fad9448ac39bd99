/**
 * What work for a request says of itself where the request is traced. Nothing of it is there for all other requests, which are nearly all: who begins a part
 * of a trace does so by `trace?.enter(…)`, so that nothing is made for them.
 */

/** By names that 1.32 has, where it has one. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean>>;

/** Of requests, by their names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** On whose behalf another server is asked. */
export interface TraceParent {
  /**
   * Begins the question as a part of the trace. Absent where there is no trace of this server's
   * @param body or its length in bytes; absent: there is none, or nobody knows
   */
  beginCall?(method: string, url: URL, body?: string | number): TracedCall;
  /** headers of a client whose own trace, if it has one, goes on through this server; absent: none does */
  readonly passedOn?: RequestHeaders;
}

/** A question to another server. */
export interface TracedCall {
  /** by which the other server knows of the trace (W3C Trace Context, W3C Baggage) */
  readonly headers: Readonly<Record<string, string>>;
  /** @param outcome the status of the answer, or what kept it from coming. @param length of its body, where its head says so */
  end(outcome: number | Error, length?: number): void;
}

/** Traces calls of gRPC services: each for itself, or as a part of what it is asked for. */
export interface ServiceCallTracer {
  /** @param path of the method, such as `/v2.KeyManagementService/Status` */
  beginServiceCall(path: string, attributes: TraceAttributes): TracedServiceCall;
}

export interface TracedServiceCall {
  /** to send with the call: whether it is recorded or not, the service is told */
  readonly headers: Readonly<Record<string, string>>;
  /** @param code of gRPC, as Go's library spells it. @param problem what the service says; absent: nothing is wrong */
  end(code: string, problem?: string): void;
}

/** A part of a trace, as who knows nothing of its request sees it. */
export interface Part {
  /** in hexadecimal digits */
  readonly id: string;
  /** Begins a part of it, which others may go on beside. */
  begin(name: string, attributes?: TraceAttributes): Span;
}

/** A part of a trace, from when it was begun. All that is done to it after its end is without effect. */
export interface Span extends Part, TraceParent, ServiceCallTracer {
  /** Says that something has happened. @param at by `performance.now()`; default: now */
  event(name: string, attributes?: TraceAttributes, at?: number): void;
  /** Says that something happens when it ends. */
  atEnd(name: string): void;
  /** Says what is known of it only later. */
  set(attributes: TraceAttributes): void;
  end(): void;
}

/** Where work on another thread belongs, in hexadecimal digits. */
export interface TracePlace {
  readonly traceId: string;
  readonly spanId: string;
}

/** Of one request. */
export interface Trace {
  /** id of the request, as audit has it, in the length that traces have */
  readonly auditId: string;
  /** the innermost part under way that nothing else goes on beside */
  readonly current: Span;
  /** of the current part */
  readonly place: TracePlace;
  /** Takes parts that another thread has recorded, as they are sent to collectors. */
  adopt(parts: readonly Uint8Array[]): void;
  /** A part that another thread has begun. @param id of it */
  at(id: string): Part;
  /** Begins a part of the current one, and is the current one until it ends. */
  enter(name: string, attributes?: TraceAttributes): Span;
  /** Does work as such a part. */
  during<T>(name: string, attributes: TraceAttributes | undefined, work: () => Promise<T>): Promise<T>;
}
