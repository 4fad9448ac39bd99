/** Limits of results: a value that exceeds them is an error. */
import { Duration, ErrorValue, Timestamp, Uint, type Value } from '../../values/value.ts';

export const MAX_INT = 2n ** 63n - 1n;
export const MIN_INT = -(2n ** 63n);
export const MAX_UINT = 2n ** 64n - 1n;
export const SECOND = 1_000_000_000n;
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, in seconds since 1970 */
export const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;

const INT_OVERFLOW = new ErrorValue('integer overflow');
const UINT_OVERFLOW = new ErrorValue('unsigned integer overflow');
const TIMESTAMP_OVERFLOW = new ErrorValue('timestamp overflow');

export const int = (value: bigint): Value => (value > MAX_INT || value < MIN_INT ? INT_OVERFLOW : value);
export const uint = (value: bigint): Value => (value > MAX_UINT || value < 0n ? UINT_OVERFLOW : new Uint(value));
/** Durations have the range of ints. */
export const duration = (nanoseconds: bigint): Value =>
  nanoseconds > MAX_INT || nanoseconds < MIN_INT ? INT_OVERFLOW : new Duration(nanoseconds);
/** As in 1.32, the difference of the whole seconds must already be a valid duration. */
export function timeBetween(a: Timestamp, b: Timestamp): Value {
  const seconds = duration((floorSeconds(a) - floorSeconds(b)) * SECOND);
  return seconds instanceof Duration ? duration(a.nanoseconds - b.nanoseconds) : seconds;
}
const floorSeconds = ({ nanoseconds }: Timestamp): bigint => (nanoseconds - (((nanoseconds % SECOND) + SECOND) % SECOND)) / SECOND;
/** 1.32 subtracts by adding the negated duration, and the smallest duration cannot be negated. */
export const timestampBefore = ({ nanoseconds, offset }: Timestamp, duration: Duration): Value =>
  duration.nanoseconds === MIN_INT ? INT_OVERFLOW : timestamp(nanoseconds - duration.nanoseconds, offset);
/** @param offset seconds by which its time zone is ahead of UTC */
export const timestamp = (nanoseconds: bigint, offset = 0): Value =>
  nanoseconds < FIRST_SECOND * SECOND || nanoseconds >= (LAST_SECOND + 1n) * SECOND
    ? TIMESTAMP_OVERFLOW
    : new Timestamp(nanoseconds, offset);
