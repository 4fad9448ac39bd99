/** Keeps the policies of one kind with their bindings at the store's revision, and selects those that may apply to a request. */
import type { MatchCondition, MatchResources, ParamKind, ParamRef, Variable } from '../../../generated/admissionregistration/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { ByRequestShape, type RequestShape } from '../request/by-request-shape.ts';
import { type RequestMatch, RequestMatches } from './request-match.ts';

/** The fields that policies of both kinds have. */
export interface PolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly Variable[];
  readonly failurePolicy?: string;
}

export interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
}

/** A revision of a policy's specification. Others may cache what they derive from it by this object. */
export class Policy<Spec extends PolicySpec = PolicySpec> {
  readonly name: string;
  readonly spec: Spec;
  readonly matches: RequestMatches;
  #named: ReadonlySet<string> | 'any' | undefined;

  constructor(name: string, spec: Spec) {
    this.name = name;
    this.spec = spec;
    this.matches = new RequestMatches(spec.matchConstraints ?? {});
  }

  /** Whether an error of the policy does not refuse the request. */
  get failsOpen(): boolean {
    return this.spec.failurePolicy === 'Ignore';
  }

  /** Whether some rule may apply to a resource of one of these names, which is faster than evaluating the rules. */
  mayBeFor(names: readonly string[]): boolean {
    if (this.#named === undefined) this.#named = namedResources(this.spec.matchConstraints);
    const named = this.#named;
    return named === 'any' || names.some((name) => named.has(name));
  }
}

/** The resources in rules, without subresources. */
function namedResources({ resourceRules = [] }: MatchResources = {}): ReadonlySet<string> | 'any' {
  const names = resourceRules.flatMap(({ resources = [] }) => resources.map((named) => named.split('/')[0] as string));
  return names.length === 0 || names.includes('*') ? 'any' : new Set(names);
}

export interface Binding<Spec extends BindingSpec = BindingSpec> {
  readonly name: string;
  readonly spec: Spec;
  /** absent: the binding applies wherever its policy does */
  readonly matches: RequestMatches | undefined;
}

/** A binding with the requests to which it applies; absent: all those of its policy. */
export interface BindingMatch<B extends Binding = Binding> {
  readonly binding: B;
  readonly match: RequestMatch | undefined;
}

/** A policy that may apply to requests of one resource, operation and subresource, with those of its bindings that may. */
export interface Candidate<P extends Policy = Policy, B extends Binding = Binding> {
  readonly policy: P;
  readonly match: RequestMatch;
  readonly bindings: readonly BindingMatch<B>[];
}

interface Bound<P, B> {
  readonly policy: P;
  readonly bindings: readonly B[];
}

/** All objects of one kind. */
interface Configured {
  /** changes with every change of the objects */
  readonly changes: number;
  in(namespace: string): readonly ApiObject[];
}

const NONE: readonly never[] = [];

export interface PolicySource {
  readonly policies: Configured;
  readonly bindings: Configured;
}

export class ConfiguredPolicies<PSpec extends PolicySpec, BSpec extends BindingSpec> {
  readonly #source: PolicySource;
  /** by the objects that were read */
  readonly #policies = new WeakMap<ApiObject, Policy<PSpec>>();
  readonly #bindings = new WeakMap<ApiObject, Binding<BSpec>>();
  /** by names of policies */
  readonly #revisions = new Map<string, { readonly revision: string; readonly policy: Policy<PSpec> }>();
  /** all policies and all bindings, as they were listed last */
  #listed: readonly (Policy<PSpec> | Binding<BSpec>)[] = [];
  #policyChanges: number | undefined;
  #bindingChanges: number | undefined;
  #bound: readonly Bound<Policy<PSpec>, Binding<BSpec>>[] = [];
  /** kept until a policy or binding changes */
  readonly #candidates = new ByRequestShape((shape) => this.#candidatesOf(shape));

  constructor(source: PolicySource) {
    this.#source = source;
  }

