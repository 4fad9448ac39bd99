/** The order of members in YAML of 1.32: what is no letter first, and numbers by their value. */

const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;

/** @returns below 0 where `a` stands first */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  const left = [...a];
  const right = [...b];
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) if (left[i] !== right[i]) return compareAt(left, right, i);
  return left.length - right.length;
}

/** By the first characters that differ. */
function compareAt(left: readonly string[], right: readonly string[], at: number): number {
  const [a, b] = [left[at] as string, right[at] as string];
  const [aLetter, bLetter] = [LETTER.test(a), LETTER.test(b)];
  if (aLetter !== bLetter) return aLetter ? 1 : -1;
  return (aLetter ? 0 : compareNumbers(left, right, at)) || codePoint(a) - codePoint(b);
}

function compareNumbers(left: readonly string[], right: readonly string[], at: number): number {
  // Behind a digit that counts, zeros are digits of a number as well.
  const first = (left[at] === '0' || right[at] === '0') && isInNumber(left, at) ? 1n : 0n;
  const [a, b] = [numberAt(left, at, first), numberAt(right, at, first)];
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  return a.end - b.end;
}

/** Whether digits that count stand before a place. */
function isInNumber(text: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && DIGIT.test(text[i] as string); i--) if (text[i] !== '0') return true;
  return false;
}

/** The number that goes on at a place, in 64 bits with a sign, and where it ends. */
function numberAt(text: readonly string[], at: number, first: bigint): { value: bigint; end: number } {
  let value = first;
  let end = at;
  for (; end < text.length && DIGIT.test(text[end] as string); end++)
    value = BigInt.asIntN(64, value * 10n + BigInt(codePoint(text[end] as string) - codePoint('0')));
  return { value, end };
}

const codePoint = (character: string): number => character.codePointAt(0) as number;
