import { parseDuration } from '../../schema/scalar/duration.ts';

/** @param text a duration such as `1m30s`; absent: 0. @returns milliseconds */
export function milliseconds(text: string | undefined): number {
  return Number(parseDuration(text ?? '') ?? 0n) / 1e6;
}
