/** Shows the changes of an edit line by line, for people. */

/** After a difference, the texts are looked for again within so many lines. */
const WINDOW = 200;

/** @returns lines such as `12: - a` and `12: + b`; the numbers are those of the earlier text for what is gone, of the later one for what is new */
export function lineChanges(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const changes: string[] = [];
  let [a, b] = [0, 0];
  while (a < old.length || b < now.length) {
    if (a < old.length && old[a] === now[b]) {
      a++;
      b++;
      continue;
    }
    const [nextA, nextB] = meeting(old, now, a, b);
    for (; a < nextA; a++) changes.push(`${a + 1}: - ${(old[a] as string).trim()}`);
    for (; b < nextB; b++) changes.push(`${b + 1}: + ${(now[b] as string).trim()}`);
  }
  return changes;
}

/** Finds the nearest lines from which on the texts are the same again. A line of one or two characters is passed over, since many are alike. */
function meeting(old: readonly string[], now: readonly string[], a: number, b: number): [number, number] {
  for (let distance = 1; distance < WINDOW; distance++)
    for (let skipped = 0; skipped <= distance; skipped++) {
      const [nextA, nextB] = [a + skipped, b + distance - skipped];
      if (nextA < old.length && nextB < now.length && old[nextA] === now[nextB] && (old[nextA] as string).trim().length > 2)
        return [nextA, nextB];
    }
  return [old.length, now.length];
}
