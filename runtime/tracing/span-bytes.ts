/** Writes spans as messages of OTLP. The code is written by hand, with the field numbers of the schema, because it takes a quarter of the general writer's time. */
import {
  AnyValue,
  KeyValue,
  Span,
  SpanEvent,
  SpanKind,
  SpanLink,
  SpanStatus,
  StatusCode,
} from '../../generated/node-interfaces/trace-collector.ts';
import type { WireMessage } from '../contract/node-interface.ts';
import { DELIMITED, FIXED32, FIXED64, VARINT } from '../schema/protobuf/layout.ts';
import { BackwardWriter } from '../schema/protobuf/writer.ts';

export type AttributeValue = string | number | boolean;
/** Keys and values in turn. */
export type Attributes = readonly AttributeValue[];

export interface SpanRecord {
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  /** absent: it is the first one of its trace */
  readonly parentId: Buffer | undefined;
  readonly name: string;
  readonly kind: keyof typeof KINDS;
  /** milliseconds, as those of `performance.now()` */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly droppedAttributes: number;
  readonly events: readonly EventRecord[];
  readonly droppedEvents: number;
  /** a span of another trace that the client has named; absent: there is none */
  readonly link: LinkRecord | undefined;
  /** absent: it has not failed */
  readonly problem: string | undefined;
}

export interface EventRecord {
  readonly name: string;
  readonly time: number;
  readonly attributes: Attributes;
}

export interface LinkRecord {
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  readonly state: string;
  readonly isSampled: boolean;
}

const KINDS = {
  internal: SpanKind.SPAN_KIND_INTERNAL,
  server: SpanKind.SPAN_KIND_SERVER,
  client: SpanKind.SPAN_KIND_CLIENT,
} as const;

/** @returns the numbers of a message's fields by their names */
function numbersOf<T>({ fields }: WireMessage<T>): Readonly<Record<keyof T, number>> {
  return Object.fromEntries(fields.map(({ name, number }) => [name, number])) as Record<keyof T, number>;
}

const SPAN = numbersOf(Span);
const EVENT = numbersOf(SpanEvent);
const LINK = numbersOf(SpanLink);
const STATUS = numbersOf(SpanStatus);
const ENTRY = numbersOf(KeyValue);
const VALUE = numbersOf(AnyValue);

const SAMPLED = 0x001;
/** Flags of a span: whether its parent is remote is known, and it is not. */
const PARENT_KNOWN = 0x100;
/** Flags of a link, whose span is always remote. */
const REMOTE = 0x300;

const writer = new BackwardWriter();

/** @returns the message `Span` */
export function spanBytes(span: SpanRecord): Buffer {
  try {
    writeSpan(span);
    return writer.finish();
  } finally {
    writer.reset();
  }
}

function writeSpan(span: SpanRecord): void {
  writer.fixed32(PARENT_KNOWN | SAMPLED);
  writer.tag(SPAN.flags, FIXED32);
  if (span.problem !== undefined) writeProblem(span.problem);
  if (span.link !== undefined) writeLink(span.link);
  writeCount(SPAN.droppedEventsCount, span.droppedEvents);
  for (let i = span.events.length - 1; i >= 0; i--) writeEvent(span.events[i] as EventRecord);
  writeCount(SPAN.droppedAttributesCount, span.droppedAttributes);
  writeAttributes(SPAN.attributes, span.attributes);
  writeTime(SPAN.endTimeUnixNano, span.end);
  writeTime(SPAN.startTimeUnixNano, span.start);
  writer.varint(KINDS[span.kind]);
  writer.tag(SPAN.kind, VARINT);
  writeText(SPAN.name, span.name);
  if (span.parentId !== undefined) writeBytes(SPAN.parentSpanId, span.parentId);
  writeBytes(SPAN.spanId, span.spanId);
  writeBytes(SPAN.traceId, span.traceId);
}

function writeProblem(problem: string): void {
  const before = writer.length;
  writer.varint(StatusCode.STATUS_CODE_ERROR);
  writer.tag(STATUS.code, VARINT);
  if (problem !== '') writeText(STATUS.message, problem);
  endMessage(SPAN.status, before);
}

function writeLink({ traceId, spanId, state, isSampled }: LinkRecord): void {
  const before = writer.length;
  writer.fixed32(REMOTE | (isSampled ? SAMPLED : 0));
  writer.tag(LINK.flags, FIXED32);
  if (state !== '') writeText(LINK.traceState, state);
  writeBytes(LINK.spanId, spanId);
  writeBytes(LINK.traceId, traceId);
  endMessage(SPAN.links, before);
}

function writeEvent({ name, time, attributes }: EventRecord): void {
  const before = writer.length;
  writeAttributes(EVENT.attributes, attributes);
  writeText(EVENT.name, name);
  writeTime(EVENT.timeUnixNano, time);
  endMessage(SPAN.events, before);
}

function writeAttributes(number: number, attributes: Attributes): void {
  for (let i = attributes.length - 2; i >= 0; i -= 2) {
    const before = writer.length;
    writeValue(attributes[i + 1] as AttributeValue);
    endMessage(ENTRY.value, before);
    writeText(ENTRY.key, attributes[i] as string);
    endMessage(number, before);
  }
}

function writeValue(value: AttributeValue): void {
  if (typeof value === 'string') writeText(VALUE.stringValue, value);
  else if (typeof value === 'boolean') {
    writer.varint(Number(value));
    writer.tag(VALUE.boolValue, VARINT);
  } else {
    writer.int64(value);
    writer.tag(VALUE.intValue, VARINT);
  }
}

function endMessage(number: number, before: number): void {
  writer.varint(writer.length - before);
  writer.tag(number, DELIMITED);
}

function writeText(number: number, text: string): void {
  writer.text(text);
  writer.tag(number, DELIMITED);
}

function writeBytes(number: number, bytes: Buffer): void {
  writer.raw(bytes);
  writer.varint(bytes.length);
  writer.tag(number, DELIMITED);
}

function writeCount(number: number, count: number): void {
  if (count === 0) return;
  writer.varint(count);
  writer.tag(number, VARINT);
}

/** @param milliseconds as those of `performance.now()` */
function writeTime(number: number, milliseconds: number): void {
  writer.fixed64(BigInt(Math.round((performance.timeOrigin + milliseconds) * 1_000)) * 1_000n);
  writer.tag(number, FIXED64);
}
