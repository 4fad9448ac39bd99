/** Requests and limits of a container. */
import type { ContainerResizePolicy, ResourceClaim, ResourceRequirements } from '../../../../generated/core/v1/types.ts';
import { duplicate, type FieldError, forbidden, invalid, notFound, required } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { dnsLabel } from '../../../formats/names.ts';
import { foundInEach, joined, NONE } from '../../../validation/joined.ts';
import { invalidAs, neededOneOf } from '../../findings.ts';
import { compare, validateQuantity, validateWholePages } from './quantities.ts';
import { allowsOvercommit, isHugePages, ofContainer, ofResizable } from './resource-names.ts';

type ResourceList = Readonly<Record<string, string>>;
type Amounts = Pick<ResourceRequirements, 'limits' | 'requests'>;

export function amounts(lists: Amounts, _old: unknown, context: RuleContext): readonly FieldError[] {
  return namedAmounts(lists, context, ofContainer);
}

/** @param ofName tells what is wrong with the name of a resource */
export function namedAmounts({ limits, requests }: Amounts, context: RuleContext, ofName: typeof ofContainer): readonly FieldError[] {
  if (limits === undefined && requests === undefined) return NONE;
  return joined(
    eachAmount(limits, '.limits', context, ofName),
    eachAmount(requests, '.requests', context, ofName, (name, value) => requestBelowLimit(name, value, limits, context)),
    hugePagesAlone(limits, requests),
  );
}

/** Of a pod beside its containers: judged like the limits of one, and named so. */
export function overhead(limits: ResourceList, _old: unknown, context: RuleContext): readonly FieldError[] {
  return amounts({ limits }, undefined, context);
}

/** @param check of a resource, before what its amount means */
function eachAmount(
  list: ResourceList | undefined,
  path: string,
  context: RuleContext,
  ofName: typeof ofContainer,
  check?: (name: string, value: string) => readonly FieldError[],
): readonly FieldError[] {
  if (list === undefined || list === null) return NONE;
  return foundInEach(Object.keys(list), (name) => {
    const value = list[name] as string;
    const errors = amount(name, value, path, context, ofName);
    const more = check?.(name, value) ?? NONE;
    const pages = isHugePages(name) ? validateWholePages(name, value, `${path}[${name}]`) : NONE;
    return joined(errors, more, pages);
  });
}

function amount(name: string, value: string, path: string, context: RuleContext, ofName: typeof ofContainer): readonly FieldError[] {
  const messages = ofName(name, undefined, context);
  const wrong = validateQuantity(name, value, '', context);
  if (messages.length + wrong.length === 0) return NONE;
  return [...messages, ...wrong].map((error) => ({ ...error, field: `${path}[${name}]` }));
}

function requestBelowLimit(name: string, request: string, limits: ResourceList | undefined, context: RuleContext): readonly FieldError[] {
  const limit = limits !== undefined && Object.hasOwn(limits, name) ? limits[name] : undefined;
  if (limit === request) return NONE;
  const flexible = allowsOvercommit(name, context);
  if (limit === undefined) return flexible ? NONE : [required('.limits', 'Limit must be set for non overcommitable resources')];
  const difference = compare(request, limit);
  if (flexible ? difference <= 0 : difference === 0) return NONE;
  const relation = flexible ? 'less than or equal to' : 'equal to';
  return [invalid('.requests', request, `must be ${relation} ${name} limit of ${limit}`)];
}

function hugePagesAlone(limits: ResourceList | undefined, requests: ResourceList | undefined): readonly FieldError[] {
  const given = (holds: (name: string) => boolean): boolean => hasName(limits, holds) || hasName(requests, holds);
  return given(isHugePages) && !given(isCompute) ? [forbidden('', 'HugePages require cpu or memory')] : NONE;
}

const isCompute = (name: string): boolean => name === 'cpu' || name === 'memory';

function hasName(list: ResourceList | undefined, holds: (name: string) => boolean): boolean {
  for (const name in list) if (holds(name)) return true;
  return false;
}

/** What the pod of a container says of it. */
interface ClaimScope {
  readonly spec: { readonly resourceClaims?: readonly { readonly name: string }[]; readonly restartPolicy?: string };
}

/** A claim of the pod may be used as a whole or one request of it at a time, not both. */
export function claims(list: readonly ResourceClaim[], _old: unknown, _context: RuleContext, { spec }: ClaimScope): readonly FieldError[] {
  const seen = new Set<string>();
  const parts = new Map<string, number>();
  const names = new Set((spec.resourceClaims ?? []).map(({ name }) => name).filter(Boolean));
  let sorted: string | undefined;
  const listed = (): string => {
    sorted ??= [...names].sort().join(', ');
    return sorted;
  };
  return foundInEach(list, ({ name, request }, index) => {
    const path = `[${index}]`;
    if (!name) return [required(path)];
    const repeated = repeatedUses(name, request, seen, parts);
    const isUsed = seen.has(name);
    if (request && !seen.has(useOf(name, request))) parts.set(name, (parts.get(name) ?? 0) + 1);
    seen.add(useOf(name, request));
    return joined<FieldError>(
      request && !isUsed ? invalidAs(dnsLabel(request), `${path}.request`, request) : NONE,
      repeated.map((use) => duplicate(path, use)),
      names.has(name) ? NONE : [unknownClaim(name, path, names.size === 0 ? '' : listed())],
    );
  });
}

const useOf = (name: string, request: string | undefined): string => (request ? `${name}/${request}` : name);

/**
 * Earlier uses that are the same, or of which this one is a part, or the other way around; by what errors show of them.
 * @param parts how many requests of each claim are used
 */
function repeatedUses(
  name: string,
  request: string | undefined,
  seen: ReadonlySet<string>,
  parts: ReadonlyMap<string, number>,
): readonly string[] {
  const use = useOf(name, request);
  if (seen.has(name)) return [name];
  if (seen.has(use)) return [use];
  return request ? NONE : Array.from({ length: parts.get(name) ?? 0 }, () => name);
}

/** @param names of those that there are, in order; '' where there are none */
function unknownClaim(name: string, path: string, names: string): FieldError {
  const list = names === '' ? ' which is empty' : `: ${names}`;
  const missing = notFound(path, name);
  return { ...missing, message: `${missing.message}: must be one of the names in pod.spec.resourceClaims${list}` };
}

const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

/** 1.32 reports what is wrong with a policy at the path of the list. */
export function resizePolicies(
  policies: readonly ContainerResizePolicy[],
  _old: unknown,
  _context: RuleContext,
  { spec }: ClaimScope,
): readonly FieldError[] {
  const seen = new Set<string>();
  return foundInEach(policies, ({ resourceName = '', restartPolicy: policy = '' }, index) => {
    const repeated = seen.has(resourceName) ? [{ ...duplicate(`[${index}]`, ''), message: `Duplicate value: ${resourceName}` }] : NONE;
    seen.add(resourceName);
    const restarts = spec.restartPolicy === 'Never' && policy !== 'NotRequired';
    return joined<FieldError>(
      repeated,
      ofResizable(resourceName),
      neededOneOf(policy, '', RESIZE_POLICIES),
      restarts ? [invalid('', policy, "must be 'NotRequired' when `restartPolicy` is 'Never'")] : NONE,
    );
  });
}
