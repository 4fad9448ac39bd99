/** Values as texts. */
import { parseTemplate } from '../../schema/json-path.ts';
import { isRawNumber } from '../../schema/scalar/raw-number.ts';
import { follow, type Lookup, SELF } from './lookup.ts';

/** A text as it is, nothing as an empty one, objects and lists as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object') return String(value);
  return isRawNumber(value) ? value.rawJSON : JSON.stringify(value);
}

/** As Go prints a number: a fraction beside six digits or more, or behind four zeros, stands with an exponent. */
function numberText(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) ? size < 1e21 : size >= 1e-4 && size < 1e6) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Fills in a template such as `{.kind}/{.name}`. @throws PathError */
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
