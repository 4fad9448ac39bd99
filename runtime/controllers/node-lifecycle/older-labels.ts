/** Labels of nodes that others read under their older names: these say the same, as in 1.32. */
import type { ApiObject } from '../../contract/object.ts';

const OLDER: readonly (readonly [name: string, older: string])[] = [
  ['${labelDomain}/os', 'beta.${labelDomain}/os'],
  ['${labelDomain}/arch', 'beta.${labelDomain}/arch'],
];

/** @returns labels that the node lacks, or has with another value */
export function missingOlderLabels({ metadata: { labels = {} } }: ApiObject, text: (template: string) => string): Record<string, string> {
  const missing: Record<string, string> = {};
  for (const [name, older] of OLDER) {
    const value = labels[text(name)];
    if (value !== undefined && labels[text(older)] !== value) missing[text(older)] = value;
  }
  return missing;
}
