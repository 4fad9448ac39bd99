/** The metrics that an autoscaler watches: their validation. */
import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { dnsLabel, pathSegment } from '../../formats/names.ts';
import type { Struct } from '../struct.ts';

interface Source {
  /** the member of a metric that holds this source */
  readonly member: string;
  readonly validate: (source: Struct, path: string) => FieldError[];
}

/** By the metric's type; in the order in which the members are looked at. */
const sources: Readonly<Record<string, Source>> = {
  Object: { member: 'object', validate: validateObjectSource },
  External: { member: 'external', validate: validateExternalSource },
  Pods: { member: 'pods', validate: validatePodsSource },
  Resource: { member: 'resource', validate: validateResourceSource },
  ContainerResource: { member: 'containerResource', validate: validateContainerResourceSource },
};
const TYPES = Object.keys(sources).sort();

/** @param minReplicas 0 asks for a metric that says something while there are no pods */
export function validateMetrics(metrics: readonly Struct[] | undefined, minReplicas: number | undefined, path: string): FieldError[] {
  const list = metrics ?? [];
  const errors = list.flatMap((metric, index) => validateMetric(metric, `${path}[${index}]`));
  if (minReplicas === 0 && !list.some((metric) => metric.type === 'Object' || metric.type === 'External'))
    errors.push(forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas'));
  return errors;
}

function validateMetric(metric: Struct, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const expected = sources[metric.type]?.member;
  if (metric.type === '') errors.push(required(`${path}.type`, 'must specify a metric source type'));
  if (expected === undefined) errors.push(notSupported(`${path}.type`, metric.type, TYPES));
  const present = Object.values(sources).filter(({ member }) => metric[member] !== undefined);
  const first = present[0];
  if (first !== undefined) errors.push(...first.validate(metric[first.member], `${path}.${first.member}`));
  if (expected === undefined) errors.push(notSupported(`${path}.type`, metric.type, TYPES));
  else if (metric[expected] === undefined)
    errors.push(required(`${path}.${expected}`, 'must populate information for the given metric source'));
  if (present.length === 1) return errors;
  const others = present.filter(({ member }) => member !== expected);
  return [...errors, ...others.map(({ member }) => forbidden(`${path}.${member}`, 'must populate the given metric source only'))];
}

function validateObjectSource({ describedObject, metric, target }: Struct, path: string): FieldError[] {
  return [
    ...validateReference(describedObject, `${path}.describedObject`),
    ...validateIdentifier(metric, `${path}.metric`),
    ...validateTarget(target, `${path}.target`),
    ...(target.value === undefined && target.averageValue === undefined
      ? [required(`${path}.target.averageValue`, 'must set either a target value or averageValue')]
      : []),
  ];
}

function validateExternalSource({ metric, target }: Struct, path: string): FieldError[] {
  const errors = [...validateIdentifier(metric, `${path}.metric`), ...validateTarget(target, `${path}.target`)];
  const { value, averageValue } = target;
  if (value === undefined && averageValue === undefined)
    errors.push(required(`${path}.target.averageValue`, 'must set either a target value for metric or a per-pod target'));
  if (value !== undefined && averageValue !== undefined)
    errors.push(forbidden(`${path}.target.value`, 'may not set both a target value for metric and a per-pod target'));
  return errors;
}

function validatePodsSource({ metric, target }: Struct, path: string): FieldError[] {
  return [
    ...validateIdentifier(metric, `${path}.metric`),
    ...validateTarget(target, `${path}.target`),
    ...(target.averageValue === undefined ? [required(`${path}.target.averageValue`, 'must specify a positive target averageValue')] : []),
  ];
}

function validateResourceSource({ name, target }: Struct, path: string): FieldError[] {
  return [
    ...(name === '' ? [required(`${path}.name`, 'must specify a resource name')] : []),
    ...validateResourceTarget(target, `${path}.target`),
  ];
}

function validateContainerResourceSource({ name, container, target }: Struct, path: string): FieldError[] {
  return [
    ...(name === '' ? [required(`${path}.name`, 'must specify a resource name')] : validateContainerResource(name, `${path}.name`)),
    ...(container === ''
      ? [required(`${path}.container`, 'must specify a container')]
      : dnsLabel(container).map((message) => invalid(`${path}.container`, container, message))),
    ...validateResourceTarget(target, `${path}.target`),
  ];
}

function validateContainerResource(name: string, path: string): FieldError[] {
  const errors = qualifiedName(name).map((message) => invalid(path, name, message));
  if (!name.includes('/') && !/^(cpu|memory|ephemeral-storage|hugepages-.*)$/.test(name))
    errors.push(invalid(path, name, 'must be a standard resource for containers'));
  if (name.includes('/') && name.startsWith('requests.'))
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"));
  return errors;
}

function validateResourceTarget(target: Struct, path: string): FieldError[] {
  const errors = validateTarget(target, path);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined)
    errors.push(required(`${path}.averageUtilization`, 'must set either a target raw value or a target utilization'));
  if (averageUtilization !== undefined && averageValue !== undefined)
    errors.push(forbidden(`${path}.averageValue`, 'may not set both a target raw value and a target utilization'));
  return errors;
}

const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];

function validateTarget({ type, value, averageValue, averageUtilization }: Struct, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric target type'));
  if (!TARGET_TYPES.includes(type)) errors.push(invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  if (value !== undefined && !isPositive(value)) errors.push(invalid(`${path}.value`, value, 'must be positive'));
  if (averageValue !== undefined && !isPositive(averageValue))
    errors.push(invalid(`${path}.averageValue`, averageValue, 'must be positive'));
  if (averageUtilization < 1) errors.push(invalid(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0'));
  return errors;
}

/** @param quantity canonical text: a number without leading zeros, before its suffix */
function isPositive(quantity: string): boolean {
  return /^[1-9]/.test(quantity);
}

function validateIdentifier({ name }: Struct, path: string): FieldError[] {
  if (name === '') return [required(`${path}.name`, 'must specify a metric name')];
  return pathSegment(name).map((message) => invalid(`${path}.name`, name, message));
}

/** Of a reference to an object by kind and name, whatever its version. */
export function validateReference(reference: Struct, path: string): FieldError[] {
  return ['kind', 'name'].flatMap((member) => {
    const text: string = reference[member];
    if (text === '') return [required(`${path}.${member}`)];
    return pathSegment(text).map((message) => invalid(`${path}.${member}`, text, message));
  });
}
