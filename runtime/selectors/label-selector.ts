/**
 * Label selectors as objects have them (`matchLabels` and `matchExpressions`): what they match, and their text form.
 */
import { labelValue, qualifiedName } from '../formats/labels.ts';

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

export interface LabelRequirement {
  readonly key: string;
  /** `In`, `NotIn`, `Exists`, `DoesNotExist`; anything else is an error */
  readonly operator: string;
  readonly values?: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/** Whether the selector can be applied to labels at all. An absent one can: it selects nothing. */
export function isUsable(selector: LabelSelector | null | undefined): boolean {
  if (!selector) return true;
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => isKey(key) && isValue(value)) &&
    (selector.matchExpressions ?? []).every(isUsableRequirement)
  );
}

function isUsableRequirement({ key = '', operator, values = [] }: Partial<LabelRequirement>): boolean {
  const counts = operator === 'In' || operator === 'NotIn' ? values.length > 0 : isAboutPresence(operator) && values.length === 0;
  return counts && isKey(key) && values.every(isValue);
}

const isAboutPresence = (operator: string | undefined): boolean => operator === 'Exists' || operator === 'DoesNotExist';

const isKey = (key: string): boolean => qualifiedName(key).length === 0;
const isValue = (value: string): boolean => labelValue(value).length === 0;

/** True for `{}`, which selects all, and false for an absent selector, which selects nothing. */
export function isEmpty(selector: LabelSelector | null | undefined): boolean {
  if (!selector) return false;
  return Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
}

/** @param selector a usable one */
export function matches(selector: LabelSelector | null | undefined, labels: Labels | undefined): boolean {
  if (!selector) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (labelOf(labels, key) !== value) return false;
  return (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labelOf(labels, requirement.key)));
}

/** As `matches`, for a selector that many labels are held against. @param selector a usable one, which nobody changes any more */
export function compiledSelector({ matchLabels = {}, matchExpressions }: LabelSelector): (labels: Labels | undefined) => boolean {
  const pairs = Object.entries(matchLabels ?? {});
  const requirements = matchExpressions ?? [];
  return (labels) => {
    for (const [key, value] of pairs) if (labelOf(labels, key) !== value) return false;
    for (const requirement of requirements) if (!meets(requirement, labelOf(labels, requirement.key))) return false;
    return true;
  };
}

/** A name that all objects of the language have is no label for that. */
const labelOf = (labels: Labels | undefined, key: string): string | undefined =>
  labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;

/** True when every pair of a plain selector stands among the labels. */
export function matchesLabels(selector: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>> | undefined): boolean {
  return Object.entries(selector).every(([key, value]) => labels?.[key] === value);
}

function meets(requirement: LabelRequirement, value: string | undefined): boolean {
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && (requirement.values ?? []).includes(value);
    case 'NotIn':
      return value === undefined || !(requirement.values ?? []).includes(value);
    case 'Exists':
      return value !== undefined;
    default:
      return value === undefined;
  }
}

/**
 * The text form, such as `app=a,tier in (x,y),!z`, sorted by key and, in a list, by value.
 * @returns an empty text for an absent selector, and for one that selects all
 */
export function selectorText(selector: LabelSelector | null | undefined): string {
  if (!selector) return '';
  const parts = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...(selector.matchExpressions ?? []).map((requirement) => ({ key: requirement.key, text: requirementText(requirement) })),
  ];
  return parts
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map((part) => part.text)
    .join(',');
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  const list = [...(values ?? [])].sort().join(',');
  switch (operator) {
    case 'In':
      return `${key} in (${list})`;
    case 'NotIn':
      return `${key} notin (${list})`;
    case 'Exists':
      return key;
    default:
      return `!${key}`;
  }
}
