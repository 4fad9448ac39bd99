/** Policies of one kind with their bindings, at the store's own revision, and which of them a request may be for. */
import type { MatchCondition, MatchResources, ParamKind, ParamRef, Variable } from '../../../generated/admissionregistration/v1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Resource } from '../../registry/resource.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { RequestMatch } from './request-match.ts';

/** What policies of both kinds say. */
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

/** One revision of a policy's specification: what is made of it may be kept by this object. */
export class Policy<Spec extends PolicySpec = PolicySpec> {
  readonly name: string;
  readonly spec: Spec;

  constructor(name: string, spec: Spec) {
    this.name = name;
    this.spec = spec;
  }

  /** What goes wrong is no reason to refuse a request. */
  get failsOpen(): boolean {
    return this.spec.failurePolicy === 'Ignore';
  }
}

export interface Binding<Spec extends BindingSpec = BindingSpec> {
  readonly name: string;
  readonly spec: Spec;
}

/** A binding, and the requests that it is about; absent: all that its policy is about. */
export interface BindingMatch<B extends Binding = Binding> {
  readonly binding: B;
  readonly match: RequestMatch | undefined;
}

/** A policy that requests of one resource, operation and subresource may be for, with those of its bindings that may be. */
export interface Candidate<P extends Policy = Policy, B extends Binding = Binding> {
  readonly policy: P;
  readonly match: RequestMatch;
  readonly bindings: readonly BindingMatch<B>[];
}

/** A policy, and what tells it from one of other contents. */
interface Revision<Spec extends PolicySpec> {
  readonly revision: string;
  readonly policy: Policy<Spec>;
}

interface Bound<P, B> {
  readonly policy: P;
  readonly bindings: readonly B[];
}

/** Nobody could mend a policy that refuses what mends it. */
const POLICIES: ReadonlySet<string> = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);
/** Questions, without whose answers nothing works: 1.32 shows them to no policy. */
const REVIEWS: Readonly<Record<string, ReadonlySet<string>>> = {
  'authentication.${groupDomain}': new Set(['selfsubjectreviews', 'tokenreviews']),
  'authorization.${groupDomain}': new Set([
    'localsubjectaccessreviews',
    'selfsubjectaccessreviews',
    'selfsubjectrulesreviews',
    'subjectaccessreviews',
  ]),
};

/** Resources that no policy is about, by their groups. */
function exemptResources({ text }: Pick<Identity, 'text'>): ReadonlyMap<string, ReadonlySet<string>> {
  const all = Object.entries({ ...REVIEWS, 'admissionregistration.${groupDomain}': POLICIES });
  return new Map(all.map(([group, resources]) => [text(group), resources]));
}

/** All objects of one kind. */
interface Configured {
  /** another number each time that something has changed */
  readonly changes: number;
  in(namespace: string): readonly ApiObject[];
}

export interface PolicySource {
  readonly policies: Configured;
  readonly bindings: Configured;
  readonly identity: Pick<Identity, 'text'>;
}

export class ConfiguredPolicies<PSpec extends PolicySpec, BSpec extends BindingSpec> {
  readonly #source: PolicySource;
  readonly #exempt: ReadonlyMap<string, ReadonlySet<string>>;
  /** by the names of policies, with who they are */
  #known: ReadonlyMap<string, Revision<PSpec>> = new Map();
  #changes: string | undefined;
  #bound: readonly Bound<Policy<PSpec>, Binding<BSpec>>[] = [];
  /** for as long as nothing changes: by resource, then by operation and subresource */
  #candidates = new WeakMap<Resource, Map<string, readonly Candidate<Policy<PSpec>, Binding<BSpec>>[]>>();

  constructor(source: PolicySource) {
    this.#source = source;
    this.#exempt = exemptResources(source.identity);
  }

  /**
   * Those whose rules are for a request, in the order of their names, with their bindings in that order. It costs a look into a map, whatever the number of
   * policies, but for the first request of its kind after a change.
   */
  candidates(attributes: AdmissionAttributes): readonly Candidate<Policy<PSpec>, Binding<BSpec>>[] {
    this.#refresh();
    if (this.#bound.length === 0 || this.#isExempt(attributes)) return [];
    const { resource, operation, subresource } = attributes;
    let known = this.#candidates.get(resource);
    if (known === undefined) {
      known = new Map();
      this.#candidates.set(resource, known);
    }
    const key = `${operation} ${subresource}`;
    let found = known.get(key);
    if (found === undefined) {
      found = this.#bound.flatMap((each) => candidateOf(each, attributes) ?? []);
      known.set(key, found);
    }
    return found;
  }

  #isExempt({ resource: { groupResource } }: AdmissionAttributes): boolean {
    return this.#exempt.get(groupResource.group)?.has(groupResource.resource) === true;
  }

  #refresh(): void {
    const { policies, bindings } = this.#source;
    const changes = `${policies.changes} ${bindings.changes}`;
    if (changes === this.#changes) return;
    const known = new Map<string, Revision<PSpec>>();
    for (const object of policies.in('')) known.set(nameOf(object), this.#policyOf(object));
    const bound = new Map<Policy<PSpec>, Binding<BSpec>[]>();
    for (const object of [...bindings.in('')].sort(byName)) {
      const spec = (object.spec ?? {}) as BSpec;
      const policy = known.get(spec.policyName ?? '')?.policy;
      if (policy === undefined) continue;
      const others = bound.get(policy);
      const binding = { name: nameOf(object), spec };
      if (others === undefined) bound.set(policy, [binding]);
      else others.push(binding);
    }
    this.#known = known;
    this.#bound = Array.from(bound, ([policy, ofPolicy]) => ({ policy, bindings: ofPolicy })).sort((a, b) =>
      a.policy.name < b.policy.name ? -1 : 1,
    );
    this.#candidates = new WeakMap();
    this.#changes = changes;
  }

  /** What a write leaves as it was, such as that of a status, changes nothing here. */
  #policyOf({ metadata, spec }: ApiObject): Revision<PSpec> {
    const name = metadata.name ?? '';
    const revision = `${metadata.uid} ${metadata.generation}`;
    const known = this.#known.get(name);
    return known?.revision === revision ? known : { revision, policy: new Policy(name, (spec ?? {}) as PSpec) };
  }
}

const nameOf = ({ metadata }: ApiObject): string => metadata.name ?? '';
const byName = (a: ApiObject, b: ApiObject): number => (nameOf(a) < nameOf(b) ? -1 : 1);

function candidateOf<P extends Policy, B extends Binding>(
  { policy, bindings }: Bound<P, B>,
  attributes: AdmissionAttributes,
): Candidate<P, B> | undefined {
  const match = RequestMatch.of(policy.spec.matchConstraints ?? {}, attributes);
  if (match === undefined) return undefined;
  const matching = bindings.flatMap((binding): BindingMatch<B>[] => {
    const { matchResources } = binding.spec;
    const own = matchResources && RequestMatch.of(matchResources, attributes);
    return matchResources !== undefined && own === undefined ? [] : [{ binding, match: own }];
  });
  return { policy, match, bindings: matching };
}
