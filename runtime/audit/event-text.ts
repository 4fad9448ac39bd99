/**
 * What events have of things, as JSON: exactly what JSON.stringify would give, at a fraction of its cost. What stays the same from event to event is
 * made once, and as few pieces as possible are put together: V8 goes through all of them when the text is written.
 */
import type { ObjectReference } from '../../generated/audit/v1/types.ts';
import type { User } from '../contract/request-context.ts';
import type { Status } from '../status/status.ts';

export type ResponseStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details'>> & { readonly code?: number };

/** All but what stands in JSON as it is: printable characters of ASCII without the quotation mark and the backslash. */
const UNUSUAL = /[^ !#-[\]-~]/;

/** What stands between the quotation marks of a text of JSON. */
export const escaped = (text: string): string => (UNUSUAL.test(text) ? JSON.stringify(text).slice(1, -1) : text);

/** A text of JSON. */
export const quoted = (text: string): string => (UNUSUAL.test(text) ? JSON.stringify(text) : `"${text}"`);

/** Texts that come again and again: keys of annotations, and why a user is allowed what they do. */
const often = new Map<string, string>();
const MOST_OFTEN = 1_000;
/** Characters from which a text is taken for one that comes but once. */
const LONG = 1_000;

/** As `quoted`, of a text that others are likely to have, too. */
function quotedOften(text: string): string {
  if (text.length > LONG) return quoted(text);
  let known = often.get(text);
  if (known === undefined) {
    known = quoted(text);
    if (often.size >= MOST_OFTEN) often.clear();
    often.set(text, known);
  }
  return known;
}

/** Made once for each user. */
const users = new WeakMap<User, string>();

/** @param user undefined where nobody is known */
export function userJson(user: User | undefined): string {
  if (user === undefined) return '{}';
  const known = users.get(user);
  if (known !== undefined) return known;
  const { name, uid, groups, extra } = user;
  const made = JSON.stringify({
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra: Object.fromEntries(Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1))) }),
  });
  users.set(user, made);
  return made;
}

/** Members of a reference in their order, with what stands before the value of the first one and of those behind it. */
const REFERENCE = (['resource', 'namespace', 'name', 'uid', 'apiGroup', 'apiVersion', 'resourceVersion', 'subresource'] as const).map(
  (name) => ({ name, first: `,"objectRef":{"${name}":"`, next: `","${name}":"` }),
);

/** With its name, behind other members. */
export function referenceMember(reference: ObjectReference): string {
  let text = '';
  for (const { name, first, next } of REFERENCE) {
    const value = reference[name];
    if (value !== undefined) text += (text === '' ? first : next) + escaped(value);
  }
  return text === '' ? ',"objectRef":{}' : `${text}"}`;
}

/** By code, of which there are some dozens. */
const codes = new Map<number, string>();

/** With its name, behind other members. */
export function statusMember(status: ResponseStatus): string {
  const { code } = status;
  const hasMore =
    status.status !== undefined || status.message !== undefined || status.reason !== undefined || status.details !== undefined;
  if (hasMore || code === undefined) return `,"responseStatus":${JSON.stringify({ metadata: {}, ...status })}`;
  let known = codes.get(code);
  if (known === undefined) {
    known = `,"responseStatus":{"metadata":{},"code":${code}}`;
    codes.set(code, known);
  }
  return known;
}

/** Those that the last event had, and their text: most requests are allowed by what allowed the one before. */
let lastAnnotations: readonly (readonly [string, string])[] = [];
let lastMember = '';

function areLast(annotations: ReadonlyMap<string, string>): boolean {
  if (annotations.size !== lastAnnotations.length) return false;
  let place = 0;
  for (const [key, value] of annotations) {
    const [lastKey, lastValue] = lastAnnotations[place++] as readonly [string, string];
    if (key !== lastKey || value !== lastValue) return false;
  }
  return true;
}

/** With its name, behind other members; '' of none. By key, as Go writes maps. */
export function annotationsMember(annotations: ReadonlyMap<string, string>): string {
  if (annotations.size === 0) return '';
  if (!areLast(annotations)) {
    lastMember = newAnnotationsMember(annotations);
    lastAnnotations = lastMember.length > LONG ? [] : [...annotations];
  }
  return lastMember;
}

function newAnnotationsMember(annotations: ReadonlyMap<string, string>): string {
  let text = ',"annotations":';
  let mark = '{';
  for (const key of annotations.size === 1 ? annotations.keys() : [...annotations.keys()].sort()) {
    text += `${mark}${quotedOften(key)}:${quotedOften(annotations.get(key) as string)}`;
    mark = ',';
  }
  return `${text}}`;
}

/** The text of the second that was asked for last: most events have it. */
let lastSecond = Number.NaN;
let lastText = '';

function secondText(second: number): string {
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = new Date(second * 1000).toISOString().slice(0, 19);
  }
  return lastText;
}

const THREE_DIGITS = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));

function fractionText(microseconds: number, second: number): string {
  const fraction = Math.floor(microseconds - second * 1e6);
  const thousands = Math.floor(fraction / 1_000);
  return `${THREE_DIGITS[thousands]}${THREE_DIGITS[fraction - thousands * 1_000]}`;
}

/** As the type MicroTime is written. @param microseconds since 1970 */
export function microTime(microseconds: number): string {
  const second = Math.floor(microseconds / 1e6);
  return `${secondText(second)}.${fractionText(microseconds, second)}Z`;
}

/** What stands before the fractions of both times of an event, of the second that both were in last. */
let bothSecond = Number.NaN;
let beforeReceived = '';
let beforeReached = '';

/** Both times of an event with their names, behind other members. @param received microseconds since 1970, as `reached` */
export function timesMembers(received: number, reached: number): string {
  const second = Math.floor(received / 1e6);
  if (second !== Math.floor(reached / 1e6))
    return `,"requestReceivedTimestamp":"${microTime(received)}","stageTimestamp":"${microTime(reached)}"`;
  if (second !== bothSecond) {
    bothSecond = second;
    beforeReceived = `,"requestReceivedTimestamp":"${secondText(second)}.`;
    beforeReached = `Z","stageTimestamp":"${secondText(second)}.`;
  }
  return `${beforeReceived}${fractionText(received, second)}${beforeReached}${fractionText(reached, second)}Z"`;
}

/** RFC 3339 without zeros at the end of the fraction. @param microseconds since 1970 */
export function nanoTime(microseconds: number): string {
  const second = Math.floor(microseconds / 1e6);
  const fraction = fractionText(microseconds, second).replace(/0+$/, '');
  return `${secondText(second)}${fraction === '' ? '' : `.${fraction}`}Z`;
}
