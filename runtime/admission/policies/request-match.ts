/** Matches requests with the match resources of a policy or binding (admission/plugin/policy/matching of 1.32). */
import type { MatchResources } from '../../../generated/admissionregistration/v1/types.ts';
import type { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import type { StatusError } from '../../status/status.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { ByRequestShape, type RequestShape } from '../request/by-request-shape.ts';
import { type Matched, rulesFor } from '../webhooks/rules.ts';
import { isSelectedByNamespace, isSelectedByObject } from '../webhooks/selectors.ts';

/** How a rule matches a resource. `names` undefined: it applies to objects of all names. */
interface NamedMatch {
  readonly names: readonly string[] | undefined;
  readonly matched: Matched;
}

/** How match resources match requests of one resource, operation and subresource. */
export class RequestMatch {
  readonly #resources: MatchResources;
  readonly #included: readonly NamedMatch[];
  readonly #excluded: readonly NamedMatch[];

  private constructor(resources: MatchResources, included: readonly NamedMatch[], excluded: readonly NamedMatch[]) {
    this.#resources = resources;
    this.#included = included;
    this.#excluded = excluded;
  }

  /** @returns undefined if the resources match no such request */
  static of(resources: MatchResources, shape: RequestShape): RequestMatch | undefined {
    const { resourceRules = [], excludeResourceRules = [] } = resources;
    const { resource, kind } = shape;
    const excluded = matchesOf(excludeResourceRules, resources, shape);
    if (excluded.some(({ names }) => names === undefined)) return undefined;
    const all = [{ names: undefined, matched: { resource, kind } }];
    const included = resourceRules.length === 0 ? all : matchesOf(resourceRules, resources, shape);
    return included.length === 0 ? undefined : new RequestMatch(resources, included, excluded);
  }

  /**
   * @returns the resource and kind as which the policy sees the request; undefined if the request does not match; an error if the labels of
   * the namespace would decide but there is no such namespace
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

/** Caches how match resources match requests of each resource, operation and subresource. */
export class RequestMatches {
  readonly #found: ByRequestShape<RequestMatch | null>;

  constructor(resources: MatchResources) {
    this.#found = new ByRequestShape((shape) => RequestMatch.of(resources, shape) ?? null);
  }

  /** @returns undefined if the resources match no such request */
  of(shape: RequestShape): RequestMatch | undefined {
    return this.#found.of(shape) ?? undefined;
  }
}

function matchesOf(
  rules: NonNullable<MatchResources['resourceRules']>,
  { matchPolicy }: MatchResources,
  shape: RequestShape,
): readonly NamedMatch[] {
  return Array.from(rulesFor({ rules, ...(matchPolicy && { matchPolicy }) }, shape), ({ rule, matched }) => ({
    names: rule.resourceNames?.length ? rule.resourceNames : undefined,
    matched,
  }));
}

function named(matches: readonly NamedMatch[], name: string): Matched | undefined {
  return matches.find(({ names }) => names === undefined || names.includes(name))?.matched;
}
