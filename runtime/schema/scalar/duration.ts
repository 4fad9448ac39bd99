/**
 * Durations as text, such as `1h30m0s`: decimal numbers with units, in nanoseconds of 64 bits.
 * @see https://pkg.go.dev/time#ParseDuration
 */
import { malformed } from './scalar-error.ts';
import { quoteForTime } from './time-quote.ts';

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const SECOND = 1_000_000_000n;
const LIMIT = 2n ** 63n;

/** @returns nanoseconds; undefined if the text is no duration */
export function parseDuration(text: string): bigint | undefined {
  const parsed = readDuration(text);
  return typeof parsed === 'bigint' ? parsed : undefined;
}

/** The one text for the same duration. @throws ScalarError */
export function canonicalDuration(text: string): string {
  const parsed = readDuration(text);
  if (typeof parsed === 'string') throw malformed(parsed);
  return formatDuration(parsed);
}

/** A number with more digits after leading zeros exceeds every limit, and a long one would be slow to convert. */
const MOST_DIGITS = 19;

/** @returns nanoseconds, or the error of Go */
export function readDuration(text: string): bigint | string {
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') return invalid(text);
  let total = 0n;
  while (rest !== '') {
    const [part, whole, fraction, unit] = /^(\d*)(?:\.(\d*))?([^\d.]*)/.exec(rest) as RegExpExecArray;
    const digits = (whole as string).replace(/^0+/, '');
    const isEmpty = whole === '' && (fraction ?? '') === '';
    if (isEmpty || digits.length > MOST_DIGITS || BigInt(digits) > LIMIT) return invalid(text);
    if (unit === '') return `time: missing unit in duration ${quoteForTime(text)}`;
    const scale = Object.hasOwn(UNITS, unit as string) ? (UNITS[unit as string] as bigint) : undefined;
    if (scale === undefined) return `time: unknown unit ${quoteForTime(unit as string)} in duration ${quoteForTime(text)}`;
    total += BigInt(digits) * scale + fractionOf(fraction ?? '', scale);
    if (total > LIMIT) return invalid(text);
    rest = rest.slice((part as string).length);
  }
  if (negative) return -total;
  return total === LIMIT ? invalid(text) : total;
}

function invalid(text: string): string {
  return `time: invalid duration ${quoteForTime(text)}`;
}

/** Computes in floating point, as Go does, with as many digits after leading zeros as 63 bits hold. */
function fractionOf(fraction: string, scale: bigint): bigint {
  const zeros = fraction.search(/[^0]|$/);
  const digits = fraction.slice(0, zeros + MOST_DIGITS);
  const count = BigInt(digits.slice(zeros)) <= LIMIT ? digits.length : digits.length - 1;
  return count <= zeros ? 0n : BigInt(Math.trunc(Number(digits.slice(0, count)) * (Number(scale) / 10 ** count)));
}

/** @param nanoseconds a signed integer of 64 bits */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 1_000n)}µs`;
  if (size < SECOND) return `${sign}${decimal(size, 1_000_000n)}ms`;
  const seconds = `${decimal(size % (60n * SECOND), SECOND)}s`;
  const minutes = size / (60n * SECOND);
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = value % unit;
  if (fraction === 0n) return String(value / unit);
  const digits = String(fraction).padStart(String(unit).length - 1, '0');
  return `${value / unit}.${digits.replace(/0+$/, '')}`;
}
