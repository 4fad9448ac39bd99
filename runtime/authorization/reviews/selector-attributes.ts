/**
 * Turns selectors of an access review into the form for authorizers. Selectors only narrow the question. So parts that are not understood are left out,
 * which asks for more, and the review tells that.
 */

import { labelValue, qualifiedName } from '../../formats/labels.ts';
import { type FieldRequirement, parseFieldSelector } from '../../selectors/field-selector-text.ts';
import { type LabelOperator, type LabelRequirement, parseLabelSelector } from '../../selectors/label-selector-text.ts';
import { SelectorError } from '../../selectors/selector-error.ts';

/** A selector in an access review: as text, or as requirements. */
export interface AskedSelector {
  readonly rawSelector?: string;
  readonly requirements?: readonly AskedRequirement[];
}

interface AskedRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface SelectorAttributes<Requirement> {
  readonly requirements: readonly Requirement[];
  /** whether part of the selector was left out */
  readonly failed: boolean;
}

export function fieldSelectorAttributes(selector: AskedSelector | undefined): SelectorAttributes<FieldRequirement> | undefined {
  return attributes(selector, fieldRequirement, parseFieldSelector);
}

export function labelSelectorAttributes(selector: AskedSelector | undefined): SelectorAttributes<LabelRequirement> | undefined {
  return attributes(selector, labelRequirement, (text) => parseLabelSelector(text).requirements);
}

function attributes<Requirement>(
  selector: AskedSelector | undefined,
  read: (requirement: AskedRequirement) => Requirement | undefined,
  parse: (text: string) => readonly Requirement[],
): SelectorAttributes<Requirement> | undefined {
  if (selector === undefined) return undefined;
  const given = selector.requirements ?? [];
  if (given.length === 0) return parsed(selector.rawSelector ?? '', parse);
  const requirements = given.map(read).filter((requirement) => requirement !== undefined);
  return { requirements, failed: requirements.length < given.length };
}

function parsed<Requirement>(text: string, parse: (text: string) => readonly Requirement[]): SelectorAttributes<Requirement> {
  try {
    return { requirements: parse(text), failed: false };
  } catch (error) {
    if (error instanceof SelectorError) return { requirements: [], failed: true };
    throw error;
  }
}

/** A field can be compared with exactly one value. */
function fieldRequirement({ key, operator, values = [] }: AskedRequirement): FieldRequirement | undefined {
  const [value, ...more] = values;
  if (value === undefined || more.length > 0 || (operator !== 'In' && operator !== 'NotIn')) return undefined;
  return { field: key, operator: operator === 'In' ? '=' : '!=', value };
}

const OPERATORS: Readonly<Record<string, LabelOperator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' };

function labelRequirement({ key, operator, values = [] }: AskedRequirement): LabelRequirement | undefined {
  const known = OPERATORS[operator];
  const wellFormed = qualifiedName(key).length === 0 && values.every((value) => labelValue(value).length === 0);
  return known === undefined || !wellFormed ? undefined : { key, operator: known, values };
}
