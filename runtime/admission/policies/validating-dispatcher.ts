/** Evaluates validating policies. It is loaded when one first applies to a request. */

import type { RequestContext } from '../../contract/request-context.ts';
import { turn } from '../../event-loop/turns.ts';
import type { Gates } from '../../expressions/libraries/kubernetes.ts';
import { LongObject } from '../../registry/stored-objects/long-value.ts';
import { escapedAsInGo } from '../../schema/structural/go-json.ts';
import { newForbidden, STATUS_CODES, StatusError, type StatusReason } from '../../status/status.ts';
import { gatesOf } from '../expressions/compiled-expressions.ts';
import { type AdmissionAttributes, canBeMoved } from '../request/attributes.ts';
import { shownName } from '../request/shown-name.ts';
import type { Binding, BindingSpec, Candidate, Policy } from './configured-policies.ts';
import type { DispatcherParts } from './dispatcher-parts.ts';
import { askedOf, type ConfigurationError, type Invocation, isConfigurationError } from './invocations.ts';
import { PolicyAnnotations } from './policy-annotations.ts';
import { type Enforcement, PolicyMetrics } from './policy-metrics.ts';
import { RequestValues, type SeenRequest } from './request-values.ts';
import { NOTHING, ValidatingProgram, type ValidatingSpec, type Verdict } from './validating-program.ts';

export interface ValidatingBindingSpec extends BindingSpec {
  readonly validationActions?: readonly string[];
}

type ValidatingPolicy = Policy<ValidatingSpec>;
type ValidatingBinding = Binding<ValidatingBindingSpec>;
type ValidatingInvocation = Invocation<ValidatingPolicy, ValidatingBinding>;
export type ValidatingCandidate = Candidate<ValidatingPolicy, ValidatingBinding>;

/** The reason why a request is refused. */
interface Denial {
  readonly policy: string;
  /** absent: the policy itself cannot be used */
  readonly binding?: string | undefined;
  readonly message: string;
  /** the reason that the policy states; absent: it states none */
  readonly reason?: string | undefined;
}

/** The results of all policies. They are reported only at the end, because evaluation may have to be repeated on another thread. */
interface Outcome {
  readonly denials: Denial[];
  readonly warnings: string[];
  readonly annotations: PolicyAnnotations;
  /** failures to be recorded in audit events, as JSON */
  readonly recorded: string[];
  /** when the evaluation of the current policy began, by `performance.now()` */
  began: number;
}

const FAILURE_KEY = 'validation.policy.admission.${groupDomain}/validation_failure';
/** Milliseconds after which other work gets a turn. */
const PIECE = 4;

