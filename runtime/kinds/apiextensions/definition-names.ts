import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { dns1035Label } from '../../formats/names.ts';
import { eachItem, needed } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

const MIXED_CASE = 'may have mixed case, but should otherwise match: ';

/** Names that a definition must have, though a status need not. */
export function validateNeededNames({ plural, singular, kind, listKind }: Struct, path: string): FieldError[] {
  return [
    ...needed(plural, `${path}.plural`),
    ...needed(singular, `${path}.singular`),
    ...needed(kind, `${path}.kind`),
    ...needed(listKind, `${path}.listKind`),
  ];
}

export function validateNames(names: Struct, path: string): FieldError[] {
  const { plural = '', singular = '', kind = '', listKind = '' } = names;
  return [
    ...(plural === '' ? [] : validateLabel(plural, `${path}.plural`)),
    ...(singular === '' ? [] : validateLabel(singular, `${path}.singular`)),
    ...(kind === '' ? [] : validateKind(kind, `${path}.kind`)),
    ...(listKind === '' ? [] : validateKind(listKind, `${path}.listKind`)),
    ...eachItem<string>(names.shortNames, `${path}.shortNames`, validateLabel),
    ...(kind !== '' && kind === listKind ? [invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same')] : []),
    ...eachItem<string>(names.categories, `${path}.categories`, validateLabel),
  ];
}

export function validateLabel(value: string, path: string): FieldError[] {
  const problems = dns1035Label(value);
  return problems.length === 0 ? [] : [invalid(path, value, problems.join(','))];
}

function validateKind(value: string, path: string): FieldError[] {
  const problems = dns1035Label(value.toLowerCase());
  return problems.length === 0 ? [] : [invalid(path, value, `${MIXED_CASE}${problems.join(',')}`)];
}

export function validateScope(scope: string | undefined, path: string): FieldError[] {
  if (!scope) return [required(path)];
  if (scope === 'Cluster' || scope === 'Namespaced') return [];
  return [
    {
      reason: 'FieldValueNotSupported',
      field: path,
      message: `Unsupported value: ${JSON.stringify(scope)}: supported values: "Cluster", "Namespaced"`,
    },
  ];
}
