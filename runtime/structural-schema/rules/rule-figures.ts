/** How long it takes to compile and to evaluate rules, counted under the names of 1.32. */
import type { RuleContext } from '../../contract/kind-rules.ts';

/** Who counts; without a distribution nobody does. */
export type Counting = Pick<RuleContext, 'distribution'>;

/** Takes seconds. */
type Distribution = ReturnType<NonNullable<RuleContext['distribution']>>;

/** Of all rules of one schema together. */
export const compilationOf = (context: Counting): Distribution | undefined =>
  context.distribution?.('apiserver_cel_compilation_duration_seconds');

/** Of a value against the rules of its schema and of those below it; what is in the value is counted for itself too, as in 1.32. */
export const evaluationOf = (context: Counting): Distribution | undefined =>
  context.distribution?.('apiserver_cel_evaluation_duration_seconds');

/** Does something, and counts the seconds that it took. */
export function timed<T>(distribution: Distribution | undefined, what: () => T): T {
  if (distribution === undefined) return what();
  const begun = performance.now();
  const done = what();
  distribution.observe((performance.now() - begun) / 1_000);
  return done;
}
