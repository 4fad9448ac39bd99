/** Which requests the rules of a webhook are for, and in which version the webhook sees them. */
import type { RuleWithOperations } from '../../../generated/admissionregistration/v1/types.ts';
import type { SubresourceData } from '../../contract/kind.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import type { RequestShape } from '../request/by-request-shape.ts';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource in a version, and what is sent of it. */
export interface Matched {
  readonly resource: Resource;
  readonly kind: GroupVersionKind;
}

interface Matching<Rule = RuleWithOperations> {
  readonly rules?: readonly Rule[];
  readonly matchPolicy?: string;
}

/**
 * The resource that a rule names: the one of the request, or, where the policy is Equivalent, another version of it, by the first rule that names one.
 * @returns undefined where no rule does
 */
export function matchedBy(matching: Matching, shape: RequestShape): Matched | undefined {
  for (const { matched } of rulesFor(matching, shape)) return matched;
  return undefined;
}

/** The rules that name the resource, and what each makes of it, in the order in which they are asked. */
export function* rulesFor<Rule extends RuleWithOperations>(
  { rules = [], matchPolicy }: Matching<Rule>,
  shape: RequestShape,
): Generator<{ readonly rule: Rule; readonly matched: Matched }> {
  const { resource, subresource, kind } = shape;
  for (const rule of rules) if (matches(rule, resource, shape)) yield { rule, matched: { resource, kind } };
  if (matchPolicy !== 'Equivalent') return;
  const { served, named = served } = resource.versions;
  const others = named.filter((other) => other !== resource && (subresource === '' || other.subresources.has(subresource)));
  for (const rule of rules)
    for (const other of others)
      if (matches(rule, other, shape)) yield { rule, matched: { resource: other, kind: kindOf(other, subresource) } };
}

function kindOf({ groupVersion, data, subresources }: Resource, subresource: string): GroupVersionKind {
  const { kind, group, version }: Partial<SubresourceData> & Pick<SubresourceData, 'kind'> = subresources.get(subresource) ?? {
    kind: data.kind,
  };
  return { group: group ?? groupVersion.group, version: version ?? groupVersion.version, kind };
}

type Asked = Pick<RequestShape, 'operation' | 'subresource'>;

function matches(rule: RuleWithOperations, { groupVersion: { group, version }, data }: Resource, asked: Asked): boolean {
  return (
    isInScope(rule.scope, data.scope) &&
    isAmong(rule.operations, asked.operation.toUpperCase()) &&
    isAmong(rule.apiGroups, group) &&
    isAmong(rule.apiVersions, version) &&
    (rule.resources ?? []).some((named) => namesResource(named, data.name, asked.subresource))
  );
}

const isAmong = (names: readonly string[] | null | undefined, name: string): boolean =>
  names?.some((each) => each === '*' || each === name) === true;

const isInScope = (wanted: string | undefined, scope: string): boolean => wanted === undefined || wanted === '*' || wanted === scope;

function namesResource(named: string, resource: string, subresource: string): boolean {
  const slash = named.indexOf('/');
  const [first, second] = slash === -1 ? [named, ''] : [named.slice(0, slash), named.slice(slash + 1)];
  return (first === '*' || first === resource) && (second === '*' || second === subresource);
}
