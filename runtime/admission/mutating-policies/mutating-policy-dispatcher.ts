/** Changes objects as mutating policies say (admission/plugin/policy/mutating of 1.32). Loaded with the first policy that a request is for. */
import type { ApiObject } from '../../contract/object.ts';
import { turn } from '../../event-loop/turns.ts';
import type { Gates } from '../../expressions/libraries/kubernetes.ts';
import { jsonValue } from '../../expressions/values/json-values.ts';
import type { Value } from '../../expressions/values/value.ts';
import { LongObject } from '../../registry/stored-objects/long-value.ts';
import { leaveUnsettled } from '../../registry/unsettled-objects.ts';
import { deepEqual } from '../../schema/equal.ts';
import { newInternalErrorOf } from '../../status/status.ts';
import { gatesOf } from '../expressions/compiled-expressions.ts';
import { OutOfBudget } from '../expressions/expression-pass.ts';
import type { Binding, BindingSpec, Candidate, Policy } from '../policies/configured-policies.ts';
import type { DispatcherParts } from '../policies/dispatcher-parts.ts';
import { askedOf, type Invocation, isConfigurationError } from '../policies/invocations.ts';
import { RequestValues, type SeenRequest } from '../policies/request-values.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { replaceMembers } from '../request/changed-object.ts';
import { Reinvocations } from '../request/reinvocations.ts';
import type { Rounds } from '../request/rounds.ts';
import { MadeJson } from './made-json.ts';
import { MutatingProgram, type MutatingSpec } from './mutating-program.ts';
import { MutationError } from './mutation.ts';
import { type PolicyError, refusal } from './policy-errors.ts';

export type MutatingBindingSpec = BindingSpec;
type MutatingPolicy = Policy<MutatingSpec>;
type MutatingInvocation = Invocation<MutatingPolicy, Binding>;
export type MutatingCandidate = Candidate<MutatingPolicy, Binding>;

/** Milliseconds after which others have a turn. */
const PIECE = 4;

export class MutatingPolicyDispatcher {
  readonly #parts: DispatcherParts;
  readonly #gates: Gates;
  /** of policies as long as they are as they are */
  readonly #programs = new WeakMap<MutatingPolicy, MutatingProgram>();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#gates = gatesOf(parts.featureEnabled, 'VAP');
  }

  /** @throws StatusError where a policy that must not fail does; LongObject */
  async dispatch(candidates: readonly MutatingCandidate[], attributes: AdmissionAttributes, rounds: Rounds): Promise<void> {
    const asked = await askedOf(candidates, attributes, this.#parts);
    const errors: PolicyError[] = asked.filter(isConfigurationError);
    const invocations = asked.filter((each): each is MutatingInvocation => !isConfigurationError(each));
    if (invocations.length > 0) await this.#invoke(invocations, { attributes, rounds, errors });
    const refused = errors.filter(({ policy }) => !policy.failsOpen);
    if (refused.length > 0) throw refusal(refused, attributes);
  }

  /** 1.32 asks for another round when a policy has been applied, whether or not that has changed anything. */
  async #invoke(invocations: readonly MutatingInvocation[], dispatched: Dispatched): Promise<void> {
    const { attributes, rounds } = dispatched;
    const reinvocations = Reinvocations.of(rounds, this);
    if (rounds.isSecond) reinvocations.beginAgain(attributes.object);
    const run = new Run(this.#parts, dispatched, reinvocations);
    let until = performance.now() + PIECE;
    for (const invocation of invocations) {
      const program = this.#programOf(invocation.policy);
      await program.ready();
      await run.invoke(invocation, program);
      if (performance.now() < until) continue;
      attributes.request.throwIfOver();
      await turn();
      until = performance.now() + PIECE;
    }
    if (run.hasApplied) {
      reinvocations.changed();
      rounds.askAgain();
    }
    reinvocations.end(attributes.object);
  }

  #programOf(policy: MutatingPolicy): MutatingProgram {
    let program = this.#programs.get(policy);
    if (program === undefined) {
      program = new MutatingProgram(policy.spec, this.#gates);
      this.#programs.set(policy, program);
    }
    return program;
  }
}

interface Dispatched {
  readonly attributes: AdmissionAttributes;
  readonly rounds: Rounds;
  /** what went wrong so far */
  readonly errors: PolicyError[];
}

/** All policies, for one request, in one round. */
class Run {
  readonly #dispatched: Dispatched;
  readonly #reinvocations: Reinvocations;
  readonly #parts: DispatcherParts;
  readonly #values: RequestValues;
  readonly #made: MadeJson;
  #hasApplied = false;

  /** @throws StatusError NotFound where the namespace is not there */
  constructor(parts: DispatcherParts, dispatched: Dispatched, reinvocations: Reinvocations) {
    const { attributes } = dispatched;
    this.#parts = parts;
    this.#dispatched = dispatched;
    this.#reinvocations = reinvocations;
    this.#values = new RequestValues(attributes, parts);
    this.#made = new MadeJson(parts.mayTakeLong || attributes.operation === 'connect');
    void this.#values.namespace;
  }

