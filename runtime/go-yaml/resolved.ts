/** What the reader of YAML in 1.32 takes for something else than a text: null, booleans, numbers, times. Such texts are quoted. */

const WORDS = new Set(
  [
    ['', '~', 'null', 'Null', 'NULL'],
    ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'],
    ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'],
    ['.nan', '.NaN', '.NAN', '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF', '-.inf', '-.Inf', '-.INF'],
  ].flat(),
);

/** With the point in front, underscores stand between digits alone. */
const FRACTION = /^\.\d+(?:_\d+)*(?:e[-+]?\d+(?:_\d+)*)?$/i;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?$/i;
/** Of Go's notation; a zero in front means octal. */
const INTEGER = /^([-+]?)(0x[\da-f]+|0b[01]+|0o[0-7]+|0[0-7]*|[1-9]\d*)$/i;
const PREFIX = /^0[xbo]?/i;
/** Of an integer of 64 bits at most. */
const MAX_DIGITS = 64;
/** The sign stands behind the prefix, which is in small letters. */
const SIGNED_BINARY = /^0b([-+][01]+)$/;
/** Numbers to the base 60, such as 1:30: they are none to the reader of 1.32, but to others. */
const SEXAGESIMAL = /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/;
const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+](\d\d):(\d\d))| +(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

const BEGINS_NUMBER = /^[-+\d]/;

/** Whether a text without quotes would be read as something else. */
export function isNoText(text: string): boolean {
  if (WORDS.has(text)) return true;
  if (text.startsWith('.')) return FRACTION.test(text) && Number.isFinite(Number(text.replaceAll('_', '')));
  if (!BEGINS_NUMBER.test(text)) return false;
  const digits = text.replaceAll('_', '');
  return isTimestamp(text) || isInteger(digits) || isFloat(digits) || SEXAGESIMAL.test(text);
}

function isFloat(text: string): boolean {
  return FLOAT.test(text) && Number.isFinite(Number(text));
}

/** Integers of 64 bits; those that are too large are floats where they are decimal. */
function isInteger(text: string): boolean {
  const signed = SIGNED_BINARY.exec(text);
  if (signed !== null) return isInteger(`${(signed[1] as string)[0]}0b${(signed[1] as string).slice(1)}`);
  const match = INTEGER.exec(text);
  if (match === null) return false;
  const [, sign, digits = ''] = match;
  const prefix = PREFIX.exec(digits)?.[0] ?? '';
  const significant = digits.slice(prefix.length).replace(/^0+/, '');
  if (significant.length > MAX_DIGITS) return false;
  const value = BigInt(`${prefix.length === 1 ? '0o' : prefix}${significant || '0'}`);
  if (sign === '-') return value <= 1n << 63n;
  return value < 1n << (sign === '+' ? 63n : 64n);
}

function isTimestamp(text: string): boolean {
  const match = TIMESTAMP.exec(text);
  if (match === null) return false;
  const [year, month, day, ...clock] = match.slice(1).map((part) => Number(part ?? 0)) as [number, number, number, ...number[]];
  const [hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0, ...spaced] = clock;
  return (
    isDay(year, month, day) &&
    Math.max(hour, spaced[0] ?? 0) < 24 &&
    Math.max(minute, second, spaced[1] ?? 0, spaced[2] ?? 0) < 60 &&
    zoneHour <= 24 &&
    zoneMinute <= 60
  );
}

function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
}

function daysOf(year: number, month: number): number {
  const date = new Date(0);
  // years below 100 would be of the last century
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
}
