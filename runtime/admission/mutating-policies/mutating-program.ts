/** What a mutating policy makes of one object, for one parameter (admission/plugin/policy/mutating of 1.32). */
import type { Mutation as SaidMutation } from '../../../generated/admissionregistration/v1alpha1/types.ts';
import type { Gates } from '../../expressions/libraries/kubernetes.ts';
import type { Value } from '../../expressions/values/value.ts';
import { CompiledExpressions } from '../expressions/compiled-expressions.ts';
import { type CompiledExpression, ExpressionPass, type PassInput } from '../expressions/expression-pass.ts';
import { type ConditionOutcome, meetsConditions } from '../expressions/match-conditions.ts';
import type { PolicySpec } from '../policies/configured-policies.ts';
import { applyConfiguration } from './apply-configuration.ts';
import { jsonPatch } from './json-patch.ts';
import { type Mutation, MutationError } from './mutation.ts';

export interface MutatingSpec extends PolicySpec {
  readonly mutations?: readonly SaidMutation[];
  readonly reinvocationPolicy?: string;
}

/** What all expressions of a policy read. */
export type ProgramInput = Pick<PassInput, 'seen' | 'params' | 'mayTakeLong'>;

/** One change that a policy makes. */
export interface CompiledMutation {
  readonly expression: CompiledExpression;
  readonly mutation: Mutation;
}

export class MutatingProgram {
  /** in their order */
  readonly mutations: readonly CompiledMutation[];
  readonly #compilation: CompiledExpressions;
  readonly #failsOpen: boolean;

  constructor({ mutations = [], failurePolicy, ...spec }: MutatingSpec, gates: Gates) {
    // 1.32 charges what these policies call, whatever gates say of validating ones
    const compilation = new CompiledExpressions(spec, { ...gates, strictCost: true });
    this.#compilation = compilation;
    this.#failsOpen = failurePolicy === 'Ignore';
    this.mutations = mutations.flatMap((said) => compiledMutation(said, compilation) ?? []);
  }

  /** To be called before all else. */
  ready(): Promise<void> | undefined {
    return this.#compilation.ready();
  }

  get hasConditions(): boolean {
    return this.#compilation.conditions.length > 0;
  }

  /** @throws as of `meetsConditions` */
  meetsConditions(input: ProgramInput): ConditionOutcome {
    return meetsConditions(this.#compilation.conditions, { ...input, variables: this.#compilation.variables }, this.#failsOpen);
  }

  /** What the expression of a mutation comes out as: each has a budget of its own. @throws MutationError, and as of `ExpressionPass.evaluate` */
  evaluate({ expression }: CompiledMutation, input: ProgramInput): Value {
    if (expression.program === undefined) throw new MutationError(expression.problem);
    const pass = new ExpressionPass({ ...input, variables: this.#compilation.variables, authorizer: true });
    const { value, error } = pass.evaluate(expression);
    if (error !== undefined) throw new MutationError(error);
    return value;
  }
}

function compiledMutation(
  { patchType, applyConfiguration: configuration, jsonPatch: patch }: SaidMutation,
  compilation: CompiledExpressions,
): CompiledMutation | undefined {
  if (patchType === 'ApplyConfiguration' && configuration != null) {
    const { expression = '' } = configuration;
    return {
      expression: compilation.add(expression, (expressions) => expressions.appliedObject(expression)),
      mutation: applyConfiguration,
    };
  }
  if (patchType === 'JSONPatch' && patch != null) {
    const { expression = '' } = patch;
    return { expression: compilation.add(expression, (expressions) => expressions.patches(expression)), mutation: jsonPatch };
  }
  return undefined;
}
