/** What a validating policy says of one request, for one parameter (admission/plugin/policy/validating of 1.32). */
import type { AuditAnnotation, Validation } from '../../../generated/admissionregistration/v1/types.ts';
import type { Gates } from '../../expressions/libraries/kubernetes.ts';
import { CompiledExpressions } from '../expressions/compiled-expressions.ts';
import {
  CALL_UNITS,
  type CompiledExpression,
  ExpressionPass,
  OutOfBudget,
  type PassInput,
  POLICY_UNITS,
} from '../expressions/expression-pass.ts';
import { meetsConditions } from '../expressions/match-conditions.ts';
import type { PolicySpec } from './configured-policies.ts';

export interface ValidatingSpec extends PolicySpec {
  readonly validations?: readonly Validation[];
  readonly auditAnnotations?: readonly AuditAnnotation[];
}

/** A validation that is not met, or that cannot be evaluated. */
export interface Failure {
  /** place of the validation in its policy; 0 for what is about all of them */
  readonly index: number;
  readonly message: string;
  /** why the request is refused; absent: the policy does not say */
  readonly reason?: string | undefined;
  /** whether it counts for nothing: it could not be evaluated, and the policy fails open */
  readonly isIgnored?: boolean;
}

export interface Verdict {
  /** in their order */
  readonly failures: readonly Failure[];
  /** that are to be recorded */
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** annotations that could not be computed, which refuses the request whatever the binding says */
  readonly annotationErrors: readonly string[];
}

export const NOTHING: Verdict = { failures: [], annotations: [], annotationErrors: [] };

/** Bytes of a message that an expression computes, and of an annotation. */
const MESSAGE_BYTES = 5 * 1024;
const ANNOTATION_BYTES = 10 * 1024;

interface CompiledValidation {
  readonly condition: CompiledExpression;
  readonly message: CompiledExpression | undefined;
  readonly said: Validation;
}

interface CompiledAnnotation {
  readonly key: string;
  readonly value: CompiledExpression;
}

export class ValidatingProgram {
  readonly #compilation: CompiledExpressions;
  readonly #validations: readonly CompiledValidation[];
  readonly #annotations: readonly CompiledAnnotation[];
  readonly #failsOpen: boolean;
  /** units that messages cost at most, but for what goes beyond the limit of one expression */
  readonly #messageUnits: number;

  constructor(spec: ValidatingSpec, gates: Gates) {
    const compilation = new CompiledExpressions(spec, gates);
    const { validations = [], auditAnnotations = [] } = spec;
    this.#compilation = compilation;
    this.#failsOpen = spec.failurePolicy === 'Ignore';
    this.#validations = validations.map((said) => ({
      said,
      condition: compilation.add(said.expression, (expressions) => expressions.validation(said.expression)),
      message: said.messageExpression
        ? compilation.add(said.messageExpression, (expressions) => expressions.message(said.messageExpression as string))
        : undefined,
    }));
    this.#annotations = auditAnnotations.map(({ key, valueExpression }) => ({
      key,
      value: compilation.add(valueExpression, (expressions) => expressions.annotation(valueExpression)),
    }));
    const messages = this.#validations.filter(({ message }) => message !== undefined).length;
    this.#messageUnits = messages === 0 ? 0 : (messages + compilation.variables.size) * CALL_UNITS;
  }

  /** To be called before `judge`. */
  ready(): Promise<void> | undefined {
    return this.#compilation.ready();
  }

  /** @throws as of `ExpressionPass.evaluate`, but for OutOfBudget */
  judge(given: Omit<PassInput, 'budget' | 'authorizer' | 'variables'>): Verdict {
    const input = { ...given, variables: this.#compilation.variables };
    const met = meetsConditions(this.#compilation.conditions, input, this.#failsOpen);
    if (met === false) return NOTHING;
    if (met !== true) return { ...NOTHING, failures: this.#failing(met.error) };
    try {
      const failures = this.#failures(input);
      return this.#annotations.length === 0 && failures.length === 0 ? NOTHING : { failures, ...this.#annotated(input) };
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      return { ...NOTHING, failures: this.#failing(error.message) };
    }
  }

  /** What could not be evaluated as a whole. */
  #failing(message: string): readonly Failure[] {
    return [{ index: 0, message, isIgnored: this.#failsOpen }];
  }

  /** @throws OutOfBudget */
  #failures(input: Omit<PassInput, 'authorizer'>): readonly Failure[] {
    const pass = new ExpressionPass({ ...input, budget: POLICY_UNITS, authorizer: true });
    const outcomes = this.#validations.map(({ condition }) => pass.evaluate(condition));
    const messages = this.#messages({ ...input, budget: pass.left, authorizer: false });
    const failures: Failure[] = [];
    for (const [index, { value, error }] of outcomes.entries()) {
      const validation = this.#validations[index] as CompiledValidation;
      if (error !== undefined) failures.push({ index, message: error, isIgnored: this.#failsOpen });
      else if (messages.error !== undefined)
        failures.push({ index, message: `failed messageExpression: ${messages.error}`, isIgnored: this.#failsOpen });
      else if (value !== true)
        failures.push({ index, message: messageOf(validation, messages.of(validation)), reason: validation.said.reason });
    }
    return failures;
  }

  /**
   * Messages are computed for those that are told alone, where all of them together cannot run out of budget: 1.32 computes all of them, and refuses a request
   * where that runs out.
   */
  #messages(input: PassInput): Messages {
    const pass = new ExpressionPass(input);
    const of = ({ message }: CompiledValidation): unknown => message && pass.evaluate(message).value;
    if (this.#messageUnits <= pass.left) return { of };
    try {
      const all = new Map(this.#validations.map((validation) => [validation, of(validation)]));
      return { of: (validation) => all.get(validation) };
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      return { of: () => undefined, error: error.message };
    }
  }

  /** 1.32 gives them a budget of their own, and no authorizer. @throws OutOfBudget */
  #annotated(input: Omit<PassInput, 'authorizer'>): Omit<Verdict, 'failures'> {
    const annotations: { key: string; value: string }[] = [];
    const annotationErrors: string[] = [];
    const pass = new ExpressionPass({ ...input, budget: POLICY_UNITS, authorizer: false });
    for (const { key, value: expression } of this.#annotations) {
      const { value, error } = pass.evaluate(expression);
      if (error !== undefined) {
        if (!this.#failsOpen) annotationErrors.push(error);
      } else if (typeof value === 'string' && value.trim() !== '') annotations.push({ key, value: cut(value.trim()) });
    }
    return { annotations, annotationErrors };
  }
}

interface Messages {
  /** @returns undefined where there is none, or where it cannot be computed */
  of(validation: CompiledValidation): unknown;
  /** why none can be computed */
  readonly error?: string;
}

/** What is told of a validation that is not met: the message that was computed, where that can be shown, else the one that the policy states, else the expression. */
function messageOf({ said: { message = '', expression } }: CompiledValidation, computed: unknown): string {
  const text = typeof computed === 'string' ? computed.trim() : '';
  const isShown = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MESSAGE_BYTES;
  return (isShown ? text : message.trim()) || `failed expression: ${expression.trim()}`;
}

function cut(text: string): string {
  return Buffer.byteLength(text) <= ANNOTATION_BYTES ? text : Buffer.from(text).toString('utf8', 0, ANNOTATION_BYTES);
}
