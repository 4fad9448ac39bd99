/** Finds the flow schema of a request: the first one, by precedence, with a rule that matches both its user and what it asks for. */
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../generated/flowcontrol/v1/types.ts';

/** Who asks. */
export interface FlowUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** What is asked for. */
export interface FlowAttributes {
  readonly isResource: boolean;
  readonly verb: string;
  readonly path: string;
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
}

type Matches = (request: FlowAttributes) => boolean;

/** A schema with only those of its rules that apply to one user. */
interface UserSchema<S> {
  readonly schema: S;
  readonly resource: readonly Matches[];
  readonly nonResource: readonly Matches[];
}

/** The fields of the object that are used here. */
export type FlowSchemaObject = Pick<FlowSchema, 'metadata' | 'spec'>;

/** Whatever callers keep for a flow schema: `match` gives it back. */
export interface MatchedSchema {
  readonly object: FlowSchemaObject;
}

export class FlowMatching<S extends MatchedSchema> {
  readonly #schemas: readonly { readonly schema: S; readonly rules: readonly Rule[] }[];
  readonly #otherwise: S;
  /** the schemas that requests of a user may match; a cache by the identity of the user object */
  readonly #users = new WeakMap<FlowUser, readonly UserSchema<S>[]>();

  /** @param otherwise the result for requests that no schema matches */
  constructor(schemas: readonly S[], otherwise: S) {
    this.#schemas = schemas
      .toSorted((a, b) => byPrecedence(a.object, b.object))
      .map((schema) => ({ schema, rules: (schema.object.spec?.rules ?? []).map(compiled) }));
    this.#otherwise = otherwise;
  }

  match(user: FlowUser, request: FlowAttributes): S {
    let known = this.#users.get(user);
    if (known === undefined) {
      known = this.#of(user);
      this.#users.set(user, known);
    }
    for (const { schema, resource, nonResource } of known)
      for (const matches of request.isResource ? resource : nonResource) if (matches(request)) return schema;
    return this.#otherwise;
  }

  #of(user: FlowUser): UserSchema<S>[] {
    return this.#schemas.flatMap(({ schema, rules }) => {
      const own = rules.filter(({ subjects }) => subjects.some((subject) => isOf(subject, user)));
      if (own.length === 0) return [];
      return [{ schema, resource: own.flatMap(({ resource }) => resource), nonResource: own.flatMap(({ nonResource }) => nonResource) }];
    });
  }
}

function byPrecedence(a: FlowSchemaObject, b: FlowSchemaObject): number {
  const first = (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0);
  if (first !== 0) return first;
  const [nameOfA, nameOfB] = [a.metadata?.name ?? '', b.metadata?.name ?? ''];
  return nameOfA < nameOfB ? -1 : Number(nameOfA > nameOfB);
}

interface Rule {
  readonly subjects: readonly Subject[];
  readonly resource: readonly Matches[];
  readonly nonResource: readonly Matches[];
}

function compiled({ subjects, resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects): Rule {
  return { subjects: subjects ?? [], resource: resourceRules.map(resourceMatch), nonResource: nonResourceRules.map(pathMatch) };
}

const ACCOUNT = 'system:serviceaccount:';

function isOf({ kind, user, group, serviceAccount }: Subject, { name, groups }: FlowUser): boolean {
  if (kind === 'User') return user !== undefined && (user.name === '*' || user.name === name);
  if (kind === 'Group') return group !== undefined && (group.name === '*' || groups.includes(group.name));
  if (kind !== 'ServiceAccount' || serviceAccount === undefined) return false;
  const inNamespace = `${ACCOUNT}${serviceAccount.namespace}:`;
  return serviceAccount.name === '*' ? name.startsWith(inNamespace) : name === `${inNamespace}${serviceAccount.name}`;
}

/** @returns undefined if the words contain `*`, which means all */
function wordsOf(words: readonly string[] | null | undefined): ReadonlySet<string> | undefined {
  return words?.includes('*') === true ? undefined : new Set(words);
}

function resourceMatch(rule: ResourcePolicyRule): Matches {
  const [verbs, groups, resources] = [wordsOf(rule.verbs), wordsOf(rule.apiGroups), wordsOf(rule.resources)];
  const namespaces = wordsOf(rule.namespaces);
  const ofCluster = rule.clusterScope === true;
  return ({ verb, group, resource, subresource, namespace }) =>
    (verbs === undefined || verbs.has(verb)) &&
    (groups === undefined || groups.has(group)) &&
    (resources === undefined || resources.has(subresource === '' ? resource : `${resource}/${subresource}`)) &&
    (namespace === '' ? ofCluster : namespaces === undefined || namespaces.has(namespace));
}

function pathMatch({ verbs, nonResourceURLs }: NonResourcePolicyRule): Matches {
  const words = wordsOf(verbs);
  const paths = (nonResourceURLs ?? []).map((url) => ({ url, prefix: `${url.replace(/\*$/, '').replace(/\/$/, '')}/` }));
  const anywhere = paths.some(({ url }) => url === '*');
  return ({ verb, path }) =>
    (words === undefined || words.has(verb)) && (anywhere || paths.some(({ url, prefix }) => path === url || path.startsWith(prefix)));
}
