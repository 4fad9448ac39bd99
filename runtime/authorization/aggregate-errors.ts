/** Joins problems to one text, each problem once, in the form of 1.32; undefined if there are none. */
export function aggregateErrors(problems: readonly string[]): string | undefined {
  const distinct = [...new Set(problems)];
  return distinct.length < 2 ? distinct[0] : `[${distinct.join(', ')}]`;
}
