/**
 * Names of the resources that quantities are of. Names without a slash, and those with the project's own domain, are native; all others
 * are extended, and count whole things.
 */

import { type FieldError, invalid, Notation, notSupported } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { qualifiedName } from '../../../formats/labels.ts';
import { isExtendedResource, isNativeResource, REQUESTS } from '../../../formats/resource-names.ts';
import { NONE } from '../../../validation/joined.ts';
import { needed } from '../../findings.ts';

const HUGE_PAGES = 'hugepages-';

const COUNTED: readonly string[] = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
export const COMPUTE: readonly string[] = ['cpu', 'memory'];
const CONTAINER: readonly string[] = [...COMPUTE, 'ephemeral-storage'];
const counted = new Set(COUNTED);
const container = new Set(CONTAINER);
const quota = new Set([
  ...COUNTED,
  ...CONTAINER,
  ...CONTAINER.map((name) => `${REQUESTS}${name}`),
  ...CONTAINER.map((name) => `limits.${name}`),
  'requests.storage',
]);
const standard = new Set([...quota, 'storage']);

export const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES);
/** The size in a name such as `hugepages-2Mi`. */
export const hugePageSize = (name: string): string => name.slice(HUGE_PAGES.length);
const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith(`${REQUESTS}${HUGE_PAGES}`);

type Names = Pick<RuleContext, 'text'>;

export function isNative(name: string, context: Names): boolean {
  return isNativeResource(name, context.text('${labelDomain}'));
}

export function isExtended(name: string, context: Names): boolean {
  return isExtendedResource(name, context.text('${labelDomain}'));
}

/** Whether requests may be less than limits. */
export function allowsOvercommit(name: string, context: RuleContext): boolean {
  return isNative(name, context) && !isHugePages(name);
}

export function isInteger(name: string, context: RuleContext): boolean {
  return counted.has(name) || isExtended(name, context);
}

export const isQuotaResource = (name: string): boolean => quota.has(name) || isQuotaHugePages(name);

/** Of any resource list. */
export function ofAny(name: string): readonly FieldError[] {
  const messages = qualifiedName(name);
  if (messages.length > 0) return messages.map((message) => invalidName(name, message));
  const known = name.includes('/') || standard.has(name) || isQuotaHugePages(name);
  return known ? NONE : [invalidName(name, 'must be a standard resource type or fully qualified')];
}

export function ofContainer(name: string, _old: unknown, context: RuleContext): readonly FieldError[] {
  const problem = containerProblem(name, context);
  return problem === undefined ? ofAny(name) : [...ofAny(name), invalidName(name, problem)];
}

/** Of a pod as a whole. */
export function ofPod(name: string): readonly FieldError[] {
  const errors = ofAny(name);
  return errors.length > 0 ? errors : ofResizable(name);
}

export const ofResizable = (name: string): readonly FieldError[] =>
  name === '' || COMPUTE.includes(name) ? needed(name, '') : [notSupported('', new Notation(name), COMPUTE)];

function containerProblem(name: string, context: RuleContext): string | undefined {
  if (!name.includes('/')) return container.has(name) || isHugePages(name) ? undefined : 'must be a standard resource for containers';
  return isNative(name, context) || isExtended(name, context) ? undefined : "doesn't follow extended resource name standard";
}

export function ofQuota(name: string): readonly FieldError[] {
  const known = name.includes('/') || isQuotaResource(name);
  return known ? ofAny(name) : [...ofAny(name), invalidName(name, 'must be a standard resource for quota')];
}

/** Names of resources stand in messages without quotes. */
const invalidName = (name: string, detail: string): FieldError => invalid('', new Notation(name), detail);
