/** What a list or watch selects: a namespace's or all keys, labels, and fields, compiled once per request. */
import type { FieldRequirement } from '../../selectors/field-selector-text.ts';
import type { LabelSelector } from '../../selectors/label-selector-text.ts';
import { newBadRequest } from '../../status/status.ts';
import type { Resource } from '../resources/resource.ts';
import type { StoredObject } from '../stored-objects/stored-object.ts';
import { fieldTerm, labelTerms, unknownFieldTerm } from '../stored-objects/stored-terms.ts';
import { FIRST_STORED_FIELD, type FieldsOf, NAME_FIELD, NAMESPACE_FIELD, type Trigger } from './watcher-index.ts';

export interface Selection {
  /** true when every object is selected: nothing needs a look */
  readonly everything: boolean;
  /** the one name that can be selected, where the fields say so */
  readonly name: string | undefined;
  /** a field value that every selected object has, the one that fewest are likely to have */
  readonly trigger: Trigger | undefined;
  /** terms of the stored bytes that every selected object has: at least one of each list */
  readonly terms: readonly (readonly string[])[];
  matches(namespace: string, name: string, stored: StoredObject): boolean;
}

/** The selection of a request without selectors, which is everything. */
export const EVERYTHING: Selection = {
  everything: true,
  name: undefined,
  trigger: undefined,
  terms: [],
  matches: () => true,
};

/**
 * @param fieldsOf values of the resource's stored fields
 * @throws StatusError BadRequest for fields that the resource cannot select by
 */
export function compileSelection(
  resource: Resource,
  labels: LabelSelector,
  fields: readonly FieldRequirement[],
  fieldsOf: FieldsOf,
): Selection {
  if (labels.everything && fields.length === 0) return EVERYTHING;
  const known = knownFields(resource);
  const terms = fields.map(({ field, operator, value }) => {
    const index = known.indexOf(aliasOf(resource, field) ?? field);
    if (index < 0 || (index === NAMESPACE_FIELD && !hasNamespaceField(resource))) throw newBadRequest(unknownField(field, resource));
    return { index, equals: operator !== '!=', value };
  });
  const name = terms.find((term) => term.index === NAME_FIELD && term.equals)?.value;
  return {
    everything: false,
    name,
    trigger: triggerOf(terms),
    terms: [...selectedTerms(labels), ...fieldTerms(terms, resource.indexedFields)],
    matches(namespace, objectName, stored) {
      if (terms.length > 0) {
        let values: readonly string[] | undefined;
        for (const { index, equals, value } of terms) {
          let actual: string | undefined;
          if (index === NAME_FIELD) actual = objectName;
          else if (index === NAMESPACE_FIELD) actual = namespace;
          else {
            values ??= fieldsOf(stored);
            actual = values[index - FIRST_STORED_FIELD] ?? '';
          }
          if ((actual === value) !== equals) return false;
        }
      }
      return labels.everything || labels.matches(stored);
    },
  };
}

interface FieldTerm {
  /** place in `knownFields` */
  readonly index: number;
  readonly equals: boolean;
  readonly value: string;
}

/** A name is rarer than what a schema names, and that than a namespace. */
function triggerOf(terms: readonly FieldTerm[]): Trigger | undefined {
  const exact = terms.filter((term) => term.equals);
  const best =
    exact.find(({ index }) => index === NAME_FIELD) ??
    exact.find(({ index, value }) => index >= FIRST_STORED_FIELD && value !== '') ??
    exact.find(({ index }) => index === NAMESPACE_FIELD);
  return best === undefined ? undefined : { field: best.index, value: best.value };
}
/** Operators of labels that select by the values that objects have. */
const EQUALITIES: ReadonlySet<string> = new Set(['=', '==', 'in']);

function selectedTerms({ requirements }: LabelSelector): string[][] {
  return requirements.filter(({ operator }) => EQUALITIES.has(operator)).map(({ key, values }) => labelTerms(key, values));
}

function fieldTerms(terms: readonly FieldTerm[], indexed: ReadonlySet<number>): string[][] {
  return terms
    .map(({ index, ...term }) => ({ place: index - FIRST_STORED_FIELD, ...term }))
    .filter(({ place, equals, value }) => equals && value !== '' && indexed.has(place))
    .map(({ place, value }) => [fieldTerm(place, value), unknownFieldTerm(place)]);
}

/** metadata.name, metadata.namespace, then those that the schema names. */
function knownFields(resource: Resource): string[] {
  return ['metadata.name', 'metadata.namespace', ...resource.data.selectableFields];
}

function aliasOf({ data }: Resource, field: string): string | undefined {
  const aliases = data.selectableAliases;
  return aliases !== undefined && Object.hasOwn(aliases, field) ? aliases[field] : undefined;
}

/** 1.32 has the field for kinds without fields of their own, though they may have no namespace. */
function hasNamespaceField({ data }: Resource): boolean {
  return data.scope === 'Namespaced' || data.selectableFields.length === 0;
}

function unknownField(field: string, { data }: Resource): string {
  if (data.unselectableField !== undefined) return data.unselectableField.replace('{field}', () => field);
  if (data.selectableFields.length === 0)
    return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  return `field label not supported: ${field}`;
}

/** Splits a key of the store into namespace and name. @param prefix the prefix of the resource's keys, without a slash at its end */
export function splitKey(key: string, prefix: string, namespaced: boolean): { namespace: string; name: string } {
  const rest = key.slice(prefix.length + 1);
  if (!namespaced) return { namespace: '', name: rest };
  const slash = rest.indexOf('/');
  return { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
}
