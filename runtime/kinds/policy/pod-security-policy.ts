/** What pod security policies may not say in two places at once. `*` stands for everything. */
import { type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import type { Rule } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { goQuote } from '../../go-text/quote.ts';

const ALL = '*';

/** Findings name the lists as if these were members of the policy itself. */
export const capabilities: Rule<ApiObject> = ({ spec }) => {
  const { requiredDropCapabilities: drops = [], allowedCapabilities: allowed = [] } = spec;
  const dropped = new Set<string>(drops);
  const both = (field: string, names: readonly string[] = []): FieldError[] => {
    const message = `capability is listed in ${field} and requiredDropCapabilities`;
    return names.filter((name) => dropped.has(name)).map((name) => invalid(field, name, message));
  };
  const alone = 'must be empty when all capabilities are allowed by a wildcard';
  const found = drops.length > 0 && allowed.includes(ALL) ? [invalid('requiredDropCapabilities', drops, alone)] : [];
  return [...found, ...both('defaultAddCapabilities', spec.defaultAddCapabilities), ...both('allowedCapabilities', allowed)];
};

export const allAlone: Rule<readonly string[]> = (names) =>
  names.length > 1 && names.includes(ALL) ? [forbidden('.items', "if '*' is present, must not specify other sysctls")] : [];

export const runtimeClasses: Rule<{ allowedRuntimeClassNames?: string[]; defaultRuntimeClassName?: string }> = (classes) => {
  const { allowedRuntimeClassNames: names, defaultRuntimeClassName: preset } = classes;
  const [field, alone] = ['.allowedRuntimeClassNames', "if '*' is present, must not specify other RuntimeClass names"];
  const hasAll = names?.includes(ALL) === true;
  const found =
    preset === undefined || hasAll || names?.includes(preset) ? [] : [required(field, `default ${goQuote(preset)} must be allowed`)];
  return hasAll && names.length > 1 ? [...found, invalid(field, names, alone)] : found;
};
