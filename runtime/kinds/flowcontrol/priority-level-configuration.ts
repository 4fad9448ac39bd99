import type { PriorityLevelConfiguration, QueuingConfiguration } from '../../../generated/flowcontrol/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { NONE } from '../../validation/joined.ts';
import { keepMetadata } from '../metadata/status-update.ts';

/** Bits of the hash that picks the queues of a flow. */
const MAX_HASH_BITS = 60;

/** A hand that is positive. */
export function dealtHand({ queues, handSize }: QueuingConfiguration): readonly FieldError[] {
  const problem = handProblem(queues, handSize);
  return handSize <= 0 || problem === undefined ? NONE : [invalid('.handSize', handSize, problem)];
}

function handProblem(queues: number, handSize: number): string | undefined {
  if (handSize > queues) return `should not be greater than queues (${queues})`;
  return Math.ceil(Math.log2(queues) * handSize) > MAX_HASH_BITS
    ? `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`
    : undefined;
}

export const rules: KindRules<PriorityLevelConfiguration> = { prepareForStatusUpdate: keepMetadata };
