/** What stored objects are found by, besides their names: each label with its value, and the values of indexed fields. */
import type { GroupVersionData, ResourceData } from '../../contract/kind.ts';
import { isSealed, sealedHashes, sealedTerms } from '../../storage/encryption/sealed-value.ts';
import type { Terms } from '../../storage/storage.ts';
import { KnownTerms } from './known-terms.ts';
import { isStoredObject, StoredObject } from './stored-object.ts';

/** The most labels of an object that are terms. An object with more has one term instead, so that the work for its terms does not grow with its body. */
const MOST_LABELS = 256;
/** The term of an object with more labels. */
const MANY_LABELS = 'l';

/** @returns terms, of which each object with one of the values of the label has one */
export const labelTerms = (key: string, values: readonly string[]): string[] => [
  ...values.map((value) => labelTerm(key, value)),
  MANY_LABELS,
];
const labelTerm = (key: string, value: string): string => `l${key}=${value}`;
/** Makes the term of a field. Empty values have none, because most objects have them. @param index the place of the field among the stored fields */
export const fieldTerm = (index: number, value: string): string => `f${index}=${value}`;
/** Makes the term of an object that was stored when the field was not selectable yet. New selectable fields are always added at the end. */
export const unknownFieldTerm = (index: number): string => `f${index}?`;

/** Returns the places of a resource's indexed fields among its selectable ones, in the stored version. */
export function indexedFields({ selectableFields, indexedFields: paths = [] }: ResourceData): ReadonlySet<number> {
  return new Set(paths.map((path) => selectableFields.indexOf(path)));
}

/** @param groupVersions of all that may be stored */
export function storedTerms(groupVersions: readonly GroupVersionData[]): Terms {
  const fields = new Map<string, ReadonlySet<number>>();
  for (const { resources } of groupVersions)
    for (const resource of resources)
      if (resource.storage !== undefined && resource.indexedFields !== undefined)
        fields.set(resource.storage.prefix, indexedFields(resource));
  const [known, knownSealed] = [new KnownTerms(), new KnownTerms()];
  return {
    definition: JSON.stringify([`${MOST_LABELS} labels`, ...[...fields].map(([prefix, places]) => [prefix, ...places])]),
    of(segment, value) {
      if (isStoredObject(value)) {
        const stored = new StoredObject(value);
        return known.of(segment, stored.foundBy, stored.labelCount, () => termsOf(stored, fields.get(segment)));
      }
      if (!isSealed(value)) return [];
      const hashes = sealedHashes(value);
      return knownSealed.of(segment, hashes, 0, () => sealedTerms(hashes));
    },
  };
}

function termsOf(stored: StoredObject, indexed: ReadonlySet<number> | undefined): string[] {
  const terms: string[] = [];
  if (stored.labelCount > MOST_LABELS) terms.push(MANY_LABELS);
  else {
    const { labels } = stored;
    for (const key in labels) terms.push(labelTerm(key, labels[key] as string));
  }
  if (indexed === undefined) return terms;
  for (const place of indexed) {
    const value = stored.field(place);
    if (value === undefined) terms.push(unknownFieldTerm(place));
    else if (value !== '') terms.push(fieldTerm(place, value));
  }
  return terms;
}
