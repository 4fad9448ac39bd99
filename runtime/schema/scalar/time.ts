/**
 * Times as RFC 3339 text. In memory they are in UTC: `time` has whole seconds, `microTime` six digits of a second; the zero time (the first
 * second of year 1) is null.
 * @see https://pkg.go.dev/time#Parse for accepted texts and errors
 */
import { malformed } from './scalar-error.ts';
import { quoteForTime } from './time-quote.ts';

/** A point in time: seconds since 1970, and nanoseconds from 0 to 999,999,999. */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

/** the first second of year 1, in seconds since 1970 */
export const ZERO_TIME_SECONDS = -62_135_596_800;
const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_799;
const DAY = 86_400;
/** counted from the first of March of year 0 */
const DAYS_BEFORE_1970 = 719_468;

const TIME_LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO_TIME_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

/** @throws ScalarError */
export function canonicalTime(text: string): string | null {
  if (isCanonicalTime(text)) return text.startsWith('0001-01-01T00:00:00') ? null : text;
  return formatTime(parse(text, TIME_LAYOUT, false).seconds);
}

/** @throws ScalarError */
export function canonicalMicroTime(text: string): string | null {
  const { seconds, nanos } = parse(text, MICRO_TIME_LAYOUT, true);
  return seconds === ZERO_TIME_SECONDS && nanos === 0 ? null : formatMicroTime({ seconds, nanos });
}

/** @param text RFC 3339 in any form @throws ScalarError */
export function parseInstant(text: string): Instant {
  return parse(text, TIME_LAYOUT, false);
}

/** @param text a canonical `time` or `microTime` */
export function instantOf(text: string): Instant {
  const micros = text.length > 20 ? twoDigits(text, 20) * 10_000 + twoDigits(text, 22) * 100 + twoDigits(text, 24) : 0;
  const days = daysSince1970(twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5), twoDigits(text, 8));
  const seconds = days * DAY + twoDigits(text, 11) * 3600 + twoDigits(text, 14) * 60 + twoDigits(text, 17);
  return { seconds, nanos: micros * 1000 };
}

/** @returns null for the zero time @throws ScalarError for a year outside of 0 to 9999 */
export function formatTime(seconds: number): string | null {
  return seconds === ZERO_TIME_SECONDS ? null : `${dateAndTime(seconds)}Z`;
}

/** Fractions of a second are cut off. @param milliseconds since 1970 @throws ScalarError for a year outside of 0 to 9999 */
export function timeAt(milliseconds: number): string {
  return `${dateAndTime(Math.floor(milliseconds / 1000))}Z`;
}

/** Digits beyond microseconds are cut off. @throws ScalarError for a year outside of 0 to 9999 */
export function formatMicroTime({ seconds, nanos }: Instant): string {
  return `${dateAndTime(seconds)}.${pad(Math.trunc(nanos / 1000), 6)}Z`;
}

function dateAndTime(seconds: number): string {
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) throw malformed('Time.MarshalJSON: year outside of range [0,9999]');
  const date = new Date(seconds * 1000);
  const day = `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`;
  return `${day}T${pad(date.getUTCHours(), 2)}:${pad(date.getUTCMinutes(), 2)}:${pad(date.getUTCSeconds(), 2)}`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** Checks without allocation for the form that most times have already. */
function isCanonicalTime(text: string): boolean {
  if (text.length !== 20) return false;
  for (let i = 0; i < 20; i++) {
    const code = text.charCodeAt(i);
    const wanted = TIME_LAYOUT.charCodeAt(i);
    const separator = i === 4 || i === 7 || i === 10 || i === 13 || i === 16 || i === 19;
    if (separator ? code !== wanted : code < 0x30 || code > 0x39) return false;
  }
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    (day <= 28 || day <= daysIn(month, twoDigits(text, 0) * 100 + twoDigits(text, 2))) &&
    twoDigits(text, 11) <= 23 &&
    twoDigits(text, 14) <= 59 &&
    twoDigits(text, 17) <= 59
  );
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 0x30) * 10 + text.charCodeAt(at + 1) - 0x30;
}

function daysIn(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** @param micro whether exactly six digits of a second are required; otherwise any number of them is allowed */
function parse(text: string, layout: string, micro: boolean): Instant {
  return new TimeReader(text, layout).read(micro);
}

class TimeReader {
  readonly #text: string;
  readonly #layout: string;
  #rest: string;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  read(micro: boolean): Instant {
    const year = this.#number(/^\d{4}/, '2006');
    this.#literal('-');
    const month = this.#number(/^\d{2}/, '01');
    if (month < 1 || month > 12) this.#outOfRange('month');
    this.#literal('-');
    const day = this.#number(/^\d{2}/, '02');
    this.#literal('T');
    const hour = this.#number(/^\d{1,2}/, '15');
    if (hour > 23) this.#outOfRange('hour');
    this.#literal(':');
    const minute = this.#number(/^\d{2}/, '04');
    if (minute > 59) this.#outOfRange('minute');
    this.#literal(':');
    const second = this.#number(/^\d{2}/, '05');
    if (second > 59) this.#outOfRange('second');
    const nanos = this.#fraction(micro);
    const offset = this.#offset();
    if (this.#rest !== '') this.#fail(`: extra text: ${quoteForTime(this.#rest)}`);
    if (day < 1 || day > daysIn(month, year)) this.#outOfRange('day');
    return { seconds: daysSince1970(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset, nanos };
  }

  #fraction(micro: boolean): number {
    if (micro) return this.#number(/^[.,]\d{6}/, '.000000') * 1000;
    const [all, digits] = /^[.,](\d+)/.exec(this.#rest) ?? [];
    if (all === undefined || digits === undefined) return 0;
    this.#rest = this.#rest.slice(all.length);
    return Number(digits.slice(0, 9).padEnd(9, '0'));
  }

  /** @returns seconds east of UTC */
  #offset(): number {
    if (this.#rest.startsWith('Z')) {
      this.#rest = this.#rest.slice(1);
      return 0;
    }
    const [all, sign, hours, minutes] = /^([+-])(\d{2}):(\d{2})/.exec(this.#rest) ?? [];
    if (all === undefined) this.#cannotParse('Z07:00');
    if (Number(hours) > 24) this.#outOfRange('time zone offset hour');
    if (Number(minutes) > 60) this.#outOfRange('time zone offset minute');
    this.#rest = this.#rest.slice(all.length);
    return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  }

  #number(pattern: RegExp, element: string): number {
    const found = pattern.exec(this.#rest)?.[0];
    if (found === undefined) this.#cannotParse(element);
    this.#rest = this.#rest.slice(found.length);
    return Number(found.replace(/^[.,]/, ''));
  }

  #literal(character: string): void {
    if (!this.#rest.startsWith(character)) this.#cannotParse(character);
    this.#rest = this.#rest.slice(1);
  }

  #cannotParse(element: string): never {
    this.#fail(` as ${quoteForTime(this.#layout)}: cannot parse ${quoteForTime(this.#rest)} as ${quoteForTime(element)}`);
  }

  #outOfRange(what: string): never {
    this.#fail(`: ${what} out of range`);
  }

  #fail(detail: string): never {
    throw malformed(`parsing time ${quoteForTime(this.#text)}${detail}`);
  }
}

/** Counts days of the Gregorian calendar in years that begin with March, so that the leap day is the last of its year. */
function daysSince1970(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + dayOfYear - DAYS_BEFORE_1970;
}
