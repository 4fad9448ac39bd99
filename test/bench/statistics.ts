/** @param sorted ascending; @param share 0 to 1; @returns NaN of nothing */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}

export function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** @param times ascending. @returns how many of them are within some span of that length */
export function mostWithin(times: readonly number[], length: number): number {
  let most = 0;
  let first = 0;
  for (let last = 0; last < times.length; last++) {
    while ((times[last] as number) - (times[first] as number) >= length) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
