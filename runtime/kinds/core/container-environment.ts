/** Environment variables of containers, and the references to fields that volumes share with them. */

import { type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import { configMapKey, environmentName } from '../../formats/keys.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { joined, NONE } from '../joined.ts';
import type { Struct } from '../struct.ts';
import { eachItem, invalidAs, needed, neededAs } from './findings.ts';
import { signOf } from './quantities.ts';

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef'];
const TWO_SOURCES = 'may not have more than one field specified at a time';

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
export const VOLUME_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const CONVERTIBLE_FIELDS = new Set([...VOLUME_FIELDS, ...ENVIRONMENT_FIELDS, 'spec.restartPolicy', 'spec.schedulerName', 'status.phase']);

export function validateEnvironment(variables: readonly Struct[] | undefined, path: string): readonly FieldError[] {
  return eachItem(variables, path, (variable, at) =>
    joined(neededAs(variable.name, `${at}.name`, environmentName), validateValueFrom(variable, `${at}.valueFrom`)),
  );
}

function validateValueFrom({ value, valueFrom }: Struct, path: string): readonly FieldError[] {
  if (valueFrom === undefined) return NONE;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  const errors = joined(
    fieldRef === undefined ? NONE : validateFieldRef(fieldRef, ENVIRONMENT_FIELDS, `${path}.fieldRef`),
    resourceFieldRef === undefined ? NONE : validateResourceFieldRef(resourceFieldRef, false, `${path}.resourceFieldRef`),
    configMapKeyRef === undefined ? NONE : validateKeyRef(configMapKeyRef, `${path}.configMapKeyRef`),
    secretKeyRef === undefined ? NONE : validateKeyRef(secretKeyRef, `${path}.secretKeyRef`),
  );
  const detail = sourceProblem(SOURCES.filter((source) => valueFrom[source] !== undefined).length, value);
  return detail === undefined ? errors : [...errors, invalid(path, '', detail)];
}

function sourceProblem(sources: number, value: string | undefined): string | undefined {
  if (sources === 0) return 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
  if (value) return 'may not be specified when `value` is not empty';
  return sources > 1 ? TWO_SOURCES : undefined;
}

/** @param supported fields besides single labels and annotations, which are named as `metadata.labels['key']` */
export function validateFieldRef({ apiVersion, fieldPath }: Struct, supported: readonly string[], path: string): readonly FieldError[] {
  if (!apiVersion) return [required(`${path}.apiVersion`)];
  if (!fieldPath) return [required(`${path}.fieldPath`)];
  const [, member = fieldPath, key] = /^(.+?)\['(.*)'\]$/s.exec(fieldPath) ?? [];
  if (apiVersion !== 'v1')
    return [invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: unsupported pod version: ${apiVersion}`)];
  if (key !== undefined) return validateSubscript(member, key, fieldPath, path);
  const field = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  if (!CONVERTIBLE_FIELDS.has(field))
    return [invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`)];
  return supported.includes(field) ? NONE : [notSupported(`${path}.fieldPath`, field, supported)];
}

function validateSubscript(member: string, key: string, fieldPath: string, path: string): readonly FieldError[] {
  if (member === 'metadata.annotations') return invalidAs(qualifiedName(key.toLowerCase()), path, key.toLowerCase());
  if (member === 'metadata.labels') return invalidAs(qualifiedName(key), path, key);
  return [invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: field label does not support subscript: ${fieldPath}`)];
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

/** @param ofVolume a file of a volume must say which container it means */
export function validateResourceFieldRef(selector: Struct, ofVolume: boolean, path: string): readonly FieldError[] {
  const { containerName, resource = '', divisor } = selector;
  return joined(validateResourceField(containerName, resource, ofVolume, path), validateDivisor(resource, divisor, path));
}

function validateResourceField(container: string | undefined, resource: string, ofVolume: boolean, path: string): readonly FieldError[] {
  if (ofVolume && !container) return [required(`${path}.containerName`)];
  if (resource === '') return [required(`${path}.resource`)];
  if (RESOURCE_FIELDS.includes(resource) || isHugePagesField(resource)) return NONE;
  return [notSupported(`${path}.resource`, resource, RESOURCE_FIELDS)];
}

const isHugePagesField = (resource: string): boolean => /^(limits|requests)\.hugepages-/.test(resource);

function validateDivisor(resource: string, divisor: string | undefined, path: string): readonly FieldError[] {
  if (divisor === undefined || signOf(divisor) === 0) return NONE;
  const { noun, values } = divisors(resource);
  if (values.includes(divisor)) return NONE;
  const list = noun === 'cpu' ? '1m and 1' : values.join(', ');
  return noun === undefined
    ? NONE
    : [invalid(`${path}.divisor`, resource, `only divisor's values ${list} are supported with the ${noun} resource`)];
}

function divisors(resource: string): { noun: string | undefined; values: readonly string[] } {
  const name = resource.slice(resource.indexOf('.') + 1);
  if (isHugePagesField(resource)) return { noun: 'hugepages', values: SIZES };
  if (!RESOURCE_FIELDS.includes(resource)) return { noun: undefined, values: [] };
  if (name === 'cpu') return { noun: 'cpu', values: ['1m', '1'] };
  return { noun: name === 'memory' ? 'memory' : 'local ephemeral storage', values: SIZES };
}

function validateKeyRef({ name = '', key }: Struct, path: string): readonly FieldError[] {
  return joined(invalidAs(dnsSubdomain(name), `${path}.name`, name), neededAs(key, `${path}.key`, configMapKey));
}

export function validateEnvironmentSources(sources: readonly Struct[] | undefined, path: string): readonly FieldError[] {
  return eachItem(sources, path, ({ prefix, configMapRef, secretRef }, at) => {
    return joined(
      prefix ? invalidAs(environmentName(prefix), `${at}.prefix`, prefix) : NONE,
      configMapRef === undefined ? NONE : validateSourceName(configMapRef.name, `${at}.configMapRef.name`),
      secretRef === undefined ? NONE : validateSourceName(secretRef.name, `${at}.secretRef.name`),
      configMapRef === undefined && secretRef === undefined
        ? [invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`')]
        : NONE,
      configMapRef !== undefined && secretRef !== undefined ? [invalid(path, '', TWO_SOURCES)] : NONE,
    );
  });
}

function validateSourceName(name: string | undefined, path: string): readonly FieldError[] {
  return name ? invalidAs(dnsSubdomain(name), path, name) : needed(name, path);
}
