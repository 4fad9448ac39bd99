/** Sorts long lists in slices: the generator yields regularly, so that the caller can let other work run. */

/** Elements that are sorted or merged between two yields, which takes some hundred microseconds. */
const SOME = 512;

/** @returns a new list; the sort is stable */
export function* sortedSlices<T>(list: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[], void> {
  let sorted: T[][] = [];
  for (let start = 0; start < list.length || start === 0; start += SOME) {
    sorted.push(list.slice(start, start + SOME).sort(compare));
    if (start > 0) yield;
  }
  while (sorted.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < sorted.length; i += 2) merged.push(yield* mergedSlices(sorted[i] as T[], sorted[i + 1] ?? [], compare));
    sorted = merged;
  }
  return sorted[0] as T[];
}

function* mergedSlices<T>(first: readonly T[], second: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[], void> {
  const merged: T[] = [];
  let [a, b] = [0, 0];
  while (a < first.length || b < second.length) {
    const isFirst = b === second.length || (a < first.length && compare(first[a] as T, second[b] as T) <= 0);
    merged.push((isFirst ? first[a++] : second[b++]) as T);
    if (merged.length % SOME === 0) yield;
  }
  return merged;
}
