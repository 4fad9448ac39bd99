/** The spec of a pod, in a pod or in a template of pods. */

import { duplicate, type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import { ipAddress } from '../../formats/addresses.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { joined, NONE } from '../joined.ts';
import { validateLabels } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';
import { validateAffinity } from './affinity.ts';
import { validateResources } from './container-resources.ts';
import { validateContainers, validateEphemeralContainers, validateInitContainers } from './container-validation.ts';
import { eachItem, invalidAs, needed, neededAs, neededOneOf } from './findings.ts';
import { inRange } from './numbers.ts';
import type { ContainerScope, PodScope } from './pod-scope.ts';
import { validateSchedulingGates, validateTolerations, validateTopologySpread } from './scheduling.ts';
import { validatePodSecurityContext } from './security-context.ts';
import { validateVolumes } from './volumes.ts';
import { validateHostProcesses, validateOperatingSystem } from './windows-options.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const MAX_INT32 = 2 ** 31 - 1;

/** @param given an empty spec where there is none */
export function validatePodSpec(given: Struct, path: string, scope: PodScope): readonly FieldError[] {
  const spec: Struct = given ?? {};
  const { terminationGracePeriodSeconds: gracePeriod } = spec;
  const [volumeErrors, volumes] = validateVolumes(spec.volumes, `${path}.volumes`, scope);
  const claims: readonly Struct[] = spec.resourceClaims ?? [];
  const containers: ContainerScope = {
    ...scope,
    volumes,
    claimNames: claims.map(({ name }) => name).filter(Boolean),
    restartPolicy: spec.restartPolicy,
    gracePeriod,
    hostUsers: spec.hostUsers ?? true,
  };
  return joined(
    gracePeriod === undefined ? [required(`${path}.terminationGracePeriodSeconds`)] : NONE,
    volumeErrors,
    validateResourceClaims(claims, `${path}.resourceClaims`),
    validateContainers(spec.containers, `${path}.containers`, containers),
    validateInitContainers(spec.initContainers, spec.containers, `${path}.initContainers`, containers),
    validateEphemeralContainers(spec, `${path}.ephemeralContainers`, containers),
    validateSharedPorts(spec, path, scope),
    neededOneOf(spec.restartPolicy, `${path}.restartPolicy`, RESTART_POLICIES),
    neededOneOf(spec.dnsPolicy, `${path}.dnsPolicy`, DNS_POLICIES),
    validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    validatePodSecurityContext(spec, `${path}.securityContext`),
    validateAffinity(spec.affinity, `${path}.affinity`),
    validateDns(spec, `${path}.dnsConfig`),
    eachItem(spec.readinessGates as readonly Struct[] | undefined, `${path}.readinessGates`, ({ conditionType = '' }, at) =>
      invalidAs(qualifiedName(conditionType), `${at}.conditionType`, conditionType),
    ),
    validateSchedulingGates(spec.schedulingGates, `${path}.schedulingGates`),
    validateTopologySpread(spec.topologySpreadConstraints, `${path}.topologySpreadConstraints`),
    validateHostProcesses(spec, path),
    validateHostUsers(spec, path),
    validateNames(spec, path),
    validateTolerations(spec.tolerations, `${path}.tolerations`),
    validateHostAliases(spec.hostAliases, `${path}.hostAliases`),
    validateClasses(spec, path),
    // Checked as the limits of a container, and named so.
    spec.overhead === undefined ? NONE : validateResources({ limits: spec.overhead }, [], `${path}.overhead`, scope.context),
    validateOperatingSystem(spec, path),
  );
}

function validateResourceClaims(claims: readonly Struct[], path: string): readonly FieldError[] {
  if (claims.length === 0) return NONE;
  const names = new Set<string>();
  return eachItem(claims, path, (claim, at) => {
    const { name = '', resourceClaimName, resourceClaimTemplateName } = claim;
    const errors = [...(names.has(name) ? [duplicate(`${at}.name`, name)] : neededAs(name, `${at}.name`, dnsLabel))];
    if (name !== '') names.add(name);
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined)
      errors.push(invalid(at, claim, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'));
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined)
      errors.push(invalid(at, claim, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
    for (const member of ['resourceClaimName', 'resourceClaimTemplateName'])
      if (claim[member] !== undefined) errors.push(...invalidAs(dnsSubdomain(claim[member]), `${at}.${member}`, claim[member]));
    return errors;
  });
}

/** A pod on its node's network has its ports there; a template may leave that to the pods' defaults. */
function validateSharedPorts(spec: Struct, path: string, { isPod }: PodScope): readonly FieldError[] {
  if (spec.hostNetwork !== true) return NONE;
  return eachItem(spec.containers as readonly Struct[], `${path}.containers`, ({ ports }, container) =>
    eachItem(ports as readonly Struct[] | undefined, `${container}.ports`, ({ hostPort = 0, containerPort = 0 }, at) =>
      (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [invalid(`${at}.hostPort`, hostPort, 'must match `containerPort` when `hostNetwork` is true')]
        : NONE,
    ),
  );
}

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2_048;

function validateDns({ dnsPolicy, dnsConfig }: Struct, path: string): readonly FieldError[] {
  const nameservers: readonly string[] = dnsConfig?.nameservers ?? [];
  if (dnsPolicy === 'None' && dnsConfig === undefined) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  if (dnsPolicy === 'None' && nameservers.length === 0)
    return [required(`${path}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
  if (dnsConfig === undefined) return NONE;
  return joined(
    nameservers.length > MAX_NAMESERVERS
      ? [invalid(`${path}.nameservers`, nameservers, `must not have more than ${MAX_NAMESERVERS} nameservers`)]
      : NONE,
    eachItem(nameservers, `${path}.nameservers`, (address, at) => invalidAs(ipAddress(address), at, address)),
    validateSearches(dnsConfig.searches ?? [], `${path}.searches`),
    eachItem(dnsConfig.options as readonly Struct[] | undefined, `${path}.options`, ({ name }, at) =>
      needed(name, at, 'must not be empty'),
    ),
  );
}

function validateSearches(searches: readonly string[], path: string): readonly FieldError[] {
  return joined(
    searches.length > MAX_SEARCHES ? [invalid(path, searches, `must not have more than ${MAX_SEARCHES} search paths`)] : NONE,
    searches.join(' ').length > MAX_SEARCH_CHARACTERS
      ? [invalid(path, searches, `must not have more than ${MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list`)]
      : NONE,
    eachItem(searches, path, (search, at) => {
      const name = search.endsWith('.') ? search.slice(0, -1) : search;
      return invalidAs(dnsSubdomain(name), at, name);
    }),
  );
}

/** A pod with users of its own can share nothing else with its node. */
function validateHostUsers(spec: Struct, path: string): readonly FieldError[] {
  if (spec.hostUsers !== false) return NONE;
  const names = { hostNetwork: 'hostNetwork', hostPID: 'HostPID', hostIPC: 'HostIPC' };
  return Object.entries(names)
    .filter(([member]) => spec[member] === true)
    .map(([, name]) => forbidden(`${path}.${name}`, 'when `pod.Spec.HostUsers` is false'));
}

function validateNames(spec: Struct, path: string): readonly FieldError[] {
  const check = (member: string, syntax: (name: string) => readonly string[]): readonly FieldError[] =>
    spec[member] ? invalidAs(syntax(spec[member]), `${path}.${member}`, spec[member]) : NONE;
  return joined(
    check('serviceAccountName', dnsSubdomain),
    check('nodeName', dnsSubdomain),
    inRange(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`, 1, MAX_INT32),
    check('hostname', dnsLabel),
    check('subdomain', dnsLabel),
  );
}

function validateHostAliases(aliases: readonly Struct[] | undefined, path: string): readonly FieldError[] {
  return eachItem(aliases, path, ({ ip = '', hostnames }, at) =>
    joined(
      invalidAs(ipAddress(ip), `${at}.ip`, ip),
      eachItem(hostnames as readonly string[] | undefined, `${at}.hostnames`, (name, namePath) =>
        invalidAs(dnsSubdomain(name), namePath, name),
      ),
    ),
  );
}

function validateClasses({ priorityClassName, runtimeClassName, preemptionPolicy }: Struct, path: string): readonly FieldError[] {
  return joined(
    priorityClassName ? invalidAs(dnsSubdomain(priorityClassName), `${path}.priorityClassName`, priorityClassName) : NONE,
    runtimeClassName === undefined ? NONE : invalidAs(dnsSubdomain(runtimeClassName), `${path}.runtimeClassName`, runtimeClassName),
    preemptionPolicy === undefined ? NONE : neededOneOf(preemptionPolicy, `${path}.preemptionPolicy`, PREEMPTION_POLICIES),
  );
}
