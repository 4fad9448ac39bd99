/**
 * The forms of label keys and values, worded as in release 1.32; an empty list says that the text is well formed.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
 */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { emptyError, formatError, lengthError, whole } from './format-error.ts';
import { dnsSubdomainErrors } from './names.ts';

const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const VALUE = `(${NAME})?`;
const name = whole(NAME);
const value = whole(VALUE);
const MAX_LENGTH = 63;
const CHARACTERS = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const nameRule = formatError(CHARACTERS, NAME, 'MyName', 'my.name', '123-abc');

/** A name with an optional DNS subdomain before it, such as `example.com/MyName`: the form of label and annotation keys. */
export function qualifiedNameErrors(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2) return [`a qualified name ${nameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const errors: string[] = [];
  const last = parts[parts.length - 1] as string;
  if (parts.length === 2) {
    if (parts[0] === '') errors.push(`prefix part ${emptyError}`);
    else for (const error of dnsSubdomainErrors(parts[0] as string)) errors.push(`prefix part ${error}`);
  }
  if (last === '') errors.push(`name part ${emptyError}`);
  else if (Buffer.byteLength(last) > MAX_LENGTH) errors.push(`name part ${lengthError(MAX_LENGTH)}`);
  if (!name.test(last)) errors.push(`name part ${nameRule}`);
  return errors;
}

export function labelValueErrors(text: string): string[] {
  const errors: string[] = [];
  if (Buffer.byteLength(text) > MAX_LENGTH) errors.push(lengthError(MAX_LENGTH));
  if (!value.test(text)) {
    const rule = `a valid label must be an empty string or ${CHARACTERS.slice('must '.length)}`;
    errors.push(formatError(rule, VALUE, 'MyValue', 'my_value', '12345'));
  }
  return errors;
}

/** @param path of the whole map: 1.32 does not name the key in it */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: string): FieldError[] {
  if (labels === undefined) return [];
  return Object.entries(labels).flatMap(([key, text]) => [
    ...qualifiedNameErrors(key).map((detail) => invalid(path, key, detail)),
    ...labelValueErrors(text).map((detail) => invalid(path, text, detail)),
  ]);
}
