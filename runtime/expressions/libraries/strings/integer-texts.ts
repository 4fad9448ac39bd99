/** Numbers in other bases, and texts and bytes in hexadecimal. */
import { Uint, type Value } from '../../values/value.ts';

const integerOf = (value: Value): bigint | undefined =>
  typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined;

/** @returns undefined for a value of another type */
export const binaryText = (value: Value): string | undefined =>
  typeof value === 'boolean' ? (value ? '1' : '0') : integerOf(value)?.toString(2);

/** @returns undefined for a value of another type */
export const octalText = (value: Value): string | undefined => integerOf(value)?.toString(8);

/** @returns undefined for a value of another type */
export function hexText(value: Value, upper: boolean): string | undefined {
  const text =
    typeof value === 'string' || value instanceof Uint8Array
      ? Buffer.from(value as string).toString('hex')
      : integerOf(value)?.toString(16);
  return upper ? text?.toUpperCase() : text;
}
