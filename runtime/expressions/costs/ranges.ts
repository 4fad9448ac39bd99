/** Arithmetic of costs and sizes that saturates at `UNBOUNDED`. */
import { type Range, UNBOUNDED } from '../environment/declarations.ts';

export const exactly = (value: bigint): Range => ({ min: value, max: value });
export const NOTHING: Range = exactly(0n);
export const ONE: Range = exactly(1n);
export const UNKNOWN: Range = { min: 0n, max: UNBOUNDED };

const bounded = (value: bigint): bigint => (value > UNBOUNDED ? UNBOUNDED : value);

export const plus = (a: Range, b: Range): Range => ({ min: bounded(a.min + b.min), max: bounded(a.max + b.max) });
export const times = (a: Range, b: Range): Range => ({ min: bounded(a.min * b.min), max: bounded(a.max * b.max) });
/** The smallest range that contains both. */
export const union = (a: Range, b: Range): Range => ({ min: a.min < b.min ? a.min : b.min, max: a.max > b.max ? a.max : b.max });

/** Rounds up, and computes with doubles as 1.32 does. */
export const byFactor = ({ min, max }: Range, factor: number): Range => ({ min: scaled(min, factor), max: scaled(max, factor) });

function scaled(value: bigint, factor: number): bigint {
  const product = Math.ceil(Number(value) * factor);
  return product >= 2 ** 64 ? UNBOUNDED : BigInt(product);
}
