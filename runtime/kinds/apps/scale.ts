/** Sizes of the removed versions have the selector twice: as a map, where a map can say it, and as text. */
import type { ConversionFunctions } from '../../contract/kind.ts';
import { labelValue, qualifiedName } from '../../formats/labels.ts';

export const conversion: ConversionFunctions = {
  toHub(object) {
    if (object.status === undefined) return object;
    const { selector, targetSelector, ...status } = object.status;
    const text = targetSelector || mapText(selector ?? {});
    object.status = text === '' ? status : { ...status, selector: text };
    return object;
  },
  fromHub(object) {
    if (object.status === undefined) return object;
    const { selector: text, ...status } = object.status;
    if (!text) return object;
    const selector = textMap(text);
    object.status = { ...status, ...(selector !== undefined && { selector }), targetSelector: text };
    return object;
  },
};

function mapText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** @returns undefined for a text that asks for more than labels with given values */
function textMap(text: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {};
  for (const part of text.split(',')) {
    const [key = '', value, ...rest] = part.split('=').map((word) => word.trim());
    if (value === undefined || rest.length > 0) return undefined;
    if (qualifiedName(key).length > 0 || labelValue(value).length > 0) return undefined;
    labels[key] = value;
  }
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
