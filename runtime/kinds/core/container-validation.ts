/** The containers of a pod: regular ones, those that run before them, and those that are added to look into a running pod. */

import { duplicate, type FieldError, forbidden, invalid, notFound, notSupported, required } from '../../contract/field-error.ts';
import { dnsLabel } from '../../formats/names.ts';
import { portName, portNumber } from '../../formats/ports.ts';
import { joined, NONE } from '../joined.ts';
import type { Struct } from '../struct.ts';
import { validateEnvironment, validateEnvironmentSources } from './container-environment.ts';
import { validateLifecycle, validateProbes } from './container-handlers.ts';
import { validateDevices, validateMounts } from './container-mounts.ts';
import { validateResizePolicy, validateResources } from './container-resources.ts';
import { isSidecar, PROTOCOLS, PULL_POLICIES } from './containers.ts';
import { eachItem, invalidAs, needed, neededAs, neededOneOf } from './findings.ts';
import type { ContainerScope } from './pod-scope.ts';
import { validateSecurityContext } from './security-context.ts';

type Containers = readonly Struct[] | null | undefined;

export function validateContainers(containers: Containers, path: string, scope: ContainerScope): readonly FieldError[] {
  if ((containers ?? []).length === 0) return [required(path)];
  const names = new Set<string>();
  return joined(
    eachItem(containers, path, (container, at) => {
      const errors = [...validateContainer(container, at, scope)];
      const { name = '' } = container;
      if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
      errors.push(...validateLifecycle(container.lifecycle, scope.gracePeriod, `${at}.lifecycle`), ...validateProbes(container, at));
      if (container.restartPolicy !== undefined) errors.push(forbidden(`${at}.restartPolicy`, 'may not be set for non-init containers'));
      return errors;
    }),
    validateHostPorts(containers, path),
  );
}

const REGULAR_ONLY = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

/** @param regular the pod's regular containers, whose names are taken */
export function validateInitContainers(
  containers: Containers,
  regular: Containers,
  path: string,
  scope: ContainerScope,
): readonly FieldError[] {
  if (!containers) return NONE;
  const names = new Set((regular ?? []).map(({ name }) => name));
  return eachItem(containers, path, (container, at) => {
    const { name, restartPolicy, resizePolicy } = container;
    const errors = [...validateContainer(container, at, scope)];
    if (restartPolicy !== undefined && !isSidecar(container)) errors.push(notSupported(`${at}.restartPolicy`, restartPolicy, ['Always']));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name ?? ''));
    else if (name) names.add(name);
    errors.push(...validateHostPorts([container], path));
    if (isSidecar(container))
      errors.push(...validateLifecycle(container.lifecycle, scope.gracePeriod, `${at}.lifecycle`), ...validateProbes(container, at));
    else
      for (const member of REGULAR_ONLY)
        if (container[member] !== undefined)
          errors.push(forbidden(`${at}.${member}`, 'may not be set for init containers without restartPolicy=Always'));
    if ((resizePolicy ?? []).length > 0) errors.push(invalid(`${at}.resizePolicy`, resizePolicy, 'must not be set for init containers'));
    return errors;
  });
}

/** In the order of the fields of the type. */
const NOT_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];
const NOT_FOR_EPHEMERAL = 'cannot be set for an Ephemeral Container';

export function validateEphemeralContainers(spec: Struct, path: string, scope: ContainerScope): readonly FieldError[] {
  if (!spec.ephemeralContainers) return NONE;
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  return eachItem(spec.ephemeralContainers as Containers, path, (container, at) => {
    const { name, targetContainerName: target } = container;
    const errors = [...joined(validateContainer(container, at, scope), validateImageSpaces(container, at))];
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name ?? ''));
    else names.add(name);
    if (target && !others.has(target)) errors.push(notFound(`${at}.targetContainerName`, target));
    for (const member of NOT_EPHEMERAL) if (isSet(container, member)) errors.push(forbidden(`${at}.${member}`, NOT_FOR_EPHEMERAL));
    return joined(errors, validateEphemeralMounts(container, `${at}.volumeMounts`));
  });
}

/** Resources are always there, and are empty when they are not set; of a probe or a lifecycle that is empty somebody has sent at least that. */
function isSet(container: Struct, member: string): boolean {
  const value = container[member];
  return member === 'resources' ? value !== undefined && Object.keys(value).length > 0 : value !== undefined;
}

function validateEphemeralMounts(container: Struct, path: string): readonly FieldError[] {
  return eachItem(container.volumeMounts as readonly Struct[] | undefined, path, (mount, at) =>
    ['subPath', 'subPathExpr'].filter((member) => mount[member]).map((member) => forbidden(`${at}.${member}`, NOT_FOR_EPHEMERAL)),
  );
}

/** What holds of every container. */
function validateContainer(container: Struct, path: string, scope: ContainerScope): readonly FieldError[] {
  return joined(
    neededAs(container.name, `${path}.name`, dnsLabel),
    needed(container.image, `${path}.image`),
    neededOneOf(container.terminationMessagePolicy, `${path}.terminationMessagePolicy`, ['File', 'FallbackToLogsOnError']),
    validatePorts(container.ports, `${path}.ports`),
    validateEnvironment(container.env, `${path}.env`),
    validateEnvironmentSources(container.envFrom, `${path}.envFrom`),
    validateMounts(container, scope.volumes, `${path}.volumeMounts`),
    validateDevices(container, scope.volumes, `${path}.volumeDevices`),
    neededOneOf(container.imagePullPolicy, `${path}.imagePullPolicy`, PULL_POLICIES),
    validateResources(container.resources ?? {}, scope.claimNames, `${path}.resources`, scope.context),
    validateResizePolicy(container.resizePolicy, `${path}.resizePolicy`, scope.restartPolicy),
    validateSecurityContext(container.securityContext, `${path}.securityContext`, scope),
  );
}

function validatePorts(ports: readonly Struct[] | undefined, path: string): readonly FieldError[] {
  const names = new Set<string>();
  return eachItem(ports, path, ({ name, containerPort = 0, hostPort = 0, protocol }, at) =>
    joined(
      name ? validatePortName(name, names, `${at}.name`) : NONE,
      containerPort === 0 ? [required(`${at}.containerPort`)] : invalidAs(portNumber(containerPort), `${at}.containerPort`, containerPort),
      hostPort === 0 ? NONE : invalidAs(portNumber(hostPort), `${at}.hostPort`, hostPort),
      neededOneOf(protocol, `${at}.protocol`, PROTOCOLS),
    ),
  );
}

function validatePortName(name: string, names: Set<string>, path: string): readonly FieldError[] {
  const messages = portName(name);
  if (messages.length > 0) return invalidAs(messages, path, name);
  if (names.has(name)) return [duplicate(path, name)];
  names.add(name);
  return NONE;
}

/** No two containers that run at the same time can have one port of the node. */
function validateHostPorts(containers: Containers, path: string): readonly FieldError[] {
  const taken = new Set<string>();
  return eachItem(containers, path, (container, at) =>
    eachItem(container.ports as readonly Struct[] | undefined, `${at}.ports`, ({ protocol = '', hostIP = '', hostPort = 0 }, port) => {
      if (hostPort === 0) return NONE;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) return [duplicate(`${port}.hostPort`, key)];
      taken.add(key);
      return NONE;
    }),
  );
}

/** Of pods only: templates were once allowed such images. */
export function validateImageSpaces({ image = '' }: Struct, path: string): readonly FieldError[] {
  return image === image.trim() ? NONE : [invalid(`${path}.image`, image, 'must not have leading or trailing whitespace')];
}
