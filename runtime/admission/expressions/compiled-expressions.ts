/** The expressions of one policy or webhook, compiled once; as 1.32 compiles what is stored. */
import type { MatchCondition, Variable } from '../../../generated/admissionregistration/v1/types.ts';
import { eachInTurns } from '../../event-loop/turns.ts';
import type { ExpressionOutcome } from '../../expressions/expression-problems.ts';
import { type Gates, STORED_EXPRESSIONS } from '../../expressions/libraries/kubernetes.ts';
import { PolicyExpressions } from '../../kinds/admissionregistration/expressions/policy-expressions.ts';
import type { CompiledExpression, CompiledVariable } from './expression-pass.ts';

/**
 * Gates that say what expressions cost. None says what those that are stored may use.
 * @param whose `VAP` or `Webhooks`
 */
export const gatesOf = (featureEnabled: (gate: string) => boolean, whose: 'VAP' | 'Webhooks'): Gates => ({
  strictCost: featureEnabled(`StrictCostEnforcementFor${whose}`),
});

/** Whose expressions they are. */
export interface Stated {
  readonly paramKind?: object | undefined;
  readonly variables?: readonly Variable[] | undefined;
  readonly matchConditions?: readonly MatchCondition[] | undefined;
}

export class CompiledExpressions {
  readonly variables: ReadonlyMap<string, CompiledVariable>;
  readonly conditions: readonly CompiledExpression[];
  readonly #expressions: PolicyExpressions;
  readonly #waiting: (() => void)[] = [];
  #underWay: Promise<void> | undefined;

  /** @param minor of the release 1.x in whose environment they are compiled */
  constructor(spec: Stated, gates: Gates, minor = STORED_EXPRESSIONS) {
    this.#expressions = new PolicyExpressions(spec, { minor, gates });
    const { variables = [], matchConditions = [] } = spec;
    this.variables = new Map(
      variables.map((variable) => {
        const { name, expression } = variable;
        return [
          name,
          Object.assign(
            this.add(expression, (expressions) => expressions.variable(variable)),
            { name },
          ),
        ];
      }),
    );
    this.conditions = matchConditions.map(({ expression }) =>
      this.add(expression, (expressions) => expressions.matchCondition(expression)),
    );
  }

  /** Adds an expression, which is compiled by the end of `ready`. Not to be called once that has been. @returns itself, as it will be */
  add(expression: string, outcomeOf: (expressions: PolicyExpressions) => ExpressionOutcome): CompiledExpression {
    const compiled: { -readonly [key in keyof CompiledExpression]: CompiledExpression[key] } = { expression };
    this.#waiting.push(() => {
      const { program, problem } = outcomeOf(this.#expressions);
      compiled.program = program;
      compiled.problem = problem?.detail;
    });
    return compiled;
  }

  /** To be called before anything is evaluated. @returns a promise where compiling takes more than a few milliseconds: others have turns in between */
  ready(): Promise<void> | undefined {
    if (this.#waiting.length === 0) return this.#underWay;
    const waiting = this.#waiting.splice(0);
    this.#underWay = eachInTurns(waiting, (compile) => compile())?.then(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }
}
