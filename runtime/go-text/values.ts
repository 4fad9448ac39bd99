/** Values that 1.32 shows in its errors in Go's own notation. */
import type { FieldError } from '../contract/field-error.ts';

/** A list of texts, such as `[]string{"a", "b"}`. */
export function goStrings(values: readonly string[], type = 'string'): string {
  return `[]${type}{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
}

/** @param base64 content of a field of bytes; shown such as `[]byte{0x61, 0xa}` */
export function goBytes(base64: string): string {
  return `[]byte{${Array.from(Buffer.from(base64, 'base64'), (byte) => `0x${byte.toString(16)}`).join(', ')}}`;
}

/** An invalid value that is shown as `text` has it. */
export function invalidShown(field: string, text: string, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${text}: ${detail}` };
}
