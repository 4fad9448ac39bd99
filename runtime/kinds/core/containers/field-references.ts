/** Fields of a pod and amounts of its containers, as variables and files refer to them. */
import type { ObjectFieldSelector, ResourceFieldSelector } from '../../../../generated/core/v1/types.ts';
import { type FieldError, invalid, notSupported } from '../../../contract/field-error.ts';
import { qualifiedName } from '../../../formats/labels.ts';
import { NONE } from '../../../validation/joined.ts';
import { invalidAs } from '../../findings.ts';
import { signOf } from '../resource-amounts/quantities.ts';

const ENVIRONMENT_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/** Fields that a file of a volume may hold. */
const VOLUME_FIELDS = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];
const CONVERTIBLE_FIELDS = new Set([...VOLUME_FIELDS, ...ENVIRONMENT_FIELDS, 'spec.restartPolicy', 'spec.schedulerName', 'status.phase']);

export const environmentField = (selector: ObjectFieldSelector): readonly FieldError[] => fieldOf(selector, ENVIRONMENT_FIELDS);
export const volumeField = (selector: ObjectFieldSelector): readonly FieldError[] => fieldOf(selector, VOLUME_FIELDS);

/** @param supported fields besides single labels and annotations, which are named as `metadata.labels['key']` */
function fieldOf({ apiVersion, fieldPath }: ObjectFieldSelector, supported: readonly string[]): readonly FieldError[] {
  if (apiVersion === 'v1' && supported.includes(fieldPath)) return NONE;
  const unknown = (reason: string): readonly FieldError[] => [invalid('.fieldPath', fieldPath, `error converting fieldPath: ${reason}`)];
  if (apiVersion !== 'v1') return unknown(`unsupported pod version: ${apiVersion}`);
  const subscripted = fieldPath.endsWith("']") ? fieldPath.slice(0, -2) : '';
  const bracket = subscripted.indexOf("['", 1);
  if (bracket !== -1) {
    const [member, key] = [subscripted.slice(0, bracket), subscripted.slice(bracket + 2)];
    if (member === 'metadata.annotations') return invalidAs(qualifiedName(key.toLowerCase()), '', key.toLowerCase());
    if (member === 'metadata.labels') return invalidAs(qualifiedName(key), '', key);
    return unknown(`field label does not support subscript: ${fieldPath}`);
  }
  const field = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  if (!CONVERTIBLE_FIELDS.has(field)) return unknown(`field label not supported: ${fieldPath}`);
  return supported.includes(field) ? NONE : [notSupported('.fieldPath', field, supported)];
}

const RESOURCE_FIELDS = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const SIZES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** Huge pages have any size in their names. */
export function resource({ resource: name }: ResourceFieldSelector): readonly FieldError[] {
  return !name || RESOURCE_FIELDS.includes(name) || isHugePagesField(name) ? NONE : [notSupported('.resource', name, RESOURCE_FIELDS)];
}

const isHugePagesField = (name: string): boolean => /^(limits|requests)\.hugepages-/.test(name);

/** What an amount is divided by is one of its usual units. */
export function divisor({ resource: name, divisor: unit }: ResourceFieldSelector): readonly FieldError[] {
  if (unit === undefined || signOf(unit) === 0) return NONE;
  const { noun, values } = divisorsOf(name ?? '');
  if (noun === undefined || values.includes(unit)) return NONE;
  const list = noun === 'cpu' ? '1m and 1' : values.join(', ');
  return [invalid('.divisor', name, `only divisor's values ${list} are supported with the ${noun} resource`)];
}

function divisorsOf(field: string): { noun?: string; values: readonly string[] } {
  if (isHugePagesField(field)) return { noun: 'hugepages', values: SIZES };
  if (!RESOURCE_FIELDS.includes(field)) return { values: [] };
  const name = field.slice(field.indexOf('.') + 1);
  if (name === 'cpu') return { noun: 'cpu', values: ['1m', '1'] };
  return { noun: name === 'memory' ? 'memory' : 'local ephemeral storage', values: SIZES };
}
