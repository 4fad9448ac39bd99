/**
 * An index of roles and bindings, which finds the rights of a user quickly. It follows the store, so a change counts for the first
 * request after its write.
 *
 *   scope ('' = cluster-wide, else a namespace) -> user or group -> its bindings -> rules of their roles
 *
 * Each subject of a scope remembers which of its bindings grant the actions that were asked about. So an answer costs a few look-ups,
 * however many roles and bindings there are.
 */
import type { ApiObject } from '../../contract/object.ts';
import { ReadingInTurns, type TakingIn } from '../../event-loop/reading-in-turns.ts';
import { inTurns } from '../../event-loop/turns.ts';
import { goQuote } from '../../go-text/quote.ts';
import { grantsOnPath, grantsOnResource, type PolicyRule } from '../../kinds/rbac/rule-matching.ts';
import { READ_AT_ONCE, readSlices } from '../../registry/stored-objects/sliced-reading.ts';
import type { FollowerSink } from '../../registry/stored-objects/store-follower.ts';
import type { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import type { LabelSelector } from '../../selectors/label-selector.ts';
import { aggregatedRuleSlices, type GatheredRole, sameRules } from './aggregation.ts';

export interface Holder {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface Binding {
  readonly name: string;
  /** '' for a ClusterRoleBinding */
  readonly namespace: string;
  readonly roleKind: string;
  readonly roleName: string;
  readonly subjects: readonly Subject[];
  /** set when the binding was deleted or replaced, but is still in the index. This happens only with very many subjects. */
  isGone?: boolean;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

interface Role extends GatheredRole {
  /** of the aggregation rule; absent: the role has none */
  readonly selectors: readonly LabelSelector[] | undefined;
}

/** A rule that grants an action, maybe only on some names. */
export interface Grant {
  readonly binding: Binding;
  readonly rule: PolicyRule;
}

/** The action that an authorizer asks about: on a resource, or, if `isResource` is false, on a path. */
export interface Action {
  readonly isResource: boolean;
  readonly verb: string;
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
}

/** Most actions that a subject remembers before it forgets all of them. Usual clients need few, and hostile ones must not fill the memory. */
const MAX_REMEMBERED = 512;
/** Most characters of the key of a remembered action, because access reviews may contain megabytes of text. */
const MAX_KEY = 1_000;
const NONE: readonly never[] = [];
/** Number of a binding's subjects that are handled in one turn of the event loop. */
const FEW = 1_000;

/** The bindings of one subject in one scope. */
class SubjectBindings {
  readonly bindings = new Set<Binding>();
  readonly #remembered = new Map<string, readonly Grant[]>();
  #broken: readonly Binding[] | undefined;
  #epoch = -1;

  grants(action: Action, key: string, index: RoleIndex): readonly Grant[] {
    this.#renew(index);
    if (key.length > MAX_KEY) return this.#search(action, index);
    let grants = this.#remembered.get(key);
    if (grants === undefined) {
      grants = this.#search(action, index);
      if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(key, grants);
    }
    return grants;
  }

  /** the bindings without those that are gone */
  valid(): Iterable<Binding> {
    for (const { isGone } of this.bindings) if (isGone === true) return [...this.bindings].filter((binding) => binding.isGone !== true);
    return this.bindings;
  }

  /** the bindings whose role does not exist */
  broken(index: RoleIndex): readonly Binding[] {
    this.#renew(index);
    this.#broken ??= [...this.valid()].filter((binding) => index.rulesOf(binding) === undefined);
    return this.#broken;
  }

  #renew(index: RoleIndex): void {
    if (this.#epoch === index.epoch) return;
    this.#epoch = index.epoch;
    this.#remembered.clear();
    this.#broken = undefined;
  }

  #search(action: Action, index: RoleIndex): readonly Grant[] {
    const grants: Grant[] = [];
    const { verb, path, group, resource, subresource } = action;
    for (const binding of this.valid())
      for (const rule of index.rulesOf(binding) ?? NONE)
        if (action.isResource ? grantsOnResource(rule, verb, group, resource, subresource) : grantsOnPath(rule, verb, path))
          grants.push({ binding, rule });
    return grants.length === 0 ? NONE : grants.sort((a, b) => byName(a.binding, b.binding));
  }
}

interface Scope {
  readonly users: Map<string, SubjectBindings>;
  readonly groups: Map<string, SubjectBindings>;
}

/** Stands for all objects, of which no key is empty. */
const ALL = '';
const ROLES = 'roles/';
const CLUSTER_ROLES = 'clusterroles/';
const ROLE_BINDINGS = 'rolebindings/';
const CLUSTER_ROLE_BINDINGS = 'clusterrolebindings/';

export class RoleIndex implements FollowerSink {
  readonly prefixes = [CLUSTER_ROLES, ROLES, CLUSTER_ROLE_BINDINGS, ROLE_BINDINGS].map((prefix) => prefix.slice(0, -1));
  /** grows with each change, after which subjects forget what they remember */
  epoch = 0;
  /** by key */
  readonly #roles = new Map<string, Role>();
  readonly #bindings = new Map<string, Binding>();
  /** objects that are still being read, and do not count yet: long ones, and all of them at first */
  readonly #reading = new ReadingInTurns();
  /** by namespace, '' for the cluster */
  readonly #scopes = new Map<string, Scope>();

  /** Resolves when all objects count. Until then users may have fewer rights than they should. Undefined: all count. */
  get pending(): Promise<unknown> | undefined {
    return this.#reading.pending;
  }

  reset(): void {
    this.epoch++;
    this.#reading.clear();
    this.#roles.clear();
    this.#bindings.clear();
    this.#scopes.clear();
  }

  takeIn(work: TakingIn): void {
    this.#reading.begin(ALL, work);
  }

  change(key: string, stored: StoredObject | undefined): void {
    this.epoch++;
    this.#reading.end(key);
    const isRole = key.startsWith(CLUSTER_ROLES) || key.startsWith(ROLES);
    if (isRole) this.#roles.delete(key);
    else this.#drop(key);
    if (stored === undefined) return;
    if (stored.bytes.length > READ_AT_ONCE) {
      const lasting = stored.kept();
      this.#reading.begin(key, isRole ? this.#takeRole(key, lasting) : this.#takeBinding(key, lasting));
    } else if (isRole) this.#roles.set(key, roleOf(stored));
    else {
      const binding = bindingOf(stored);
      this.#bindings.set(key, binding);
      for (const subject of binding.subjects) this.#link(subject, binding);
    }
  }

  *#takeRole(key: string, stored: StoredObject): TakingIn {
    this.#roles.set(key, toRole((yield* readSlices(stored.json, ['rules', 'aggregationRule'])) as unknown as ApiObject));
    this.epoch++;
  }

  *#takeBinding(key: string, stored: StoredObject): TakingIn {
    const object = (yield* readSlices(stored.json, ['roleRef', 'subjects'])) as unknown as ApiObject;
    const binding = { ...toBinding({ ...object, subjects: [] }), subjects: object.subjects as Subject[] };
    this.#bindings.set(key, binding);
    for (const [index, subject] of binding.subjects.entries()) {
      this.#link(subject, binding);
      if (index % FEW !== 0) continue;
      this.epoch++;
      yield;
    }
    this.epoch++;
  }

  /** Removes a binding. */
  #drop(key: string): void {
    const binding = this.#bindings.get(key);
    if (binding === undefined) return;
    this.#bindings.delete(key);
    if (binding.subjects.length <= FEW) for (const subject of binding.subjects) this.#unlink(subject, binding);
    else {
      binding.isGone = true;
      void inTurns(this.#unlinkAll(binding));
    }
  }

  *#unlinkAll(binding: Binding): TakingIn {
    for (const [index, subject] of binding.subjects.entries()) {
      this.#unlink(subject, binding);
      if (index % FEW === 0) yield;
    }
  }

  /** Rules of the role that a binding names; undefined if there is no such role. */
  rulesOf({ roleKind, roleName, namespace }: Pick<Binding, 'roleKind' | 'roleName' | 'namespace'>): readonly PolicyRule[] | undefined {
    return this.#roles.get(roleKind === 'ClusterRole' ? `${CLUSTER_ROLES}${roleName}` : `${ROLES}${namespace}/${roleName}`)?.rules;
  }

  /**
   * Aggregated cluster roles whose stored rules are outdated, with the rules that they should have. What changes between the pieces of the work is for the
   * next time.
   */
  *outdatedAggregates(): Generator<void, { name: string; rules: PolicyRule[] }[], void> {
    const clusterRoles = [...this.#roles].filter(([key]) => key.startsWith(CLUSTER_ROLES)).map(([, role]) => role);
    const outdated: { name: string; rules: PolicyRule[] }[] = [];
    for (const { name, selectors, rules } of clusterRoles) {
      if (selectors === undefined) continue;
      const gathered = yield* aggregatedRuleSlices({ name, selectors }, clusterRoles);
      if (!sameRules(gathered, rules)) outdated.push({ name, rules: gathered });
    }
    return outdated;
  }

  /**
   * The binding with the first rule that grants an action and passes `accept`. Cluster-wide bindings come first.
   * @param namespace '' outside of namespaces
   */
  find(holder: Holder, namespace: string, action: Action, accept: (rule: PolicyRule) => boolean): Binding | undefined {
    const key = actionKey(action);
    for (const subject of this.#subjects(holder, namespace))
      for (const { binding, rule } of subject.grants(action, key, this)) if (accept(rule)) return binding;
    return undefined;
  }

  /** Bindings of a holder whose role does not exist, each once: cluster-wide ones first, then by name. */
  broken(holder: Holder, namespace: string): readonly Binding[] {
    let all: Set<Binding> | undefined;
    for (const subject of this.#subjects(holder, namespace))
      for (const binding of subject.broken(this)) all = (all ?? new Set()).add(binding);
    return all === undefined ? NONE : [...all].sort(byScopeAndName);
  }

  /** All bindings of a holder, each once: cluster-wide ones first, then by name. */
  bindings(holder: Holder, namespace: string): Binding[] {
    const all = new Set<Binding>();
    for (const subject of this.#subjects(holder, namespace)) for (const binding of subject.valid()) all.add(binding);
    return [...all].sort(byScopeAndName);
  }

  #subjects({ name, groups }: Holder, namespace: string): SubjectBindings[] {
    const found: SubjectBindings[] = [];
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      const subjects = this.#scopes.get(scope);
      if (subjects === undefined) continue;
      const user = subjects.users.get(name);
      if (user !== undefined) found.push(user);
      for (const group of groups) {
        const bound = subjects.groups.get(group);
        if (bound !== undefined) found.push(bound);
      }
    }
    return found;
  }

  #link(subject: Subject, binding: Binding): void {
    const holder = holderOf(subject, binding);
    if (holder === undefined) return;
    let scope = this.#scopes.get(binding.namespace);
    if (scope === undefined) {
      scope = { users: new Map(), groups: new Map() };
      this.#scopes.set(binding.namespace, scope);
    }
    let bound = scope[holder.kind].get(holder.name);
    if (bound === undefined) {
      bound = new SubjectBindings();
      scope[holder.kind].set(holder.name, bound);
    }
    bound.bindings.add(binding);
  }

  #unlink(subject: Subject, binding: Binding): void {
    const scope = this.#scopes.get(binding.namespace);
    const holder = holderOf(subject, binding);
    const bound = holder === undefined ? undefined : scope?.[holder.kind].get(holder.name);
    if (scope === undefined || holder === undefined || bound === undefined) return;
    bound.bindings.delete(binding);
    if (bound.bindings.size === 0) scope[holder.kind].delete(holder.name);
    if (scope.users.size + scope.groups.size === 0) this.#scopes.delete(binding.namespace);
  }
}

