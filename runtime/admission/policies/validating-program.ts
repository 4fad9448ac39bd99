/** The program of a validating policy (admission/plugin/policy/validating of 1.32). */
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

/** A validation that has failed or could not be evaluated. */
export interface Failure {
  /** index of the validation in its policy; 0 for a failure of the whole policy */
  readonly index: number;
  readonly message: string;
  /** the reason of the refusal; absent: the policy states none */
  readonly reason?: string | undefined;
  /** whether the failure has no effect, because the validation could not be evaluated and the policy fails open */
  readonly isIgnored?: boolean;
}

export interface Verdict {
  /** in the order of validations */
  readonly failures: readonly Failure[];
  /** audit annotations to be recorded */
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** errors of audit annotations, which refuse the request whatever the binding says */
  readonly annotationErrors: readonly string[];
}

export const NOTHING: Verdict = { failures: [], annotations: [], annotationErrors: [] };

/** Limits in bytes of a computed message, and of an audit annotation. */
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
  /** the most units of all messages, if each stays within the limit of one expression */
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

  /** Must have resolved before `judge` is called. */
  ready(): Promise<void> | undefined {
    return this.#compilation.ready();
  }

  /** @throws like `ExpressionPass.evaluate`, except for OutOfBudget */
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

  /** The failure of a policy that could not be evaluated as a whole. */
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
   * Computes only the messages that are reported, if all of them together cannot exceed the budget. 1.32 computes all of them, and refuses
   * the request if they exceed it.
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

  /** As in 1.32, annotations have a budget of their own, and no authorizer. @throws OutOfBudget */
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
  /** @returns undefined if there is none, or it could not be computed */
  of(validation: CompiledValidation): unknown;
  /** the reason why none could be computed */
  readonly error?: string;
}

/** The message of a failed validation: the computed one if it can be shown, else the stated one, else the expression. */
function messageOf({ said: { message = '', expression } }: CompiledValidation, computed: unknown): string {
  const text = typeof computed === 'string' ? computed.trim() : '';
  const isShown = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MESSAGE_BYTES;
  return (isShown ? text : message.trim()) || `failed expression: ${expression.trim()}`;
}

function cut(text: string): string {
  return Buffer.byteLength(text) <= ANNOTATION_BYTES ? text : Buffer.from(text).toString('utf8', 0, ANNOTATION_BYTES);
}
