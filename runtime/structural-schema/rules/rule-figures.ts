/** Measures how long compiling and evaluating rules takes, under the names of 1.32. */
import type { RuleContext } from '../../contract/kind-rules.ts';

/** The context that measures; without a distribution, nothing is measured. */
export type Counting = Pick<RuleContext, 'distribution'>;

/** Observes seconds. */
type Distribution = ReturnType<NonNullable<RuleContext['distribution']>>;

/** Measures the compilation of all rules of one schema. */
export const compilationOf = (context: Counting): Distribution | undefined =>
  context.distribution?.('apiserver_cel_compilation_duration_seconds');

/** Measures the evaluation of a value and everything in it; as in 1.32, inner values are also measured by themselves. */
export const evaluationOf = (context: Counting): Distribution | undefined =>
  context.distribution?.('apiserver_cel_evaluation_duration_seconds');

/** Runs a function and measures its seconds. */
export function timed<T>(distribution: Distribution | undefined, what: () => T): T {
  if (distribution === undefined) return what();
  const begun = performance.now();
  const done = what();
  distribution.observe((performance.now() - begun) / 1_000);
  return done;
}
