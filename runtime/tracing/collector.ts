/** Sends spans to a collector by OTLP over gRPC. As in 1.32 it uses no TLS: the collector is on the server's own node, or something in between secures the way. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ExportTraceServiceRequest,
  ExportTraceServiceRequest as Request,
  type Resource,
  ResourceSpans,
  ScopeSpans,
  TraceService,
} from '../../generated/node-interfaces/trace-collector.ts';
import type { Sparse, UnaryMethod, WireMessage } from '../contract/node-interface.ts';
import { InterfaceClient } from '../node-agent/grpc/interface-client.ts';
import { InterfaceError, type InterfaceErrorCode } from '../node-agent/grpc/interface-error.ts';
import type { Attributes } from './span-bytes.ts';

/** Milliseconds for one batch including its repetitions, and the first and the longest wait before a repetition, as in the exporter of 1.32. */
const TIMEOUT = 10_000;
const FIRST_WAIT = 5_000;
const LONGEST_WAIT = 30_000;

/** After these errors a batch may be sent again (OTLP, Failures). */
const TRANSIENT: ReadonlySet<InterfaceErrorCode> = new Set([
  'CANCELLED',
  'DEADLINE_EXCEEDED',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNAVAILABLE',
  'DATA_LOSS',
]);

/** The same messages, with spans that are bytes already: on the wire both look the same. */
interface EncodedRequest {
  readonly resourceSpans: readonly {
    readonly resource: Resource;
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string };
      readonly spans: readonly Uint8Array[];
    }[];
  }[];
}

function withType<T>(layout: WireMessage<T>, field: keyof T, type: WireMessage['fields'][number]['type']): WireMessage {
  return { name: layout.name, fields: layout.fields.map((each) => (each.name === field ? { ...each, type } : each)) };
}

const ENCODED_SCOPE = withType(ScopeSpans, 'spans', 'bytes');
const ENCODED_RESOURCE = withType(ResourceSpans, 'scopeSpans', () => ENCODED_SCOPE);
const EXPORT = {
  ...TraceService.Export,
  request: withType<ExportTraceServiceRequest>(Request, 'resourceSpans', () => ENCODED_RESOURCE) as WireMessage<EncodedRequest>,
} as UnaryMethod<
  EncodedRequest,
  { readonly partialSuccess: { readonly rejectedSpans: bigint; readonly errorMessage: string } | undefined }
>;

export interface CollectorOptions {
  /** `HOST:PORT`, or an address with a scheme of gRPC, such as `dns:` or `unix:` */
  readonly endpoint: string;
  /** attributes of the program: keys and values in turn */
  readonly resource: Attributes;
  /** name and version of the library that makes the spans */
  readonly scope: { readonly name: string; readonly version: string };
  /** sent with each batch */
  readonly headers: Readonly<Record<string, string>>;
  /** milliseconds; for tests */
  readonly firstWait?: number;
}

/** The collector has accepted only a part of a batch. */
export class PartialSuccess extends Error {
  readonly rejected: number;

  constructor(rejected: number, message: string) {
    super(`the collector has refused ${rejected} spans: ${message}`);
    this.rejected = rejected;
  }
}

export class Collector {
  readonly #client: InterfaceClient;
  readonly #resource: Sparse<Resource>;
  readonly #options: CollectorOptions;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#client = new InterfaceClient({ address: options.endpoint });
    this.#resource = { attributes: entries(options.resource) };
  }

  /**
   * @param spans messages of the layout Span
   * @param signal gives up
   * @throws InterfaceError if they are not accepted; PartialSuccess
   */
  async send(spans: readonly Buffer[], signal: AbortSignal): Promise<void> {
    const { scope, headers, firstWait = FIRST_WAIT } = this.#options;
    const request = { resourceSpans: [{ resource: this.#resource, scopeSpans: [{ scope, spans }] }] };
    const end = performance.now() + TIMEOUT;
    let wait = firstWait;
    for (;;) {
      try {
        const { partialSuccess } = await this.#client.call(EXPORT, request as Sparse<EncodedRequest>, {
          timeout: Math.max(1, end - performance.now()),
          signal,
          headers,
        });
        const rejected = Number(partialSuccess?.rejectedSpans ?? 0n);
        if (rejected > 0) throw new PartialSuccess(rejected, partialSuccess?.errorMessage ?? '');
        return;
      } catch (error) {
        const pause = wait * (0.5 + Math.random());
        const mayBeSentAgain = error instanceof InterfaceError && TRANSIENT.has(error.code) && performance.now() + pause < end;
        if (signal.aborted || !mayBeSentAgain) throw error;
        await sleep(pause, undefined, { ref: false, signal }).catch(() => {});
        if (signal.aborted) throw error;
        wait = Math.min(wait * 1.5, LONGEST_WAIT);
      }
    }
  }

  close(): void {
    this.#client.close();
  }
}

function entries(attributes: Attributes): Sparse<Resource['attributes']> {
  const all: { key: string; value: { stringValue: string } }[] = [];
  for (let i = 0; i < attributes.length; i += 2)
    all.push({ key: String(attributes[i]), value: { stringValue: String(attributes[i + 1]) } });
  return all;
}
