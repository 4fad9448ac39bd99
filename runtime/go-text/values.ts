/** Values that 1.32 shows in its errors in Go's own notation. */
import { type FieldError, Notation } from '../contract/field-error.ts';
import { goQuote } from '../contract/go-quote.ts';

/** A list may be shown by the error of each of its elements: they share one text. */
const listTexts = new WeakMap<readonly string[], string>();

/** A list of texts, such as `[]string{"a", "b"}`. */
export function goStrings(values: readonly string[], type = 'string'): string {
  let text = listTexts.get(values);
  if (text === undefined) {
    text = values.map(goQuote).join(', ');
    listTexts.set(values, text);
  }
  return `[]${type}{${text}}`;
}

/** @param members in their order, each as it is shown */
export function goStructure(name: string, members: Readonly<Record<string, string>>): string {
  const shown = Object.entries(members).map(([member, text]) => `${member}:${text}`);
  return `${name}{${shown.join(', ')}}`;
}

/** A list that is not there. */
export const NO_STRINGS = '[]string(nil)';

/**
 * A list without elements, which decoding does not keep: `[]string{}` where its writer sent an empty list, else `[]string(nil)`.
 * @param sent what stands there in the object as it was sent
 */
export function goEmptyList(type: string, sent: unknown): Notation {
  return new Notation(`[]${type}${Array.isArray(sent) ? '{}' : '(nil)'}`);
}

/** As `goEmptyList`, of a map without entries. @param type such as `map[string]string` */
export function goEmptyMap(type: string, sent: unknown): Notation {
  return new Notation(`${type}${typeof sent === 'object' && sent !== null ? '{}' : '(nil)'}`);
}

/** @param base64 content of a field of bytes; shown such as `[]byte{0x61, 0xa}`. What is absent is not what is empty */
export function goBytes(base64: string | null | undefined): string {
  if (base64 === undefined || base64 === null) return '[]byte(nil)';
  return `[]byte{${Array.from(Buffer.from(base64, 'base64'), (byte) => `0x${byte.toString(16)}`).join(', ')}}`;
}

/** Where 1.32 shows a path instead of a value, it shows its structure. */
export function goPath(name: string): string {
  return `field.Path{name:${goQuote(name)}, index:"", parent:(*field.Path)(${goAddress()})}`;
}

/** What 1.32 shows of a pointer in a structure: an address, which is another one whenever it looks. */
export function goAddress(): string {
  address += POINTED_BYTES;
  return `0x${address.toString(16)}`;
}

const POINTED_BYTES = 48;
let address = 0xc000000000;

/** An invalid value that is shown as `text` has it. */
export function invalidShown(field: string, text: string, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${text}: ${detail}` };
}

/** A value that is none of the supported ones, shown as `text` has it. */
export function unsupportedShown(field: string, text: string, supported: readonly string[]): FieldError {
  const values = supported.map(goQuote).join(', ');
  return { reason: 'FieldValueNotSupported', field, message: `Unsupported value: ${text}: supported values: ${values}` };
}
