/**
 * Formats a double like `%v` and `%g` of Go: with the fewest digits that identify it, and with an exponent of at least two digits from a
 * million on and below a ten thousandth: `999999.5`, `1e+06`, `0.0001`, `5e-06`, `+Inf`.
 */
export function goFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const [digits, exponent] = value.toExponential().split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
