import { duplicate, type FieldError } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import { eachItem, needed } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

export const rules: KindRules = { validate: ({ plugins }) => validatePlugins(plugins ?? []) };

/** The server would take the first of two configurations of one plugin without a word. */
function validatePlugins(plugins: readonly Struct[]): readonly FieldError[] {
  const seen = new Set<string>();
  return eachItem(plugins, 'plugins', ({ name }, at) => {
    const twice = seen.has(name);
    seen.add(name);
    return [...needed(name, `${at}.name`), ...(twice ? [duplicate(`${at}.name`, name)] : [])];
  });
}
