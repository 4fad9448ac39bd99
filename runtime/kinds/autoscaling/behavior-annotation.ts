/** The behavior of an autoscaler as an annotation has it: member names begin with capitals, and what is absent is null. */
import type { HorizontalPodAutoscalerBehavior, HPAScalingPolicy, HPAScalingRules } from '../../../generated/autoscaling/v2/types.ts';
import { defined, list, optionalInt32, optionalText, struct, text, type Unread } from './annotation-reading.ts';

/** @param behavior of v2 */
export function behaviorText({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): string {
  return JSON.stringify({ ScaleUp: capitalized(scaleUp), ScaleDown: capitalized(scaleDown) });
}

function capitalized(rules: HPAScalingRules | undefined): object | null {
  if (rules === undefined) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: rules.policies?.map((policy) => ({ Type: policy.type, Value: policy.value, PeriodSeconds: policy.periodSeconds })) ?? null,
  };
}

/** @returns undefined where neither direction is named */
export function readBehavior(value: unknown): HorizontalPodAutoscalerBehavior | undefined {
  const [up, down] = [member(struct(value), 'ScaleUp'), member(struct(value), 'ScaleDown')];
  const behavior: HorizontalPodAutoscalerBehavior = defined({ scaleUp: optionalRules(up), scaleDown: optionalRules(down) });
  return Object.keys(behavior).length === 0 ? undefined : behavior;
}

const optionalRules = (value: unknown): HPAScalingRules | undefined => (value === undefined ? undefined : readRules(struct(value)));

function readRules(rules: Unread): HPAScalingRules {
  const policies = list(member(rules, 'Policies'), readPolicy);
  return defined({
    stabilizationWindowSeconds: optionalInt32(member(rules, 'StabilizationWindowSeconds')),
    selectPolicy: optionalText(member(rules, 'SelectPolicy')),
    policies: policies.length === 0 ? undefined : policies,
  });
}

function readPolicy(policy: Unread): HPAScalingPolicy {
  return {
    type: text(member(policy, 'Type')),
    value: optionalInt32(member(policy, 'Value')) ?? 0,
    periodSeconds: optionalInt32(member(policy, 'PeriodSeconds')) ?? 0,
  };
}

/** Names are compared without regard to case; null counts as absent. */
function member(object: Unread, name: string): unknown {
  const key = Object.keys(object).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : (object[key] ?? undefined);
}