  /** Whether a mutation was applied, even if it left the object as it was. */
  get hasApplied(): boolean {
    return this.#hasApplied;
  }

  /** @throws StatusError, LongObject */
  async invoke(invocation: MutatingInvocation, program: MutatingProgram): Promise<void> {
    const { rounds } = this.#dispatched;
    const { policy, binding, params } = invocation;
    const id = JSON.stringify([policy.name, binding.name, params?.metadata.namespace, params?.metadata.name]);
    const isWanted = !rounds.isSecond || this.#reinvocations.isDue(id);
    // 1.32 tells of conditions that fail even then
    if (!isWanted && !program.hasConditions) return;
    const seen = await this.#seen(invocation);
    if (seen === undefined) return;
    const shown = this.#shown(invocation);
    const input = { params: shown, mayTakeLong: this.#made.mayTakeLong };
    const met = await this.#values.answers.whenAnswered(() => program.meetsConditions({ ...input, seen }));
    if (typeof met !== 'boolean') this.#fail({ policy, binding, message: met.error, reason: 'Invalid' });
    if (met !== true || !isWanted) return;
    if (await this.#mutate({ ...invocation, params: shown }, program, seen)) {
      this.#reinvocations.changed();
      rounds.askAgain();
    }
    if (policy.spec.reinvocationPolicy === 'IfNeeded') this.#reinvocations.invoked(id);
  }

  /** In 1.32 a parameter of a kind that no definition has made does not say its kind to these policies, while it does to validating ones. */
  #shown({ policy: { spec }, params }: MutatingInvocation): MutatingInvocation['params'] {
    const { apiVersion = '', kind = '' } = spec.paramKind ?? {};
    if (params === undefined || this.#parts.objectsOfKind(apiVersion, kind)?.isBuiltIn !== true) return params;
    const { apiVersion: _version, kind: _kind, ...members } = params;
    return members as typeof params;
  }

  #fail(error: PolicyError): void {
    this.#dispatched.errors.push(error);
  }

  /** @returns undefined where the objects cannot be had in the version that the policy wants */
  async #seen({ policy, matched }: MutatingInvocation): Promise<SeenRequest | undefined> {
    try {
      return await this.#values.of(matched);
    } catch (error) {
      this.#dispatched.attributes.request.throwIfOver();
      if (error instanceof LongObject) throw error;
      this.#fail({ policy, message: `failed to configure policy: ${messageOf(error)}` });
      return undefined;
    }
  }

  /** Makes all changes of a policy that can be made. @returns whether the object is another one */
  async #mutate(invocation: MutatingInvocation, program: MutatingProgram, seen: SeenRequest): Promise<boolean> {
    const { kind, object: before, shown } = seen.versioned;
    if (before === undefined) return false;
    const { policy, binding, params, matched } = invocation;
    const { attributes } = this.#dispatched;
    const { mayTakeLong } = this.#made;
    // No OpenAPI document describes options of connections. A kind that a subresource has from another group stands in the document of its resource alone.
    const isDescribed = attributes.operation !== 'connect' && kind.apiVersion === matched.resource.apiVersion;
    let object = before;
    let isDecoded = before === attributes.object;
    for (const mutation of program.mutations)
      try {
        const changed = new ChangedRequest(seen, object === before ? (shown ?? before) : object);
        const value = await this.#values.answers.whenAnswered(() => program.evaluate(mutation, { params, seen: changed, mayTakeLong }));
        object = mutation.mutation(value, { object, kind, isDescribed, isDecoded, made: this.#made });
        isDecoded ||= object !== before;
        this.#hasApplied = true;
      } catch (error) {
        if (!(error instanceof MutationError || error instanceof OutOfBudget)) throw error;
        this.#fail({ policy, binding, message: error.message, reason: 'Invalid' });
      }
    if (object === before || deepEqual(object, before)) return false;
    await this.#write(object, seen);
    return true;
  }

  async #write(changed: ApiObject, { versioned: { kind } }: SeenRequest): Promise<void> {
    const { attributes } = this.#dispatched;
    try {
      replaceMembers(attributes.object as ApiObject, await this.#values.versions.toHub(changed, kind));
      leaveUnsettled(attributes.object as ApiObject, attributes.kind);
      this.#values.forget();
    } catch (error) {
      attributes.request.throwIfOver();
      throw newInternalErrorOf(`failed to convert object: ${messageOf(error)}`);
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A request whose object a mutation has changed, in the version that the policy sees. */
class ChangedRequest implements SeenRequest {
  readonly #seen: SeenRequest;
  readonly #object: Value;

  constructor(seen: SeenRequest, object: ApiObject) {
    this.#seen = seen;
    this.#object = jsonValue(object);
  }

  get versioned(): SeenRequest['versioned'] {
    return this.#seen.versioned;
  }

  read(variable: string): Value | undefined {
    return variable === 'object' ? this.#object : this.#seen.read(variable);
  }
}
