/** A collector of traces on loopback, which keeps what it is sent: OTLP over gRPC, by the library of gRPC itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import {
  type AnyValue,
  type ExportTraceServiceRequest,
  type KeyValue,
  type Resource,
  type Span,
  SpanKind,
  TraceService,
} from '../../generated/node-interfaces/trace-collector.ts';
import { decodeWireMessage, encodeWireMessage } from '../../runtime/schema/protobuf/wire-messages.ts';

export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  /** '' for the first one of a trace */
  readonly parentId: string;
  readonly attributes: Readonly<Record<string, string | boolean | number | undefined>>;
  readonly events: readonly string[];
  readonly raw: Span;
}

/** Milliseconds: far above what takes seconds on a machine under load. */
const PATIENCE = 60_000;

/** What it does with what it is sent. */
export type Behaviour = 'take' | 'hang' | 'refuse' | 'unavailable';

export class TraceCollector {
  readonly spans: ReceivedSpan[] = [];
  readonly resources: Resource[] = [];
  readonly metadata: Metadata[] = [];
  /** calls, those that it has not taken among them */
  calls = 0;
  behaviour: Behaviour = 'take';
  #server: Server | undefined;
  #port = 0;
  readonly #keeps: boolean;

  /** @param keeps what it is sent */
  constructor(keeps = true) {
    this.#keeps = keeps;
  }

  /** At the port that it had before, if it had one. */
  async listen(): Promise<this> {
    const server = new Server();
    const { path, request, answer } = TraceService.Export;
    server.addService(
      {
        Export: {
          path,
          requestStream: false,
          responseStream: false,
          requestSerialize: () => Buffer.alloc(0),
          requestDeserialize: (bytes) => decodeWireMessage(request, bytes),
          responseSerialize: (message: object) => encodeWireMessage(answer, message),
          responseDeserialize: () => ({}),
        },
      },
      {
        Export: (
          call: { request: ExportTraceServiceRequest; metadata: Metadata },
          done: (error: object | null, answer?: object) => void,
        ) => {
          this.calls++;
          if (this.behaviour === 'hang') return;
          if (this.behaviour === 'refuse') return done({ code: status.INVALID_ARGUMENT, details: 'no spans of yours' });
          if (this.behaviour === 'unavailable') return done({ code: status.UNAVAILABLE, details: 'not now' });
          if (this.#keeps) {
            this.metadata.push(call.metadata);
            this.#take(call.request);
          }
          done(null, {});
        },
      },
    );
    this.#port = await new Promise((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${this.#port}`, ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
    this.#server = server;
    return this;
  }

  get endpoint(): string {
    return `127.0.0.1:${this.#port}`;
  }

  #take({ resourceSpans }: ExportTraceServiceRequest): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      if (resource !== undefined) this.resources.push(resource);
      for (const { spans } of scopeSpans) for (const span of spans) this.spans.push(received(span));
    }
  }

  /** Waits until a span of that sort is there. @throws Error that has all names, after a minute */
  async find(matches: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> {
    const until = Date.now() + PATIENCE;
    for (;;) {
      const found = this.spans.find(matches);
      if (found !== undefined) return found;
      if (Date.now() > until) throw new Error(`no such span among ${this.spans.map(({ name }) => name).join(', ')}`);
      await sleep(5);
    }
  }

  /** Waits for the span of a request, which is the last one of its trace. @param id of the request */
  request(id: string): Promise<ReceivedSpan> {
    return this.find(({ kind, attributes }) => kind === SpanKind.SPAN_KIND_SERVER && attributes['audit-id'] === id);
  }

  /** All of one trace, in the order in which they began. */
  trace(traceId: string): ReceivedSpan[] {
    return this.spans
      .filter((each) => each.traceId === traceId)
      .toSorted((a, b) => Number(a.raw.startTimeUnixNano - b.raw.startTimeUnixNano));
  }

  stop(): void {
    this.#server?.forceShutdown();
    this.#server = undefined;
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function received(raw: Span): ReceivedSpan {
  return {
    name: raw.name,
    kind: raw.kind,
    traceId: hex(raw.traceId),
    spanId: hex(raw.spanId),
    parentId: hex(raw.parentSpanId),
    attributes: valuesOf(raw.attributes),
    events: raw.events.map(({ name }) => name),
    raw,
  };
}

export function valuesOf(attributes: readonly KeyValue[]): ReceivedSpan['attributes'] {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain(value: AnyValue | undefined): string | boolean | number | undefined {
  return value?.stringValue ?? value?.boolValue ?? (value?.intValue === undefined ? undefined : Number(value.intValue));
}