export class ValidatingDispatcher {
  readonly #parts: DispatcherParts;
  readonly #failureKey: string;
  readonly #gates: Gates;
  readonly #metrics: PolicyMetrics;
  /** programs of the current revisions of policies */
  readonly #programs = new WeakMap<ValidatingPolicy, ValidatingProgram>();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#failureKey = parts.identity.text(FAILURE_KEY);
    this.#metrics = new PolicyMetrics(parts.metrics);
    this.#gates = gatesOf(parts.featureEnabled, 'VAP');
  }

  /** @throws StatusError if a policy refuses the request @throws LongObject */
  async dispatch(candidates: readonly ValidatingCandidate[], attributes: AdmissionAttributes): Promise<void> {
    const asked = await askedOf(candidates, attributes, this.#parts);
    if (asked.length === 0) return;
    const { request } = attributes;
    const values = new RequestValues(attributes, this.#parts);
    const outcome: Outcome = { denials: [], warnings: [], annotations: new PolicyAnnotations(), recorded: [], began: 0 };
    outcome.began = performance.now();
    let until = outcome.began + PIECE;
    for (const each of asked) {
      if (isConfigurationError(each)) deny(each, outcome);
      else {
        const pending = this.#ask(each, values, attributes, outcome);
        if (pending !== undefined) await pending;
      }
      outcome.began = performance.now();
      if (outcome.began < until) continue;
      request.throwIfOver();
      await turn();
      outcome.began = performance.now();
      until = outcome.began + PIECE;
    }
    this.#tell(outcome, request);
    const [first] = outcome.denials;
    if (first !== undefined) throw refusal(first, attributes);
  }

  /** @returns a promise only if it must wait */
  #ask(
    invocation: ValidatingInvocation,
    values: RequestValues,
    attributes: AdmissionAttributes,
    outcome: Outcome,
  ): Promise<void> | undefined {
    const program = this.#programOf(invocation.policy);
    const ready = program.ready();
    const seen = values.of(invocation.matched);
    if (ready !== undefined || seen instanceof Promise)
      return this.#askLater(invocation, { program, ready, seen, values }, attributes, outcome);
    const verdict = this.#verdict(invocation, program, seen, values, attributes);
    if (verdict instanceof Promise) return verdict.then((later) => this.#take(invocation, later, outcome));
    this.#take(invocation, verdict, outcome);
    return undefined;
  }

  async #askLater(
    invocation: ValidatingInvocation,
    waiting: {
      program: ValidatingProgram;
      ready: Promise<void> | undefined;
      seen: SeenRequest | Promise<SeenRequest>;
      values: RequestValues;
    },
    attributes: AdmissionAttributes,
    outcome: Outcome,
  ): Promise<void> {
    const { policy, binding } = invocation;
    // both are settled, because a rejection while the other is awaited would be unhandled
    const [seen, ready] = await Promise.allSettled([waiting.seen, waiting.ready]);
    if (ready.status === 'rejected') throw ready.reason;
    if (seen.status === 'rejected') {
      attributes.request.throwIfOver();
      if (seen.reason instanceof LongObject) throw seen.reason;
      const cause = seen.reason instanceof Error ? seen.reason.message : String(seen.reason);
      const message = `failed to configure binding: failed to convert object version: ${cause}`;
      return deny({ policy, binding, message }, outcome);
    }
    this.#take(invocation, await this.#verdict(invocation, waiting.program, seen.value, waiting.values, attributes), outcome);
  }

  #verdict(
    { params }: ValidatingInvocation,
    program: ValidatingProgram,
    seen: SeenRequest,
    values: RequestValues,
    attributes: AdmissionAttributes,
  ): Verdict | Promise<Verdict> {
    const mayTakeLong = this.#parts.mayTakeLong || !canBeMoved(attributes);
    return values.answers.whenAnswered(() => program.judge({ seen, params, mayTakeLong }));
  }

  #tell({ warnings, annotations, recorded }: Outcome, request: RequestContext): void {
    for (const warning of warnings) request.warn?.(warning);
    for (const failure of recorded) request.annotate(this.#failureKey, failure);
    annotations.publish(request);
  }

  #programOf(policy: ValidatingPolicy): ValidatingProgram {
    let program = this.#programs.get(policy);
    if (program === undefined) {
      program = new ValidatingProgram(policy.spec, this.#gates);
      this.#programs.set(policy, program);
    }
    return program;
  }

  #take({ policy, binding }: ValidatingInvocation, verdict: Verdict, { denials, warnings, annotations, recorded, began }: Outcome): void {
    if (verdict === NOTHING) return;
    const seconds = (performance.now() - began) / 1_000;
    const count = (enforcement: Enforcement, message: string): void =>
      this.#metrics.record(policy.name, binding.name, enforcement, message, seconds);
    const { validationActions = [], policyName = '' } = binding.spec;
    for (const { index, message, reason, isIgnored } of verdict.failures) {
      if (isIgnored === true) count('allow', message);
      else
        for (const action of validationActions) {
          count(action.toLowerCase() as Enforcement, message);
          if (action === 'Deny') denials.push({ policy: policy.name, binding: binding.name, message, reason });
          else if (action === 'Warn')
            warnings.push(`Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`);
          else if (action === 'Audit') {
            const failure = { message, policy: policyName, binding: binding.name, expressionIndex: index, validationActions };
            recorded.push(escapedAsInGo(JSON.stringify([failure])));
          }
        }
    }
    for (const { key, value } of verdict.annotations) annotations.add(`${policy.name}/${key}`, value);
    for (const message of verdict.annotationErrors) {
      count('deny', message);
      denials.push({ policy: policy.name, binding: binding.name, message });
    }
  }
}

function deny({ policy, binding, message }: ConfigurationError<ValidatingPolicy, ValidatingBinding>, { denials }: Outcome): void {
  if (!policy.failsOpen) denials.push({ policy: policy.name, binding: binding?.name, message });
}

/** The reasons that policies may state. */
const REASONS: readonly StatusReason[] = ['Invalid', 'Forbidden', 'Unauthorized', 'RequestEntityTooLarge'];

function refusal({ policy, binding, message, reason: given }: Denial, attributes: AdmissionAttributes): StatusError {
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const said = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const { status } = newForbidden(attributes.resource.groupResource, shownName(attributes), said);
  const reason = REASONS.find((each) => each === given) ?? 'Invalid';
  return new StatusError({ ...status, reason, code: STATUS_CODES[reason], details: { ...status.details, causes: [{ message: said }] } });
}
