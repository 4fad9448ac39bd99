/** Pods and claims within the limit ranges of their namespace; what containers leave out is filled in from these first. The words are those of 1.32. */

import type { Container, LimitRangeItem, PodSpec } from '../../../generated/core/v1/types.ts';
import { aggregateText } from '../../contract/aggregate-text.ts';
import type { ApiObject } from '../../contract/object.ts';
import { podAmounts } from '../../kinds/core/pods/pod-amounts.ts';
import { type Amounts, amountsOf, amountText } from '../../schema/scalar/amounts.ts';
import { compareQuantities, parseQuantity, type Quantity } from '../../schema/scalar/quantity.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { forbidden, only } from '../plugin-interface/refusal.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';

type List = Readonly<Record<string, string>>;

export function limitRanger({ identity, followed }: PluginParts): AdmissionPlugin {
  const ranges = followed('limitranges');
  const annotation = identity.text('${labelDomain}/limit-ranger');
  const rangesOf = (attributes: AdmissionAttributes): readonly ApiObject[] =>
    isLimited(attributes) ? [...ranges.in(attributes.namespace)].sort(byName) : [];
  return {
    concerns: only('', 'pods', 'persistentvolumeclaims'),
    mutate(attributes) {
      if (attributes.resource.groupResource.resource !== 'pods') return;
      for (const range of rangesOf(attributes)) fillIn(attributes.object as ApiObject, limitsOf(range), annotation);
    },
    validate(attributes) {
      for (const range of rangesOf(attributes)) {
        const problems = problemsOf(attributes, limitsOf(range));
        if (problems.length > 0) throw forbidden(attributes, aggregateText(problems));
      }
    },
  };
}

const byName = ({ metadata: a }: ApiObject, { metadata: b }: ApiObject): number => ((a.name as string) < (b.name as string) ? -1 : 1);
const limitsOf = ({ spec }: ApiObject): readonly LimitRangeItem[] => spec?.limits ?? [];

/** New pods, pods whose containers are resized, new claims and claims that change; nothing that is going. */
function isLimited({ operation, resource: { groupResource }, subresource, object, old }: AdmissionAttributes): boolean {
  if (groupResource.group !== '' || object === undefined || old?.metadata.deletionTimestamp !== undefined) return false;
  if (groupResource.resource === 'persistentvolumeclaims') return subresource === '' && (operation === 'create' || operation === 'update');
  if (groupResource.resource !== 'pods') return false;
  return (operation === 'create' && subresource === '') || (operation === 'update' && subresource === 'resize');
}

