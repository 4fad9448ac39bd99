/** All texts in a JSON value of any depth. */
export function textsIn(value: unknown): ReadonlySet<string> {
  const texts = new Set<string>();
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') texts.add(next);
    else if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) left.push(member);
  }
  return texts;
}
