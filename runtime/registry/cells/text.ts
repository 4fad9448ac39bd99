/** Converts values to the texts of cells. */
import { writeJson } from '../../contract/json-writer.ts';
import { parseTemplate } from '../../schema/json/json-path.ts';
import { isRawNumber } from '../../schema/scalar/raw-number.ts';
import { follow, type Lookup, SELF } from './lookup.ts';

/** Returns a text unchanged, an empty text for an absent value, and JSON for objects and lists. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object') return String(value);
  return isRawNumber(value) ? value.rawJSON : writeJson(value);
}

/** Prints a number as Go does: one with a fraction has an exponent from 1,000,000 on, and below 0.0001. */
function numberText(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) ? size < 1e21 : size >= 1e-4 && size < 1e6) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Compiles a template such as `{.kind}/{.name}` to a function that fills it in. @throws PathError for a malformed path */
export function compileTemplate(template: string): (value: unknown) => string {
  const parts = parseTemplate(template).map((part): Lookup => (typeof part === 'string' ? () => part : follow(part, SELF)));
  return (value) => {
    let text = '';
    for (let i = 0; i < parts.length; i++) text += textOf((parts[i] as Lookup)(value));
    return text;
  };
}

/** The text form of a map of labels, such as a node selector: `a=b,c=d`; empty where it is. */
export function labelsText(labels: unknown): string {
  if (labels === null || typeof labels !== 'object') return '';
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',');
}
