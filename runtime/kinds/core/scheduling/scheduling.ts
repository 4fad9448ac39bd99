/** What a pod tells the scheduler besides its affinities: tolerations, how it is to be spread. */
import type { Taint, Toleration, TopologySpreadConstraint } from '../../../../generated/core/v1/types.ts';
import { duplicate, type FieldError, invalid, Notation } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { labelValue, qualifiedName } from '../../../formats/labels.ts';
import { goQuote } from '../../../go-text/quote.ts';
import { goTimeSyntax } from '../../../go-text/times.ts';
import { goStructure } from '../../../go-text/values.ts';
import { foundInEach, joined, NONE } from '../../../validation/joined.ts';
import { atPath, eachItem, invalidAs, neededOneOf, oneOf } from '../../findings.ts';
import type { PodScope } from '../containers/pod-scope.ts';

export const TAINT_EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

type Tolerations = readonly Partial<Toleration>[] | undefined;

/** Of lists that stand elsewhere than in a spec, such as in an annotation. */
export function validateTolerations(tolerations: Tolerations, path: string): readonly FieldError[] {
  return eachItem(tolerations, path, (each, at) => atPath(toleration(each), at));
}

const MATCHES_ALL = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';

export function toleration({ key, operator, value, effect, tolerationSeconds }: Partial<Toleration>): readonly FieldError[] {
  return joined(
    key ? invalidAs(qualifiedName(key), '.key', key) : NONE,
    key || operator === 'Exists' ? NONE : [invalid('.operator', operator ?? '', MATCHES_ALL)],
    tolerationSeconds === undefined || effect === 'NoExecute'
      ? NONE
      : [invalid('.effect', effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set")],
    tolerationOperator(operator || 'Equal', value ?? ''),
    effect ? oneOf(effect, '.effect', TAINT_EFFECTS) : NONE,
  );
}

function tolerationOperator(operator: string, value: string): readonly FieldError[] {
  const problem = valueProblem(operator, value);
  return problem === '' ? oneOf(operator, '.operator', TOLERATION_OPERATORS) : [invalid('.operator', value, problem)];
}

const TOLERATION_OPERATORS = ['Equal', 'Exists'];

/** '' where the value goes with the operator, or nobody knows the operator. */
function valueProblem(operator: string, value: string): string {
  if (operator === 'Exists') return value === '' ? '' : "value must be empty when `operator` is 'Exists'";
  return operator === 'Equal' ? labelValue(value).join(';') : '';
}

/** No two constraints spread the pods over the same places in the same way. 1.32 reports the earlier one. */
export function isOnlySpread(
  constraint: TopologySpreadConstraint,
  _old: unknown,
  _context: RuleContext,
  scope: PodScope,
): readonly FieldError[] {
  if (!scope.repeatsSpread(constraint)) return NONE;
  const { topologyKey, whenUnsatisfiable: action = '' } = constraint;
  return [duplicate('.{topologyKey, whenUnsatisfiable}', `{${topologyKey}, ${action}}`)];
}

/** Too few places are a reason not to schedule a pod at all. */
export function minDomainsOfStrictSpread({ minDomains, whenUnsatisfiable: action }: TopologySpreadConstraint): readonly FieldError[] {
  if (minDomains === undefined || action === 'DoNotSchedule') return NONE;
  return [invalid('.minDomains', minDomains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action ?? ''}`)];
}

export function keysBesideSelector({ matchLabelKeys, labelSelector }: TopologySpreadConstraint): readonly FieldError[] {
  if (matchLabelKeys === undefined || labelSelector === undefined) return NONE;
  const { matchLabels = {}, matchExpressions = [] } = labelSelector;
  const taken = new Set([...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)]);
  return foundInEach(matchLabelKeys, (key, index) =>
    taken.has(key) ? [invalid(`.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and labelSelector')] : NONE,
  );
}

export function taints(list: readonly Taint[]): readonly FieldError[] {
  return validateTaints(list, '');
}

/** Of a list that stands elsewhere than in a spec, such as in an annotation. */
export function validateTaints(taints: readonly Partial<Taint>[] | undefined, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return eachItem(taints, path, (taint, at) => {
    const { key = '', value = '', effect } = taint;
    const messages = labelValue(value);
    const errors = [
      ...invalidAs(qualifiedName(key), `${at}.key`, key),
      ...(messages.length === 0 ? NONE : [invalid(`${at}.value`, value, messages.join(';'))]),
      ...neededOneOf(effect, `${at}.effect`, TAINT_EFFECTS),
    ];
    const pair = `${effect ?? ''} ${key}`;
    const twice = duplicate(at, new Notation(goTaint(taint)));
    if (seen.has(pair)) errors.push({ ...twice, message: `${twice.message}: taints must be unique by key and effect pair` });
    seen.add(pair);
    return errors;
  });
}

function goTaint({ key, value, effect, timeAdded }: Partial<Taint>): string {
  return goStructure('core.Taint', {
    Key: goQuote(key ?? ''),
    Value: goQuote(value ?? ''),
    Effect: goQuote(effect ?? ''),
    TimeAdded: goTimeSyntax(timeAdded),
  });
}
