/** An answer as recordings hold it: what differs from run to run has a placeholder. */
import type { IncomingHttpHeaders } from 'node:http';
import type { RecordedAnswer } from './cases.ts';
import { mark } from './pointers.ts';
import type { Variables } from './variables.ts';

/** Those that a client acts on. */
const COMPARED_HEADERS = ['content-type', 'warning', 'retry-after', 'location', 'content-encoding', 'www-authenticate', 'allow'];

const TIME_MEMBERS = [
  'creationTimestamp',
  'deletionTimestamp',
  'expirationTimestamp',
  'firstTimestamp',
  'lastTimestamp',
  'lastHeartbeatTime',
  'lastProbeTime',
  'lastTransitionTime',
  'lastUpdateTime',
  'startTime',
  'time',
];

/** What stands for a text, by the name of its member. */
const PLACEHOLDERS = new Map([
  ...TIME_MEMBERS.map((member): [string, string] => [member, '<time>']),
  ...['eventTime', 'renewTime', 'acquireTime', 'continue', 'uid', 'token'].map((member): [string, string] => [member, `<${member}>`]),
  ['resourceVersion', '<rv>'],
  ['clusterIP', '<ip>'],
]);
/** Members whose numbers and texts are ports that the server chose. */
const PORT_MEMBERS = new Set(['nodePort', 'healthCheckNodePort']);

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

export interface Masking {
  readonly variables: Variables;
  readonly managedFields: boolean;
  /** JSON pointers */
  readonly ignore: readonly string[];
}

export function observe(received: Received, masking: Masking): RecordedAnswer {
  const headers: Record<string, string> = {};
  for (const name of COMPARED_HEADERS) {
    const value = received.headers[name];
    if (value === undefined) continue;
    const text = maskText(String(value), masking.variables);
    const shown = name === 'warning' ? withoutOwnWarnings(text) : text;
    if (shown !== '') headers[name] = shown;
  }
  return { status: received.status, headers, body: maskBody(readBody(received), masking) };
}

/** Without what this server says besides 1.32: that it does not enforce what is written. */
function withoutOwnWarnings(warnings: string): string {
  return warnings.replace(/(?:^|, )299 - "this server does not enforce [^"]*"/g, '').replace(/^, /, '');
}

/** The value of a body: JSON is parsed, of protobuf only the prefix and whether anything follows are kept, all else is text. */
export function readBody({ headers, bytes }: Pick<Received, 'headers' | 'bytes'>): unknown {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.includes('protobuf')) return { '<protobuf>': bytes.toString('hex', 0, 4), length: bytes.length > 4 ? '<some>' : 0 };
  const text = bytes.toString();
  if (!type.trimEnd().endsWith('json')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return { '<unparsable>': text.slice(0, 500) };
  }
}

export function maskBody(value: unknown, masking: Masking): unknown {
  const masked = mask(value, undefined, masking);
  for (const pointer of masking.ignore) mark(masked, pointer, '<ignored>');
  return masked;
}

/** @param member name of the member that holds the value; undefined for items of lists */
function mask(value: unknown, member: string | undefined, masking: Masking): unknown {
  if (Array.isArray(value)) return value.map((item) => (member === 'clusterIPs' ? '<ip>' : mask(item, undefined, masking)));
  if (value !== null && typeof value === 'object') {
    const shown = Object.entries(value).filter(([name]) => name !== 'managedFields' || masking.managedFields);
    return Object.fromEntries(shown.map(([name, each]) => [name, mask(each, name, masking)]));
  }
  if (typeof value === 'number') return PORT_MEMBERS.has(member ?? '') ? '<port>' : value;
  if (typeof value !== 'string') return value;
  return masking.variables.nameOf(value) ?? placeholder(value, member) ?? maskText(value, masking.variables);
}

function placeholder(text: string, member: string | undefined): string | undefined {
  if (member === undefined || text === '') return undefined;
  if (PORT_MEMBERS.has(member)) return '<port>';
  return member === 'clusterIP' && text === 'None' ? undefined : PLACEHOLDERS.get(member);
}

function maskText(text: string, variables: Variables): string {
  return variables.conceal(text).replace(TIME, '<time>').replace(UID, '<uid>');
}