/**
 * Access reviews may contain any text, even line ends. The names of a served resource have none, so its key has exactly four, and no other
 * action has the same key.
 */
function actionKey({ isResource, verb, group, resource, subresource, path }: Action): string {
  return isResource ? `resource\n${verb}\n${group}\n${resource}\n${subresource}` : `path\n${verb}\n${path}`;
}

/** Parsed objects by their stored bytes. Copies of a store in memory share these bytes, so servers over such copies parse them once. */
const roles = new WeakMap<Buffer, Role>();
const bindings = new WeakMap<Buffer, Binding>();

function roleOf(stored: StoredObject): Role {
  const known = roles.get(stored.bytes);
  if (known !== undefined) return known;
  const role = toRole(stored.parse());
  roles.set(stored.bytes, role);
  return role;
}

const toRole = ({ metadata, rules, aggregationRule }: ApiObject): Role => ({
  name: metadata.name ?? '',
  labels: metadata.labels,
  rules: rules ?? NONE,
  selectors: aggregationRule?.clusterRoleSelectors,
});

function bindingOf(stored: StoredObject): Binding {
  const known = bindings.get(stored.bytes);
  if (known !== undefined) return known;
  const binding = toBinding(stored.parse());
  bindings.set(stored.bytes, binding);
  return binding;
}

