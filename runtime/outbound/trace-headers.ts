/**
 * What requests say of the trace that they are a part of: W3C Trace Context (https://www.w3.org/TR/trace-context/) and W3C Baggage. Clients say what they like:
 * what is no such header is as good as absent.
 */
import type { RequestHeaders } from '../contract/trace.ts';

export interface TraceContext {
  /** 32 digits, in lower case */
  readonly traceId: string;
  /** 16 digits */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** '' where there is none */
  readonly state: string;
}

/** Version 00, and what of later versions is the same (section 3.2.2). */
const PARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** @returns undefined where the headers name no trace */
export function traceContextOf(headers: RequestHeaders): TraceContext | undefined {
  const parent = headers.traceparent;
  if (typeof parent !== 'string' || parent.length > MAX_PARENT) return undefined;
  const match = PARENT.exec(parent);
  if (match === null) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] = match;
  if (version === '00' && rest !== undefined) return undefined;
  const state = headers.tracestate;
  return {
    traceId,
    spanId,
    isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED,
    state: typeof state === 'string' && isTraceState(state) ? state : '',
  };
}

/** Characters; later versions may say more. */
const MAX_PARENT = 256;
const MAX_STATE = 512;
const MAX_MEMBERS = 32;
/** Section 3.3.1.3: a key, which may begin with a digit and name a tenant, and a value of printable characters that does not end with a space. */
const STATE_MEMBER = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

function isTraceState(text: string): boolean {
  if (text.length > MAX_STATE) return false;
  const members = text
    .split(',')
    .map(withoutSpace)
    .filter((each) => each !== '');
  const keys = new Set(members.map((each) => each.slice(0, each.indexOf('='))));
  return members.length <= MAX_MEMBERS && keys.size === members.length && members.every((each) => STATE_MEMBER.test(each));
}

/** Removes the spaces and tabs that may be around a member of a list (RFC 9110, section 5.6.3), but no other white space. */
const withoutSpace = (text: string): string => text.replace(/^[ \t]*/, '').replace(/(?<![ \t])[ \t]+$/, '');

/** @returns the header */
export function traceParent(traceId: string, spanId: string, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

const MAX_BAGGAGE = 8_192;
const MAX_ENTRIES = 180;
/**
 * Matches an entry of baggage: a token, a value of printable characters without quotes, commas, semicolons and backslashes, and properties behind semicolons.
 */
const BAGGAGE_ENTRY =
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+[ \t]*=[ \t]*[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*(?:[ \t]*;[\x20\x21\x23-\x2b\x2d-\x5b\x5d-\x7e\t]*)?$/;

/** Baggage of a request, as it goes on to servers that are asked for it. @returns undefined where there is none */
export function baggageOf({ baggage }: RequestHeaders): string | undefined {
  if (typeof baggage !== 'string' || baggage === '' || baggage.length > MAX_BAGGAGE) return undefined;
  const entries = baggage.split(',');
  return entries.length <= MAX_ENTRIES && entries.every((each) => BAGGAGE_ENTRY.test(withoutSpace(each))) ? baggage : undefined;
}

/** Makes the headers by which servers that are asked for a request continue the request's own trace. */
export function passedOnHeaders(headers: RequestHeaders): Record<string, string> {
  const context = traceContextOf(headers);
  const baggage = baggageOf(headers);
  return {
    ...(context && { traceparent: traceParent(context.traceId, context.spanId, context.isSampled) }),
    ...(context && context.state !== '' && { tracestate: context.state }),
    ...(baggage !== undefined && { baggage }),
  };
}
