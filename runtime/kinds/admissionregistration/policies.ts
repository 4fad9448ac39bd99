/** What validating and mutating policies have in common. */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { dns1035Label, dnsSubdomain } from '../../formats/names.ts';
import { NONE } from '../joined.ts';

/** Group and version of the kind of parameters. */
export function apiVersion(value: string): readonly FieldError[] {
  const parts = value.split('/');
  if (parts.length > 2) return [invalid('', value, `unexpected GroupVersion string: ${value}`)];
  const version = parts.at(-1) as string;
  const group = parts.length === 2 ? (parts[0] as string) : '';
  const errors = group === '' ? NONE : joinedProblems(dnsSubdomain(group), group);
  return [
    ...errors,
    ...(version === '' ? [invalid('', value, 'version must be specified')] : joinedProblems(dns1035Label(version), version)),
  ];
}

export function kindName(kind: string): readonly FieldError[] {
  return joinedProblems(dns1035Label(kind.toLowerCase()), kind, 'may have mixed case, but should otherwise match: ');
}

function joinedProblems(problems: readonly string[], value: string, prefix = ''): readonly FieldError[] {
  return problems.length === 0 ? NONE : [invalid('', value, `${prefix}${problems.join(',')}`)];
}
