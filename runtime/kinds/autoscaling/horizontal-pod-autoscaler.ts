import type { Identity } from '../../contract/identity.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { roundTripAnnotationDropper } from './horizontal-pod-autoscaler-v1.ts';

/** Autoscalers in their newest and stored version, v2. */
export function rules(identity: Identity): KindRules {
  return { defaults: roundTripAnnotationDropper(identity) };
}
