import { type FieldError, invalid } from '../../contract/field-error.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import type { Struct } from '../struct.ts';
import { validateNames } from './definition-names.ts';

export function validateDefinitionStatus(status: Struct | undefined, path: string): FieldError[] {
  return validateNames(status?.acceptedNames ?? {}, `${path}.acceptedNames`);
}

/** Each stored version is one that the definition has, and the version in use is among them. */
export function validateStoredVersions(stored: readonly string[], versions: readonly Struct[], path: string): FieldError[] {
  if (stored.length === 0) return [invalidShown(path, goStrings([]), 'must have at least one stored version')];
  const names = new Set(versions.map(({ name }) => name));
  const errors = stored.flatMap((version, index) =>
    names.has(version) ? [] : [invalid(`${path}[${index}]`, version, 'must appear in spec.versions')],
  );
  for (const { name, storage } of versions)
    if (storage && !stored.includes(name)) errors.push(invalidShown(path, goStrings(stored), `must have the storage version ${name}`));
  return errors;
}
