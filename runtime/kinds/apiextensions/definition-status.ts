import type { CustomResourceDefinition } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { goStrings, invalidShown, NO_STRINGS } from '../../go-text/values.ts';

const PATH = '.status.storedVersions';

/** The version in use is among the stored ones, and each of those is one that the definition has. */
export function storedVersions({ spec, status }: CustomResourceDefinition): readonly FieldError[] {
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [invalidShown(PATH, NO_STRINGS, 'must have at least one stored version')];
  const left = new Map(stored.map((version, index) => [version, index])); // of equal ones the last counts
  const errors: FieldError[] = [];
  // Of two versions with one name, which is refused besides, the second finds its name no more.
  for (const { name, storage } of spec.versions ?? [])
    if (!left.delete(name) && storage) errors.push(invalidShown(PATH, goStrings(stored), `must have the storage version ${name}`));
  for (const [version, index] of left) errors.push(invalid(`${PATH}[${index}]`, version, 'must appear in spec.versions'));
  return errors;
}
