/**
 * Finds the invocations of a request: each policy with each of its bindings and their parameters (admission/plugin/policy/generic of 1.32).
 */
import type { ApiObject } from '../../contract/object.ts';
import { turn } from '../../event-loop/turns.ts';
import { StatusError } from '../../status/status.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import type { Matched } from '../webhooks/rules.ts';
import type { Binding, BindingMatch, Candidate, Policy } from './configured-policies.ts';
import type { DispatcherParts } from './dispatcher-parts.ts';
import { ParameterError, type Parameters, parametersOf, requireParamKind } from './parameters.ts';

export type InvocationParts = Pick<DispatcherParts, 'objects' | 'objectsOfKind'>;

/** A policy to evaluate with one of its parameters. */
export interface Invocation<P extends Policy = Policy, B extends Binding = Binding> {
  readonly policy: P;
  readonly binding: B;
  /** the resource and kind as which the policy sees the request */
  readonly matched: Matched;
  /** undefined if the policy has no parameter */
  readonly params: ApiObject | undefined;
}

/** A policy or binding that cannot be used. The failure policy decides what that means. */
export interface ConfigurationError<P extends Policy = Policy, B extends Binding = Binding> {
  readonly policy: P;
  /** absent: the policy itself cannot be used */
  readonly binding?: B;
  readonly message: string;
}

/** An invocation or an error, in the order of evaluation. */
export type Asked<P extends Policy, B extends Binding> = Invocation<P, B> | ConfigurationError<P, B>;

export const isConfigurationError = <P extends Policy, B extends Binding>(asked: Asked<P, B>): asked is ConfigurationError<P, B> =>
  'message' in asked;

/** Milliseconds after which other work gets a turn. */
const PIECE = 4;

/** @throws LongObject @throws StatusError if the time of the request is over */
export async function askedOf<P extends Policy, B extends Binding>(
  candidates: readonly Candidate<P, B>[],
  attributes: AdmissionAttributes,
  parts: InvocationParts,
): Promise<readonly Asked<P, B>[]> {
  const asked: Asked<P, B>[] = [];
  let until = performance.now() + PIECE;
  for (const candidate of candidates) {
    const pending = addAsked(candidate, attributes, parts, asked);
    if (pending !== undefined) await pending;
    if (performance.now() < until) continue;
    await turn();
    until = performance.now() + PIECE;
  }
  return asked;
}

function addAsked<P extends Policy, B extends Binding>(
  { policy, match, bindings }: Candidate<P, B>,
  attributes: AdmissionAttributes,
  parts: InvocationParts,
  asked: Asked<P, B>[],
): Promise<void> | undefined {
  const matched = match.matched(attributes, parts.objects);
  if (matched === undefined) return undefined;
  const { paramKind } = policy.spec;
  try {
    if (matched instanceof StatusError) throw matched;
    if (paramKind !== undefined) requireParamKind(paramKind, parts.objectsOfKind);
  } catch (error) {
    asked.push({ policy, message: `failed to configure policy: ${messageOf(error)}` });
    return undefined;
  }
  let pending: Promise<void> | undefined;
  for (const each of bindings) {
    if (pending === undefined) pending = addBinding(policy, each, matched, attributes, parts, asked);
    else pending = pending.then(() => addBinding(policy, each, matched, attributes, parts, asked));
  }
  return pending;
}

function addBinding<P extends Policy, B extends Binding>(
  policy: P,
  { binding, match }: BindingMatch<B>,
  matched: Matched,
  attributes: AdmissionAttributes,
  { objects, objectsOfKind }: InvocationParts,
  asked: Asked<P, B>[],
): Promise<void> | undefined {
  const add = (found: Parameters): void => {
    for (const params of found) asked.push({ policy, binding, matched, params });
  };
  const failed = (error: unknown): void => {
    asked.push({ policy, binding, message: `failed to configure binding: ${messageOf(error)}` });
  };
  try {
    const own = match === undefined ? matched : match.matched(attributes, objects);
    if (own === undefined) return undefined;
    if (own instanceof StatusError) throw own;
    const found = parametersOf(policy.spec.paramKind, binding.spec.paramRef, attributes.namespace, objectsOfKind);
    if (found instanceof Promise) return found.then(add).catch(failed);
    add(found);
  } catch (error) {
    failed(error);
  }
  return undefined;
}

/** @throws the error itself if it is not the fault of the configuration */
function messageOf(error: unknown): string {
  if (error instanceof ParameterError || error instanceof StatusError) return error.message;
  throw error;
}
