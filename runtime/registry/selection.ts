/** What a list or watch selects: a namespace's or all keys, labels, and fields, compiled once per request. */
import { type FieldRequirement, parseFieldSelector } from '../selectors/field-selector-text.ts';
import { type LabelSelector, parseLabelSelector } from '../selectors/label-selector-text.ts';
import { SelectorError } from '../selectors/selector-error.ts';
import { newBadRequest } from '../status/status.ts';
import type { Resource } from './registry.ts';
import type { StoredObject } from './stored-object.ts';

export interface Selection {
  /** true when every object is selected: nothing needs a look */
  readonly everything: boolean;
  /** the one name that can be selected, where the fields say so */
  readonly name: string | undefined;
  /** whether labels or fields were given */
  readonly selective: boolean;
  matches(namespace: string, name: string, stored: StoredObject): boolean;
}

/** @throws StatusError BadRequest for syntax and for fields that the resource cannot select by */
export function compileSelection(resource: Resource, labelText: string, fieldText: string): Selection {
  let labels: LabelSelector;
  let fields: FieldRequirement[];
  try {
    labels = parseLabelSelector(labelText);
    fields = parseFieldSelector(fieldText);
  } catch (error) {
    if (error instanceof SelectorError) throw newBadRequest(error.message);
    throw error;
  }
  const known = knownFields(resource);
  const terms = fields.map(({ field, operator, value }) => {
    const index = known.indexOf(field);
    if (index < 0) throw newBadRequest(unknownField(field, known));
    return { index, equals: operator !== '!=', value };
  });
  const selective = !labels.everything || terms.length > 0;
  const name = terms.find((term) => term.index === 0 && term.equals)?.value;
  return {
    everything: !selective,
    selective,
    name,
    matches(namespace, objectName, stored) {
      if (terms.length > 0) {
        let values: string[] | undefined;
        for (const { index, equals, value } of terms) {
          let actual: string | undefined;
          if (index === 0) actual = objectName;
          else if (index === 1) actual = namespace;
          else {
            values ??= stored.fields;
            actual = values[index - 2] ?? '';
          }
          if ((actual === value) !== equals) return false;
        }
      }
      return labels.everything || labels.matches(stored.labels);
    },
  };
}

/** metadata.name, metadata.namespace, then those that the schema names. */
function knownFields(resource: Resource): string[] {
  return ['metadata.name', 'metadata.namespace', ...resource.data.selectableFields];
}

function unknownField(field: string, known: readonly string[]): string {
  if (known.length === 2) return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  return `field label not supported: ${field}`;
}

/** Namespace and name of a storage key. */
export function splitKey(key: string, prefix: string, namespaced: boolean): { namespace: string; name: string } {
  const rest = key.slice(prefix.length + 1);
  if (!namespaced) return { namespace: '', name: rest };
  const slash = rest.indexOf('/');
  return { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
}