/** Sets the defaults of limit ranges on the pod's containers, and notes that in an annotation. */
function fillIn(pod: ApiObject, limits: readonly LimitRangeItem[], annotation: string): void {
  const ofContainers = limits.filter(({ type }) => type === 'Container');
  const requests: List = Object.assign({}, ...ofContainers.map(({ defaultRequest }) => defaultRequest));
  const most: List = Object.assign({}, ...ofContainers.map(({ default: preset }) => preset));
  const notes = containersOf(pod.spec).flatMap(({ container, called }) => [
    ...preset(container, 'requests', requests).map((names) => `${names} request for ${called} ${container.name}`),
    ...preset(container, 'limits', most).map((names) => `${names} limit for ${called} ${container.name}`),
  ]);
  if (notes.length === 0) return;
  pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join('; ')}` };
}

/** @returns the names of what was filled in, as one text; none where nothing was */
function preset(container: Container, member: 'requests' | 'limits', presets: List): string[] {
  const given = (container.resources?.[member] ?? {}) as List;
  const missing = Object.keys(presets).filter((name) => given[name] === undefined);
  if (missing.length === 0) return [];
  const filled = { ...given, ...Object.fromEntries(missing.map((name) => [name, presets[name] as string])) };
  container.resources = { ...container.resources, [member]: filled };
  return [missing.sort().join(', ')];
}

function containersOf({ containers, initContainers }: PodSpec): { readonly container: Container; readonly called: string }[] {
  return [
    ...(containers ?? []).map((container) => ({ container, called: 'container' })),
    ...(initContainers ?? []).map((container) => ({ container, called: 'init container' })),
  ];
}

function problemsOf({ resource, object }: AdmissionAttributes, limits: readonly LimitRangeItem[]): string[] {
  const { spec = {} } = object as ApiObject;
  if (resource.groupResource.resource === 'persistentvolumeclaims')
    return limits
      .filter(({ type }) => type === 'PersistentVolumeClaim')
      .flatMap((limit) => problemsOfClaim(amountsOf(spec.resources?.requests), limit));
  return limits.flatMap((limit) => problemsOfPod(spec, limit));
}

function problemsOfClaim(requests: Amounts, { type, min, max }: LimitRangeItem): string[] {
  return [
    ...each(min, (name, least) => tooLittle({ type, name, enforced: least, request: requests.get(name), limit: undefined })),
    ...each(max, (name, most) => tooMuchAsked({ type, name, enforced: most, request: requests.get(name), limit: undefined })),
  ];
}

function problemsOfPod(spec: PodSpec, limit: LimitRangeItem): string[] {
  if (limit.type === 'Pod') return problemsOfAmounts(podAmounts(spec, 'requests'), podAmounts(spec, 'limits'), limit);
  if (limit.type !== 'Container') return [];
  return containersOf(spec).flatMap(({ container: { resources } }) =>
    problemsOfAmounts(amountsOf(resources?.requests as List | undefined), amountsOf(resources?.limits as List | undefined), limit),
  );
}

function problemsOfAmounts(requests: Amounts, limits: Amounts, { type, min, max, maxLimitRequestRatio }: LimitRangeItem): string[] {
  const held = (name: string, enforced: Quantity): Held => ({ type, name, enforced, request: requests.get(name), limit: limits.get(name) });
  return [
    ...each(min, (name, least) => tooLittle(held(name, least))),
    ...each(max, (name, most) => tooMuch(held(name, most))),
    ...each(maxLimitRequestRatio, (name, ratio) => tooFarApart(held(name, ratio))),
  ];
}

/** Checks amounts in the order of their names. 1.32 has no fixed order. */
function each(list: unknown, check: (name: string, enforced: Quantity) => string | undefined): string[] {
  const amounts = [...amountsOf(list as List | undefined)].sort(([a], [b]) => (a < b ? -1 : 1));
  return amounts.flatMap(([name, enforced]) => check(name, enforced) ?? []);
}

/** What is held against a limit. */
interface Held {
  readonly type: string;
  readonly name: string;
  readonly enforced: Quantity;
  readonly request: Quantity | undefined;
  readonly limit: Quantity | undefined;
}

const usage = (bound: 'minimum' | 'maximum', { type, name, enforced }: Held): string =>
  `${bound} ${name} usage per ${type} is ${amountText(enforced)}`;

function tooLittle(held: Held): string | undefined {
  const { enforced, request, limit } = held;
  if (request === undefined) return `${usage('minimum', held)}.  No request is specified`;
  if (compareQuantities(request, enforced) < 0) return `${usage('minimum', held)}, but request is ${amountText(request)}`;
  if (limit !== undefined && compareQuantities(limit, enforced) < 0) return `${usage('minimum', held)}, but limit is ${amountText(limit)}`;
  return undefined;
}

function tooMuch(held: Held): string | undefined {
  const { enforced, request, limit } = held;
  if (limit === undefined) return `${usage('maximum', held)}.  No limit is specified`;
  if (compareQuantities(limit, enforced) > 0) return `${usage('maximum', held)}, but limit is ${amountText(limit)}`;
  if (request !== undefined && compareQuantities(request, enforced) > 0)
    return `${usage('maximum', held)}, but request is ${amountText(request)}`;
  return undefined;
}

function tooMuchAsked(held: Held): string | undefined {
  const { enforced, request } = held;
  if (request === undefined) return `${usage('maximum', held)}.  No request is specified`;
  return compareQuantities(request, enforced) > 0 ? `${usage('maximum', held)}, but request is ${amountText(request)}` : undefined;
}

const ZERO = parseQuantity('0');
const isNothing = (quantity: Quantity | undefined): boolean => quantity === undefined || compareQuantities(quantity, ZERO) === 0;

function tooFarApart({ type, name, enforced, request, limit }: Held): string | undefined {
  const most = `${name} max limit to request ratio per ${type} is ${amountText(enforced)}`;
  if (isNothing(request)) return `${most}, but no request is specified or request is 0`;
  if (isNothing(limit)) return `${most}, but no limit is specified or limit is 0`;
  const ratio = numberOf(limit as Quantity) / numberOf(request as Quantity);
  return ratio > numberOf(enforced) ? `${most}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

const numberOf = ({ unscaled, exponent }: Quantity): number => Number(unscaled) * 10 ** exponent;