const toBinding = ({ metadata, roleRef, subjects }: ApiObject): Binding => ({
  name: metadata.name ?? '',
  namespace: metadata.namespace ?? '',
  roleKind: roleRef.kind,
  roleName: roleRef.name,
  subjects: ((subjects ?? []) as Subject[]).map(({ kind, name, namespace = '' }) => ({ kind, name, namespace })),
});

/** The user or group that a subject means; undefined for a service account without a namespace. */
function holderOf({ kind, name, namespace = '' }: Subject, binding: Binding): { kind: keyof Scope; name: string } | undefined {
  if (kind === 'User') return { kind: 'users', name };
  if (kind === 'Group') return { kind: 'groups', name };
  const of = namespace === '' ? binding.namespace : namespace;
  return kind === 'ServiceAccount' && of !== '' ? { kind: 'users', name: `system:serviceaccount:${of}:${name}` } : undefined;
}

/** Reasons by subject, made once each, because every allowed request gets one. Bindings do not share these objects of subjects. */
const allowances = new WeakMap<Subject, string>();

/** The reason, such as `RBAC: allowed by RoleBinding "b/ns" of Role "r" to User "alice"`. It names the first subject that the holder matches. */
export function allowanceBy(binding: Binding, holder: Holder): string {
  const subject = subjectOf(binding, holder);
  let text = allowances.get(subject);
  if (text === undefined) {
    const { name, namespace, roleKind, roleName } = binding;
    const what = namespace === '' ? `ClusterRoleBinding ${goQuote(name)}` : `RoleBinding ${goQuote(`${name}/${namespace}`)}`;
    text = `RBAC: allowed by ${what} of ${roleKind} ${goQuote(roleName)} to ${describeSubject(subject, binding)}`;
    allowances.set(subject, text);
  }
  return text;
}

function subjectOf(binding: Binding, holder: Holder): Subject {
  const { subjects } = binding;
  if (subjects.length === 1) return subjects[0] as Subject;
  return subjects.find((each) => {
    const meant = holderOf(each, binding);
    return meant !== undefined && (meant.kind === 'users' ? meant.name === holder.name : holder.groups.includes(meant.name));
  }) as Subject;
}

function describeSubject(subject: Subject, binding: Binding): string {
  if (subject.kind !== 'ServiceAccount') return `${subject.kind} ${goQuote(subject.name)}`;
  return `ServiceAccount ${goQuote(`${subject.name}/${subject.namespace || binding.namespace}`)}`;
}

function byName(a: Binding, b: Binding): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function byScopeAndName(a: Binding, b: Binding): number {
  return a.namespace === b.namespace ? byName(a, b) : a.namespace === '' ? -1 : 1;
}
