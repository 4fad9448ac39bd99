/** Compares what an absent member means in two states. */
import type { DefaultRule } from '../../../runtime/contract/default-rule.ts';
import type { FieldModel, StructModel } from '../../model/model.ts';
import { shown } from '../finding.ts';
import { isEqual, needsNew } from './constraints.ts';

/** A change of what an absent member means, in words. */
export interface MeaningDifference {
  /** For a rule of a struct: dotted path of the member, from the struct on; absent if the difference is that of the field itself. */
  readonly path?: string;
  readonly was: string;
  readonly is: string;
}

/**
 * @param before the same field in the earlier state, whose type has the same form
 * @param isNew whether the earlier state lacks a member of the struct
 * @param wasRefused whether objects without the field were refused: then a first default changes the meaning of none
 */
export function compareMeaning(
  before: FieldModel,
  after: FieldModel,
  isNew: (path: string) => boolean,
  wasRefused: boolean,
): MeaningDifference[] {
  const found: MeaningDifference[] = [];
  const [old, now] = [defaultOf(before), defaultOf(after)];
  if (!isEqual(old, now) && !(wasRefused && old === undefined)) found.push({ was: `default ${shown(old)}`, is: `default ${shown(now)}` });
  if (before.pointer && !after.pointer) found.push({ was: 'absent and zero are two things', is: 'absent and zero are one' });
  if (before.always && !after.always && !after.required) found.push({ was: 'always written', is: 'left out where it is zero' });
  if (!isEqual(before.whileGated, after.whileGated) && before.featureGate !== undefined && after.featureGate !== undefined)
    found.push({ was: `${shown(before.whileGated)} while gated`, is: `${shown(after.whileGated)} while gated` });
  return [...found, ...compareRules(before.dependentDefaults ?? [], after.dependentDefaults ?? [], isNew)];
}

/** Compares the rules that a struct states for members below it. */
export function compareStructRules(before: StructModel, after: StructModel, isNew: (path: string) => boolean): MeaningDifference[] {
  return compareRules(before.defaults, after.defaults, isNew);
}

function defaultOf({ default: published, unpublishedDefault }: FieldModel): unknown {
  return published ?? unpublishedDefault;
}

/** A rule counts only if the member that it sets was there before, and its condition can hold without new members. */
function compareRules(
  before: readonly DefaultRule[],
  after: readonly DefaultRule[],
  isNew: (path: string) => boolean,
): MeaningDifference[] {
  const concerns = (rule: DefaultRule): boolean => !isNew(rule.path) && !onlyOfNew(rule, isNew);
  const paths = new Set([...before, ...after].filter(concerns).map(({ path }) => path));
  return [...paths].flatMap((path) => {
    const of = (rules: readonly DefaultRule[]): object[] => rules.filter((rule) => rule.path === path && concerns(rule)).map(plain);
    const [old, now] = [of(before), of(after)];
    return isEqual(old, now) ? [] : [{ path, was: `default ${shown(old)}`, is: `default ${shown(now)}` }];
  });
}

function onlyOfNew({ when }: DefaultRule, isNew: (path: string) => boolean): boolean {
  if (when === undefined) return false;
  const conditions = Array.isArray(when) ? when : [when];
  return conditions.every((condition) => needsNew(condition, isNew));
}

function plain({ since: _since, until: _until, ...rule }: DefaultRule & { since?: string; until?: string }): object {
  return rule;
}
