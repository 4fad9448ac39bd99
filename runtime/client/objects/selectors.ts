/** Selectors of objects, by labels and by fields, made of typed parts: no value can change what a selector means. */

/** A requirement of a label. It is made by `oneOf`, `noneOf`, `exists`, `absent` and `not`. */
export interface LabelRequirement {
  readonly operator: 'in' | 'notin' | 'exists' | '!' | '!=';
  readonly values: readonly string[];
}

/** All of the requirements must hold. A text stands for the label's value; a whole selector may be given in the server's syntax. */
export type LabelSelector = string | { readonly [label: string]: string | LabelRequirement };

/** A value that a field must not have. It is made by `not`. */
export interface FieldRequirement {
  readonly operator: '!=';
  readonly values: readonly [string];
}

/** All of the requirements must hold. `F` names the fields by which the server selects objects of the resource. */
export type FieldSelector<F extends string = string> = string | { readonly [field in F]?: string | FieldRequirement };

/** A label that has one of the values. */
export const oneOf = (...values: readonly [string, ...string[]]): LabelRequirement => ({ operator: 'in', values });
/** A label that is absent, or has none of the values. */
export const noneOf = (...values: readonly [string, ...string[]]): LabelRequirement => ({ operator: 'notin', values });
/** A label that is there, whatever its value. */
export const exists = (): LabelRequirement => ({ operator: 'exists', values: [] });
/** A label that is absent. */
export const absent = (): LabelRequirement => ({ operator: '!', values: [] });
/** A field or label that does not have the value; the label may be absent. */
export const not = (value: string): FieldRequirement & LabelRequirement => ({ operator: '!=', values: [value] });

/** A selector as objects hold it, such as the `spec.selector` of a deployment. */
export interface ObjectLabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[] | null;
  }[];
}

/** @throws TypeError for invalid names and values of labels, and for operators with too few or too many values */
export function labelSelectorText(selector: LabelSelector): string {
  if (typeof selector === 'string') return selector;
  return Object.entries(selector)
    .map(([label, wanted]) =>
      requirementText(label, typeof wanted === 'string' ? { operator: 'in', values: [wanted] } : stated(label, wanted)),
    )
    .join(',');
}

const OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' };

/** Makes the selector of an object usable in requests, for example to list the pods of a deployment. @throws TypeError for a value that is not a selector */
export function labelSelectorOf({ matchLabels = {}, matchExpressions = [] }: ObjectLabelSelector): string {
  const expressions = matchExpressions.map(({ key, operator, values }) => {
    const known = OPERATORS[operator];
    if (known === undefined) throw new TypeError(`${JSON.stringify(operator)} is no operator of a label selector`);
    return requirementText(key, { operator: known, values: values ?? [] });
  });
  return [labelSelectorText(matchLabels), ...expressions].filter((text) => text !== '').join(',');
}

function requirementText(label: string, { operator, values }: LabelRequirement): string {
  if (!LABEL.test(label)) throw new TypeError(`${JSON.stringify(label)} cannot be the name of a label`);
  const wrong = values.find((value) => !VALUE.test(value));
  if (wrong !== undefined) throw new TypeError(`${JSON.stringify(wrong)} cannot be the value of a label`);
  if (UNVALUED.has(operator) !== (values.length === 0))
    throw new TypeError(
      `the requirement of the label ${JSON.stringify(label)} ${values.length === 0 ? 'needs a value' : 'may have no value'}`,
    );
  if (operator === 'exists') return label;
  if (operator === '!') return `!${label}`;
  if (operator === '!=') return `${label}!=${values[0]}`;
  if (operator === 'in' && values.length === 1) return `${label}=${values[0]}`;
  return `${label} ${operator} (${values.join(',')})`;
}

/** Operators without values. Of the others, no value would stand for the empty one. */
const UNVALUED: ReadonlySet<string> = new Set(['exists', '!']);
const LABEL = /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

/** @throws TypeError for a field with an undefined requirement */
export function fieldSelectorText(selector: FieldSelector): string {
  if (typeof selector === 'string') return selector;
  return Object.entries(selector)
    .map(([field, wanted]) =>
      typeof wanted === 'string' ? `${field}=${escaped(wanted)}` : `${field}!=${escaped(stated(field, wanted).values[0])}`,
    )
    .join(',');
}

/** Refuses undefined requirements: leaving them out would select more than was meant, for example when objects are deleted. @throws TypeError */
function stated<T extends object>(name: string, wanted: T | undefined | null): T {
  if (wanted !== undefined && wanted !== null) return wanted;
  throw new TypeError(`the selector names ${JSON.stringify(name)}, but says ${wanted} of it`);
}

const escaped = (value: string): string => value.replaceAll(/[\\,=]/g, (character) => `\\${character}`);
