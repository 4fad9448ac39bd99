/** What stored objects are found by, besides their names: each label with its value, and the values of indexed fields. */
import type { GroupVersionData, ResourceData } from '../contract/kind.ts';
import { isSealed, sealedHashes, sealedTerms } from '../storage/encryption/sealed-value.ts';
import type { Terms } from '../storage/storage.ts';
import { KnownTerms } from './known-terms.ts';
import { isStoredObject, StoredObject } from './stored-object.ts';

/** Labels of one object that are terms. An object with more has one term in place of them: work on an object's terms must not grow with what a body says. */
const MOST_LABELS = 256;
/** Of an object with more labels than that. */
const MANY_LABELS = 'l';

/** @returns of which each object with the label has one */
export const labelTerms = (key: string, values: readonly string[]): string[] => [
  ...values.map((value) => labelTerm(key, value)),
  MANY_LABELS,
];
const labelTerm = (key: string, value: string): string => `l${key}=${value}`;
/** @param index place among the stored fields. An empty value is no term: most objects have it. */
export const fieldTerm = (index: number, value: string): string => `f${index}=${value}`;
/** Of an object that was stored when the field was none to select by. Selectable fields are only ever added at the end. */
export const unknownFieldTerm = (index: number): string => `f${index}?`;

/** Places of the indexed fields among the selectable ones, of a resource in its stored version. */
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
