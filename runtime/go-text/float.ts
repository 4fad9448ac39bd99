/** Below which Go shows a number with an exponent; JavaScript does so below a hundredth of it. */
const SMALL = 1e-4;

/** A double as Go's `%v` shows it: `0.0001`, `5e-06`, `1e+21`. */
export function goFloat(value: number): string {
  if (value === 0 || Math.abs(value) >= SMALL) return String(value);
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1');
}
