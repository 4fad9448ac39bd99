/** Whether an answer is the recorded one, and where it is not. */
import { isDeepStrictEqual } from 'node:util';
import type { Comparison, RecordedAnswer } from './cases.ts';
import { escapeMember } from './pointers.ts';

const MAX_DIFFERENCES = 12;
const MAX_SHOWN = 200;

/**
 * @param isNewer whether the list that was answered is newer than the version with this placeholder
 * @returns a line for each place that differs, 12 at most; none when the answer is the one that is wanted
 */
export function compareAnswers(
  wanted: RecordedAnswer,
  seen: RecordedAnswer,
  comparison: Comparison,
  isNewer: (placeholder: string) => boolean,
): string[] {
  if (isBetterRefusal(wanted, seen)) return [];
  const found: string[] = [];
  if (comparison === 'full') collect(atItsMoment(wanted, seen, isNewer), seen, '', found);
  else {
    if (wanted.status !== seen.status) found.push(`/status: ${show(seen.status)}, not ${show(wanted.status)}`);
    if (comparison === 'subset' && !contains(seen.body, wanted.body))
      found.push(`/body: ${show(seen.body)} does not hold ${show(wanted.body)}`);
  }
  return found.slice(0, MAX_DIFFERENCES);
}

/**
 * A list has the version of the moment at which it was made. In a recording that may be the version of the object that was written last; a server that is
 * busier has written something of its own since.
 */
function atItsMoment(wanted: RecordedAnswer, seen: RecordedAnswer, isNewer: (placeholder: string) => boolean): RecordedAnswer {
  const [wantedList, seenList] = [wanted.body, seen.body] as [ListBody, ListBody];
  if (!Array.isArray(wantedList?.items) || seenList?.metadata?.resourceVersion !== '<rv>') return wanted;
  const version = wantedList.metadata?.resourceVersion ?? '';
  return /^\{\{\w+\}\}$/.test(version) && isNewer(version)
    ? { ...wanted, body: { ...wantedList, metadata: { ...wantedList.metadata, resourceVersion: '<rv>' } } }
    : wanted;
}

type ListBody = { readonly metadata?: { readonly resourceVersion?: string }; readonly items?: unknown } | null | undefined;

/** The reference answers some wrong requests with 500; whoever tells the client what is wrong does better. */
function isBetterRefusal(wanted: RecordedAnswer, seen: RecordedAnswer): boolean {
  const refusal = seen.body as { kind?: unknown; reason?: unknown; code?: unknown } | undefined | null;
  const whole = refusal?.kind === 'Status' && Boolean(refusal.reason) && refusal.code === seen.status;
  return wanted.status === 500 && seen.status >= 400 && seen.status < 500 && whole;
}

/** Every part that is wanted is there: members by name, items of a list anywhere in it. */
function contains(seen: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(seen) && wanted.length <= seen.length && wanted.every((item) => seen.some((other) => contains(other, item)));
  if (!isObject(wanted)) return isDeepStrictEqual(wanted, seen);
  return isObject(seen) && Object.entries(wanted).every(([name, value]) => Object.hasOwn(seen, name) && contains(seen[name], value));
}

function collect(wanted: unknown, seen: unknown, at: string, found: string[]): void {
  if (found.length >= MAX_DIFFERENCES || isDeepStrictEqual(wanted, seen)) return;
  if (!isObject(wanted) || !isObject(seen) || Array.isArray(wanted) !== Array.isArray(seen)) {
    found.push(`${at || '/'}: ${show(seen)}, not ${show(wanted)}`);
    return;
  }
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(seen)])) {
    const place = `${at}/${escapeMember(name)}`;
    if (!Object.hasOwn(seen, name)) found.push(`${place}: missing, not ${show(wanted[name])}`);
    else if (!Object.hasOwn(wanted, name)) found.push(`${place}: ${show(seen[name])}, not absent`);
    else collect(wanted[name], seen[name], place, found);
  }
}

/** Lists too: their members are named by position. */
function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object';
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
