/** Which requests the match resources of a policy or of a binding are about (admission/plugin/policy/matching of 1.32). */
import type { MatchResources } from '../../../generated/admissionregistration/v1/types.ts';
import type { ObjectLookup } from '../../registry/object-lookup.ts';
import type { Resource } from '../../registry/resource.ts';
import type { StatusError } from '../../status/status.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { type Matched, rulesFor } from '../webhooks/rules.ts';
import { isSelectedByNamespace, isSelectedByObject } from '../webhooks/selectors.ts';

/** What a rule makes of a resource, for objects of some names; of all names without it. */
interface NamedMatch {
  readonly names: readonly string[] | undefined;
  readonly matched: Matched;
}

/** Of all requests with one resource, operation and subresource. */
export class RequestMatch {
  readonly #resources: MatchResources;
  readonly #included: readonly NamedMatch[];
  readonly #excluded: readonly NamedMatch[];

  private constructor(resources: MatchResources, included: readonly NamedMatch[], excluded: readonly NamedMatch[]) {
    this.#resources = resources;
    this.#included = included;
    this.#excluded = excluded;
  }

  /** @param attributes of one such request. @returns undefined where the resources match none of them */
  static of(resources: MatchResources, attributes: AdmissionAttributes): RequestMatch | undefined {
    const { resourceRules = [], excludeResourceRules = [] } = resources;
    const { resource, kind } = attributes;
    const excluded = matchesOf(excludeResourceRules, resources, attributes);
    if (excluded.some(({ names }) => names === undefined)) return undefined;
    const all = [{ names: undefined, matched: { resource, kind } }];
    const included = resourceRules.length === 0 ? all : matchesOf(resourceRules, resources, attributes);
    return included.length === 0 ? undefined : new RequestMatch(resources, included, excluded);
  }

  /**
   * @returns what is to be seen of the request; undefined where it does not match; an error where all matches, but the labels of its namespace, which is not
   *   there, cannot be known
   */
  matched(attributes: AdmissionAttributes, objects: Pick<ObjectLookup, 'shared'>): Matched | StatusError | undefined {
    const { namespaceSelector, objectSelector } = this.#resources;
    const { name } = attributes;
    if (this.#excluded.length > 0 && named(this.#excluded, name) !== undefined) return undefined;
    const matched = named(this.#included, name);
    if (matched === undefined || !isSelectedByObject(objectSelector, attributes)) return undefined;
    const selected = isSelectedByNamespace(namespaceSelector, attributes, objects);
    return selected === true ? matched : selected || undefined;
  }
}

/** Of match resources: those for requests of one resource, operation and subresource are found once. */
export class RequestMatches {
  readonly #resources: MatchResources;
  /** by resource, then by operation and subresource; null: they match none */
  readonly #found = new WeakMap<Resource, Map<string, RequestMatch | null>>();

  constructor(resources: MatchResources) {
    this.#resources = resources;
  }

  /** @returns undefined where the resources match no request of the kind */
  of(attributes: AdmissionAttributes): RequestMatch | undefined {
    const { resource, operation, subresource } = attributes;
    let found = this.#found.get(resource);
    if (found === undefined) {
      found = new Map();
      this.#found.set(resource, found);
    }
    const key = `${operation} ${subresource}`;
    let match = found.get(key);
    if (match === undefined) {
      match = RequestMatch.of(this.#resources, attributes) ?? null;
      found.set(key, match);
    }
    return match ?? undefined;
  }
}

function matchesOf(
  rules: NonNullable<MatchResources['resourceRules']>,
  { matchPolicy }: MatchResources,
  attributes: AdmissionAttributes,
): readonly NamedMatch[] {
  return Array.from(rulesFor({ rules, ...(matchPolicy && { matchPolicy }) }, attributes), ({ rule, matched }) => ({
    names: rule.resourceNames?.length ? rule.resourceNames : undefined,
    matched,
  }));
}

function named(matches: readonly NamedMatch[], name: string): Matched | undefined {
  return matches.find(({ names }) => names === undefined || names.includes(name))?.matched;
}
