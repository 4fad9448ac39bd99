/**
 * Parts of events as JSON. The text is exactly that of JSON.stringify, at a fraction of its cost: repeated parts are cached, and few pieces are joined, because
 * V8 has to visit each piece when the text is written.
 */
import type { ObjectReference } from '../../generated/audit/v1/types.ts';
import type { User } from '../contract/request-context.ts';
import type { Status } from '../status/status.ts';

export type ResponseStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details'>> & { readonly code?: number };

/** Matches characters that JSON may have to escape: all but printable ASCII without the quotation mark and the backslash. */
const UNUSUAL = /[^ !#-[\]-~]/;

/** @returns a JSON string without its quotation marks */
export const escaped = (text: string): string => (UNUSUAL.test(text) ? JSON.stringify(text).slice(1, -1) : text);

/** @returns a JSON string */
export const quoted = (text: string): string => (UNUSUAL.test(text) ? JSON.stringify(text) : `"${text}"`);

/** Cached texts that recur, such as keys of annotations and reasons of authorization. */
const often = new Map<string, string>();
/** Texts that are cached at most. */
const MOST_OFTEN = 1_000;
/** Longer texts are not cached, because they hardly recur. */
const LONG = 1_000;

/** Works like `quoted`, for texts that are likely to recur. */
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

/** Cached texts of users. */
const users = new WeakMap<User, string>();

/** @param user undefined if the user is not known */
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

/** The members of a reference in their order, each with the text before its value if it is the first one, and if another one comes before it. */
const REFERENCE = (['resource', 'namespace', 'name', 'uid', 'apiGroup', 'apiVersion', 'resourceVersion', 'subresource'] as const).map(
  (name) => ({ name, first: `,"objectRef":{"${name}":"`, next: `","${name}":"` }),
);

/** @returns the member with its name and a comma before it */
export function referenceMember(reference: ObjectReference): string {
  let text = '';
  for (const { name, first, next } of REFERENCE) {
    const value = reference[name];
    if (value !== undefined) text += (text === '' ? first : next) + escaped(value);
  }
  return text === '' ? ',"objectRef":{}' : `${text}"}`;
}

/** Cached texts by code, of which there are some dozens. */
const codes = new Map<number, string>();

/** @returns the member with its name and a comma before it */
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

/** The annotations of the last event and their text. Most requests are allowed for the same reason as the one before. */
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

/** Makes the member with its name and a comma before it; it is empty without annotations. They are sorted by key, as Go writes maps. */
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

/** The text of the second that was used last, because most events are in the same second. */
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

/** @param microseconds since 1970. @returns the text of a MicroTime */
export function microTime(microseconds: number): string {
  const second = Math.floor(microseconds / 1e6);
  return `${secondText(second)}.${fractionText(microseconds, second)}Z`;
}

/** The texts before the fractions of both times of an event. They are cached for the last second that both times were in. */
let bothSecond = Number.NaN;
let beforeReceived = '';
let beforeReached = '';

/** @param received microseconds since 1970, as `reached`. @returns both members with their names and a comma before each */
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

/** Writes a time by RFC 3339 without zeros at the end of the fraction. @param microseconds since 1970 */
export function nanoTime(microseconds: number): string {
  const second = Math.floor(microseconds / 1e6);
  const fraction = fractionText(microseconds, second).replace(/0+$/, '');
  return `${secondText(second)}${fraction === '' ? '' : `.${fraction}`}Z`;
}
