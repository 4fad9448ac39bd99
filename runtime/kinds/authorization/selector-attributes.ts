/**
 * Selectors of an access review, in the form in which authorizers get them. Selectors only narrow what is asked for; so a part that is not
 * understood is left out, which asks for more, and the review says that it was.
 */

import { labelValue, qualifiedName } from '../../formats/labels.ts';
import { type FieldRequirement, parseFieldSelector } from '../../selectors/field-selector-text.ts';
import { type LabelOperator, type LabelRequirement, parseLabelSelector } from '../../selectors/label-selector-text.ts';
import { SelectorError } from '../../selectors/selector-error.ts';
import type { Struct } from '../struct.ts';

export interface SelectorAttributes<Requirement> {
  readonly requirements: readonly Requirement[];
  /** some of the selector was left out */
  readonly failed: boolean;
}

export function fieldSelectorAttributes(selector: Struct | undefined): SelectorAttributes<FieldRequirement> | undefined {
  return attributes(selector, fieldRequirement, parseFieldSelector);
}

export function labelSelectorAttributes(selector: Struct | undefined): SelectorAttributes<LabelRequirement> | undefined {
  return attributes(selector, labelRequirement, (text) => parseLabelSelector(text).requirements);
}

function attributes<Requirement>(
  selector: Struct | undefined,
  read: (requirement: Struct) => Requirement | undefined,
  parse: (text: string) => readonly Requirement[],
): SelectorAttributes<Requirement> | undefined {
  if (selector === undefined) return undefined;
  const given: Struct[] = selector.requirements ?? [];
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

/** Fields can be compared with one value, and no more. */
function fieldRequirement({ key, operator, values = [] }: Struct): FieldRequirement | undefined {
  if (values.length !== 1 || (operator !== 'In' && operator !== 'NotIn')) return undefined;
  return { field: key, operator: operator === 'In' ? '=' : '!=', value: values[0] };
}

const OPERATORS: Readonly<Record<string, LabelOperator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' };

function labelRequirement({ key, operator, values = [] }: Struct): LabelRequirement | undefined {
  const known = OPERATORS[operator];
  const wellFormed = qualifiedName(key).length === 0 && values.every((value: string) => labelValue(value).length === 0);
  return known === undefined || !wellFormed ? undefined : { key, operator: known, values };
}
