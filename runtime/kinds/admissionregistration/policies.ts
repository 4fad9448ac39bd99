/** What validating and mutating policies have in common. */
import type { FieldError } from '../../contract/field-error.ts';
import { dns1035Label, dnsSubdomain } from '../../formats/names.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { invalidAs } from '../findings.ts';

/** Group and version of the kind of parameters; each is shown by itself. */
export function apiVersion(value: string): readonly FieldError[] {
  const parts = value.split('/');
  if (parts.length > 2) return invalidAs([`unexpected GroupVersion string: ${value}`], '', value);
  const version = parts.at(-1) as string;
  const group = parts.length === 2 ? (parts[0] as string) : '';
  return joined(
    group === '' ? NONE : invalidAs(asOne(dnsSubdomain(group)), '', group),
    version === '' ? invalidAs(['version must be specified'], '', value) : invalidAs(asOne(dns1035Label(version)), '', version),
  );
}

export function kindName(kind: string): readonly FieldError[] {
  const problems = asOne(dns1035Label(kind.toLowerCase()));
  return problems.length === 0 ? NONE : invalidAs([`may have mixed case, but should otherwise match: ${problems[0]}`], '', kind);
}

/** All that is wrong with one part is one finding. */
function asOne(problems: readonly string[]): readonly string[] {
  return problems.length === 0 ? NONE : [problems.join(',')];
}
