/** Joins errors to one text as Go's aggregate does in 1.32: each once, and in brackets if there are several. @returns '' for none */
export function aggregateText(errors: Iterable<string>): string {
  const [first = '', ...others] = new Set(errors);
  return others.length === 0 ? first : `[${[first, ...others].join(', ')}]`;
}
