import { duplicate, type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { eachItem } from '../core/findings.ts';

const LEVELS = ['privileged', 'baseline', 'restricted'];
const MODES = ['enforce', 'warn', 'audit'];
const VERSION = /^v1\.([0-9]|[1-9][0-9]*)$/;

export const rules: KindRules = {
  validate: ({ defaults, exemptions }) => [
    ...MODES.flatMap((mode) => [
      ...validateLevel(defaults[mode], `defaults.${mode}`),
      ...validateVersion(defaults[`${mode}-version`], `defaults.${mode}-version`),
    ]),
    ...validateExemptions(exemptions.namespaces, 'exemptions.namespaces', dnsLabel),
    ...validateExemptions(exemptions.runtimeClasses, 'exemptions.runtimeClasses', dnsSubdomain),
    ...validateExemptions(exemptions.usernames, 'exemptions.usernames', (name) => (name === '' ? ['username must not be empty'] : [])),
  ],
};

function validateLevel(level: string, at: string): readonly FieldError[] {
  return LEVELS.includes(level) ? [] : [invalid(at, level, `must be one of ${LEVELS.join(', ')}`)];
}

function validateVersion(version: string, at: string): readonly FieldError[] {
  return version === 'latest' || VERSION.test(version) ? [] : [invalid(at, version, 'must be "latest" or "v1.x"')];
}

function validateExemptions(
  values: readonly string[] | null | undefined,
  path: string,
  syntax: (value: string) => readonly string[],
): readonly FieldError[] {
  const seen = new Set<string>();
  return eachItem(values, path, (value, at) => {
    const problems = syntax(value);
    if (problems.length > 0) return [invalid(at, value, problems.join(', '))];
    if (seen.has(value)) return [duplicate(at, value)];
    seen.add(value);
    return [];
  });
}
