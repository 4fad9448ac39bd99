/** What a pod tells the scheduler besides its affinities: tolerations, gates, how it is to be spread. */

import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import { labelValue, qualifiedName } from '../../formats/labels.ts';
import { joined, NONE } from '../joined.ts';
import { validateLabelName, validateLabelSelector } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';
import { eachItem, invalidAs, needed, oneOf } from './findings.ts';

export const TAINT_EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateTolerations(tolerations: readonly Struct[] | undefined, path: string): readonly FieldError[] {
  return eachItem(tolerations, path, ({ key = '', operator = '', value = '', effect = '', tolerationSeconds }, at) =>
    joined(
      key === '' ? NONE : validateLabelName(key, `${at}.key`),
      key === '' && operator !== 'Exists'
        ? [invalid(`${at}.operator`, operator, 'operator must be Exists when `key` is empty, which means "match all values and all keys"')]
        : NONE,
      tolerationSeconds !== undefined && effect !== 'NoExecute'
        ? [invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
        : NONE,
      validateTolerationOperator(operator, value, `${at}.operator`),
      effect === '' ? NONE : oneOf(effect, `${at}.effect`, TAINT_EFFECTS),
    ),
  );
}

function validateTolerationOperator(operator: string, value: string, path: string): readonly FieldError[] {
  switch (operator) {
    case '':
    case 'Equal': {
      const messages = labelValue(value);
      return messages.length === 0 ? NONE : [invalid(path, value, messages.join(';'))];
    }
    case 'Exists':
      return value === '' ? NONE : [invalid(path, value, "value must be empty when `operator` is 'Exists'")];
    default:
      return [notSupported(path, operator, ['Equal', 'Exists'])];
  }
}

export function validateSchedulingGates(gates: readonly Struct[] | undefined, path: string): readonly FieldError[] {
  if (!gates) return NONE;
  const names = new Set<string>();
  return eachItem(gates, path, ({ name = '' }, at) => {
    const errors = [...invalidAs(qualifiedName(name), at, name)];
    if (names.has(name)) errors.push(duplicate(at, name));
    names.add(name);
    return errors;
  });
}

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];
const NOT_POSITIVE = 'must be greater than zero';

export function validateTopologySpread(constraints: readonly Struct[] | undefined, path: string): readonly FieldError[] {
  if (!constraints) return NONE;
  const pairs = constraints.map(({ topologyKey = '', whenUnsatisfiable: action = '' }) => `{${topologyKey}, ${action}}`);
  const last = new Map(pairs.map((pair, index) => [pair, index]));
  return eachItem(constraints, path, (constraint, at, index) => {
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable: action = '' } = constraint;
    const pair = pairs[index] as string;
    return joined(
      maxSkew > 0 ? NONE : [invalid(`${at}.maxSkew`, maxSkew, NOT_POSITIVE)],
      needed(topologyKey, `${at}.topologyKey`, 'can not be empty'),
      oneOf(action, `${at}.whenUnsatisfiable`, ACTIONS),
      last.get(pair) === index ? NONE : [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair)],
      validateMinDomains(constraint.minDomains, action, `${at}.minDomains`),
      oneOf(constraint.nodeAffinityPolicy, `${at}.nodeAffinityPolicy`, POLICIES),
      oneOf(constraint.nodeTaintsPolicy, `${at}.nodeTaintsPolicy`, POLICIES),
      validateSpreadKeys(constraint, `${at}.matchLabelKeys`),
      validateLabelSelector(constraint.labelSelector, `${at}.labelSelector`),
    );
  });
}

function validateMinDomains(minDomains: number | undefined, action: string, path: string): readonly FieldError[] {
  if (minDomains === undefined) return NONE;
  return joined(
    minDomains > 0 ? NONE : [invalid(path, minDomains, NOT_POSITIVE)],
    action === 'DoNotSchedule'
      ? NONE
      : [invalid(path, minDomains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`)],
  );
}

function validateSpreadKeys({ matchLabelKeys, labelSelector }: Struct, path: string): readonly FieldError[] {
  if ((matchLabelKeys ?? []).length === 0) return NONE;
  const taken = new Set(
    joined(
      Object.keys(labelSelector?.matchLabels ?? {}),
      ((labelSelector?.matchExpressions ?? []) as readonly Struct[]).map(({ key }) => key),
    ),
  );
  return joined(
    labelSelector === undefined ? [forbidden(path, 'must not be specified when labelSelector is not set')] : NONE,
    eachItem(matchLabelKeys as readonly string[], path, (key, at) =>
      joined(validateLabelName(key, at), taken.has(key) ? [invalid(at, key, 'exists in both matchLabelKeys and labelSelector')] : NONE),
    ),
  );
}

/** @param path of the list; 1.32 names one that is not the field's */
export function validateTaints(taints: readonly Struct[] | undefined, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return eachItem(taints, path, (taint, at) => {
    const { key = '', value = '', effect = '' } = taint;
    const messages = labelValue(value);
    const errors = [
      ...validateLabelName(key, `${at}.key`),
      ...(messages.length === 0 ? NONE : [invalid(`${at}.value`, value, messages.join(';'))]),
      ...(effect === '' ? [required(`${at}.effect`)] : oneOf(effect, `${at}.effect`, TAINT_EFFECTS)),
    ];
    const pair = `${effect} ${key}`;
    const twice = duplicate(at, taint);
    if (seen.has(pair)) errors.push({ ...twice, message: `${twice.message}: taints must be unique by key and effect pair` });
    seen.add(pair);
    return errors;
  });
}