  /**
   * The policies whose rules match a request, sorted by name, with their bindings in the same order. The cost does not depend on the number
   * of policies, except for the first request of its kind after a change.
   */
  candidates(attributes: AdmissionAttributes): readonly Candidate<Policy<PSpec>, Binding<BSpec>>[] {
    this.#refresh();
    if (this.#bound.length === 0 || attributes.resource.data.unseenBy?.includes('policies')) return NONE;
    return this.#candidates.of(attributes);
  }

  #candidatesOf(shape: RequestShape): readonly Candidate<Policy<PSpec>, Binding<BSpec>>[] {
    const { resource } = shape;
    const names = [resource, ...resource.versions.served].map(({ data }) => data.name);
    return this.#bound.flatMap((each) => (each.policy.mayBeFor(names) ? (candidateOf(each, shape) ?? []) : []));
  }

  #refresh(): void {
    const { policies, bindings } = this.#source;
    const [ofPolicies, ofBindings] = [policies.changes, bindings.changes];
    if (ofPolicies === this.#policyChanges && ofBindings === this.#bindingChanges) return;
    const all = policies.in('').map((object) => this.#policyOf(object));
    const bound = bindings.in('').map((object) => this.#bindingOf(object));
    const listed = [...all, ...bound];
    // a write of a status alone leaves the same policies and bindings
    if (listed.length !== this.#listed.length || listed.some((each, index) => each !== this.#listed[index])) {
      this.#listed = listed;
      this.#bound = boundOf(all, bound);
      this.#forgetOthers(all);
      this.#candidates.forget();
    }
    this.#policyChanges = ofPolicies;
    this.#bindingChanges = ofBindings;
  }

  /** Returns the same policy for objects with the same uid and generation, because their specification is the same. */
  #policyOf(object: ApiObject): Policy<PSpec> {
    const known = this.#policies.get(object);
    if (known !== undefined) return known;
    const { metadata, spec } = object;
    const name = metadata.name ?? '';
    const revision = `${metadata.uid} ${metadata.generation}`;
    const before = this.#revisions.get(name);
    const policy = before?.revision === revision ? before.policy : new Policy(name, (spec ?? {}) as PSpec);
    this.#revisions.set(name, { revision, policy });
    this.#policies.set(object, policy);
    return policy;
  }

  #forgetOthers(policies: readonly Policy[]): void {
    if (this.#revisions.size === policies.length) return;
    const names = new Set(policies.map(({ name }) => name));
    for (const name of this.#revisions.keys()) if (!names.has(name)) this.#revisions.delete(name);
  }

  #bindingOf(object: ApiObject): Binding<BSpec> {
    let binding = this.#bindings.get(object);
    if (binding === undefined) {
      const spec = (object.spec ?? {}) as BSpec;
      const { matchResources } = spec;
      binding = { name: object.metadata.name ?? '', spec, matches: matchResources && new RequestMatches(matchResources) };
      this.#bindings.set(object, binding);
    }
    return binding;
  }
}

/** Policies that have bindings; both are sorted by name. */
function boundOf<P extends Policy, B extends Binding>(policies: readonly P[], bindings: readonly B[]): readonly Bound<P, B>[] {
  const byPolicy = Map.groupBy(bindings, ({ spec }) => spec.policyName ?? '');
  return policies
    .filter(({ name }) => byPolicy.has(name))
    .sort(byName)
    .map((policy) => ({ policy, bindings: (byPolicy.get(policy.name) as B[]).sort(byName) }));
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

function candidateOf<P extends Policy, B extends Binding>(
  { policy, bindings }: Bound<P, B>,
  shape: RequestShape,
): Candidate<P, B> | undefined {
  const match = policy.matches.of(shape);
  if (match === undefined) return undefined;
  const matching: BindingMatch<B>[] = [];
  for (const binding of bindings) {
    const own = binding.matches?.of(shape);
    if (binding.matches === undefined || own !== undefined) matching.push({ binding, match: own });
  }
  return { policy, match, bindings: matching };
}
