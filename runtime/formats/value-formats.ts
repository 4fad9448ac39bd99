/** The formats of texts that schemas of definitions may name, without hyphens; unknown formats are ignored. */
import { isIPv6 } from 'node:net';
import { isDuration } from './durations.ts';
import { parseLenientAddress, parseLenientRange } from './ip-text.ts';
import { isMailAddress } from './mail-address.ts';
import { requestUrlProblem } from './url-text.ts';

type IsRight = (text: string) => boolean;

const matching =
  (pattern: RegExp): IsRight =>
  (text) =>
    pattern.test(text);
const uuidOf = (version: string, variant = '[0-9a-f]'): IsRight =>
  matching(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i'));
const digits = (text: string): string => text.replaceAll(/[\t\n\f\r\- ]/g, '');

export const VALUE_FORMATS: ReadonlyMap<string, IsRight> = new Map<string, IsRight>([
  ['bsonobjectid', matching(/^[0-9a-f]{24}$/i)],
  ['uri', (text) => requestUrlProblem(text) === undefined],
  ['email', isMailAddress],
  ['hostname', isHostName],
  // an IPv4-mapped IPv6 address counts, too
  ['ipv4', (text) => text.includes('.') && parseLenientAddress(text) !== undefined],
  ['ipv6', (text) => isIPv6(text) && !text.includes('%')],
  ['cidr', (text) => parseLenientRange(text) !== undefined],
  [
    'mac',
    matching(
      /^(?:[0-9a-f]{2}(?:([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}(?:(?:\1[0-9a-f]{2}){2}|(?:\1[0-9a-f]{2}){14})?)|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}(?:\.[0-9a-f]{4}|(?:\.[0-9a-f]{4}){7})?)$/i,
    ),
  ],
  ['uuid', uuidOf('[0-9a-f]')],
  ['uuid3', uuidOf('3')],
  ['uuid4', uuidOf('4', '[89ab]')],
  ['uuid5', uuidOf('5', '[89ab]')],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', matching(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
  ['hexcolor', matching(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['rgbcolor', isRgb],
  ['byte', matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isMoment],
]);

const LETTER = String.raw`[a-zA-Z0-9\p{S}\p{L}]`;
/** A single label may have a hyphen as its second character. Of several labels, the last has at least two letters and nothing else. */
const HOST_NAME = new RegExp(
  String.raw`^(?:${LETTER}-?${LETTER}{0,62}|(?:${LETTER}(?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}${LETTER})?\.)+[a-zA-Z\p{L}]{2,63})$`,
  'u',
);

function isHostName(text: string): boolean {
  const isShort = Buffer.byteLength(text) <= 255 && text.split('.').every((label) => Buffer.byteLength(label) <= 63);
  return isShort && HOST_NAME.test(text);
}

function isIsbn10(text: string): boolean {
  const given = digits(text);
  if (!/^\d{9}[\dX]$/.test(given)) return false;
  const sum = [...given].reduce((total, digit, index) => total + (index + 1) * (digit === 'X' ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const given = digits(text);
  return (
    /^\d{13}$/.test(given) && [...given].reduce((total, digit, index) => total + (index % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 === 0
  );
}

function isCreditCard(text: string): boolean {
  const given = text.replaceAll(/[^0-9]+/g, '');
  if (
    !/^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/.test(
      given,
    )
  )
    return false;
  const sum = [...given].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

const SPACE = String.raw`[\t\n\f\r ]*`;
const RGB = new RegExp(String.raw`^rgb\(${SPACE}(\d{1,3})${SPACE},${SPACE}(\d{1,3})${SPACE},${SPACE}(\d{1,3})${SPACE}\)$`);

function isRgb(text: string): boolean {
  const found = RGB.exec(text);
  return found?.slice(1).every((each) => /^(?:0|[1-9]\d*)$/.test(each) && Number(each) <= 255) ?? false;
}

function isDay(text: string): boolean {
  const [year, month, day] = text.split('-').map(Number) as [number, number, number];
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** As in 1.32, text after a second `t` is ignored. */
function isMoment(text: string): boolean {
  const [day = '', time = ''] = text.toLowerCase().split('t', 2);
  const found = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time);
  return found !== null && isDate(day) && Number(found[1]) < 24 && Number(found[2]) < 60 && Number(found[3]) < 60;
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text);
}
