import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { familyOf, ipAddress, ipRange, notAnAddress, ordinaryIp } from '../../formats/addresses.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { portNumber, portNumberOrName } from '../../formats/ports.ts';
import { validateLabels } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';
import { PROTOCOLS } from './containers.ts';
import { eachItem, invalidAs, needed, neededOneOf, oneOf } from './findings.ts';
import { isHeadless, isReachableFromOutside, NO_ADDRESS, needsAddress, needsHealthPort } from './service-spec.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const POLICIES = ['Cluster', 'Local'];
const BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";

export function validateService({ metadata, spec }: ApiObject, context: RuleContext): readonly FieldError[] {
  const annotations = metadata.annotations ?? {};
  return [
    ...validateTopologyAnnotations(annotations, context),
    ...((spec.ports ?? []).length === 0 && !isHeadless(spec) && needsAddress(spec) ? [required('spec.ports')] : []),
    ...validateType(spec),
    ...validatePorts(spec.ports),
    ...validateLabels(spec.selector, 'spec.selector'),
    ...neededOneOf(spec.sessionAffinity, 'spec.sessionAffinity', ['ClientIP', 'None']),
    ...validateAffinity(spec, 'spec.sessionAffinityConfig'),
    ...validateClusterIps(spec),
    ...eachItem(spec.externalIPs as readonly string[] | undefined, 'spec.externalIPs', (address, at) => {
      const errors = invalidAs(ipAddress(address), at, address);
      return errors.length > 0 ? errors : invalidAs(ordinaryIp(address), at, address);
    }),
    ...neededOneOf(spec.type, 'spec.type', TYPES),
    ...validateUniquePorts(spec),
    ...validateSourceRanges(spec, annotations, context),
    ...validateBalancer(spec),
    ...validateTraffic(spec),
  ];
}

function validateTopologyAnnotations(annotations: Readonly<Record<string, string>>, context: RuleContext): readonly FieldError[] {
  const hints = context.text('service.${labelDomain}/topology-aware-hints');
  const mode = context.text('service.${labelDomain}/topology-mode');
  if (annotations[hints] === undefined || annotations[mode] === undefined || annotations[hints] === annotations[mode]) return [];
  return [invalid(`metadata.annotations[${mode}]`, annotations[mode], `must match annotations[${hints}] when both are specified`)];
}

function validateType(spec: Struct): readonly FieldError[] {
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && isHeadless(spec))
    return [invalid('spec.clusterIPs[0]', NO_ADDRESS, `may not be set to 'None' for ${spec.type} services`)];
  if (spec.type !== 'ExternalName') return [];
  const unused = 'may not be set for ExternalName services';
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  return [
    ...((spec.clusterIPs ?? []).length > 0 ? [forbidden('spec.clusterIPs', unused)] : []),
    ...((spec.ipFamilies ?? []).length > 0 ? [forbidden('spec.ipFamilies', unused)] : []),
    ...(spec.ipFamilyPolicy === undefined ? [] : [forbidden('spec.ipFamilyPolicy', unused)]),
    ...(name === '' ? [required('spec.externalName')] : invalidAs(dnsSubdomain(name), 'spec.externalName', name)),
  ];
}

function validatePorts(ports: readonly Struct[] | undefined): readonly FieldError[] {
  const names = new Set<string>();
  return eachItem(ports, 'spec.ports', ({ name = '', port, protocol, targetPort, appProtocol }, at) => {
    const errors =
      name === '' ? ((ports ?? []).length > 1 ? needed(name, `${at}.name`) : []) : invalidAs(dnsLabel(name), `${at}.name`, name);
    const again = names.has(name) ? [duplicate(`${at}.name`, name)] : [];
    if (name !== '') names.add(name);
    return [
      ...errors,
      ...again,
      ...invalidAs(portNumber(port), `${at}.port`, port ?? 0),
      ...neededOneOf(protocol, `${at}.protocol`, PROTOCOLS),
      ...invalidAs(portNumberOrName(targetPort ?? 0), `${at}.targetPort`, targetPort ?? 0),
      ...(appProtocol === undefined ? [] : invalidAs(qualifiedName(appProtocol), `${at}.appProtocol`, appProtocol)),
    ];
  });
}

const MAX_AFFINITY_SECONDS = 86_400;

function validateAffinity({ sessionAffinity, sessionAffinityConfig: config }: Struct, path: string): readonly FieldError[] {
  if (sessionAffinity === 'None') return config === undefined ? [] : [forbidden(path, 'must not be set when session affinity is None')];
  if (sessionAffinity !== 'ClientIP') return [];
  const needing = 'when session affinity type is ClientIP';
  if (config === undefined) return [required(path, needing)];
  if (config.clientIP === undefined) return [required(`${path}.clientIP`, needing)];
  const seconds: number | undefined = config.clientIP.timeoutSeconds;
  if (seconds === undefined) return [required(`${path}.clientIP.timeoutSeconds`, needing)];
  if (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS) return [];
  return [invalid(`${path}.clientIP.timeoutSeconds`, seconds, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`)];
}

/** Addresses, their families, and the policy that chooses the families; also before addresses are allocated. */
export function validateClusterIps(spec: Struct): readonly FieldError[] {
  if (!needsAddress(spec)) return [];
  const path = 'spec.clusterIPs';
  const addresses: readonly string[] = spec.clusterIPs ?? [];
  const errors = [
    ...validateSingular(spec.clusterIP ?? '', addresses, path),
    ...validateFamilies(spec.ipFamilies, 'spec.ipFamilies'),
    ...oneOf(spec.ipFamilyPolicy, 'spec.ipFamilyPolicy', ['PreferDualStack', 'RequireDualStack', 'SingleStack']),
  ];
  const malformed = eachItem(addresses, path, (address, at, index) => {
    if (index > 0 || address !== NO_ADDRESS) return invalidAs(ipAddress(address), at, address);
    return addresses.length > 1 ? [invalid(path, addresses, "'None' must be the first and only value")] : [];
  });
  errors.push(...malformed);
  if (addresses.length > 2) errors.push(invalid(path, addresses, 'may only hold up to 2 values'));
  if (malformed.length > 0) return errors;
  const families = addresses.map(familyOf);
  if (addresses.length > 1 && new Set(families).size < 2)
    errors.push(invalid(path, addresses, 'may specify no more than one IP for each IP family'));
  return isHeadless(spec) ? errors : [...errors, ...validateFamilyMatch(addresses, spec.ipFamilies ?? [], path)];
}

function validateSingular(address: string, addresses: readonly string[], path: string): readonly FieldError[] {
  if (address === '') return addresses.length === 0 ? [] : [invalid(path, addresses, 'must be empty when `clusterIP` is not specified')];
  if (addresses.length === 0) return [required(path)];
  return addresses[0] === address ? [] : [invalid(path, addresses, 'first value must match `clusterIP`')];
}

function validateFamilies(families: readonly string[] | undefined, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return eachItem(families, path, (family, at) => {
    const errors = [...oneOf(family, at, ['IPv4', 'IPv6'])];
    if (seen.has(family)) errors.push(duplicate(at, family));
    seen.add(family);
    return errors;
  });
}

function validateFamilyMatch(addresses: readonly string[], families: readonly string[], path: string): readonly FieldError[] {
  return eachItem(addresses, path, (address, at, index) => {
    const expected = families[index];
    if (expected === undefined || familyOf(address) === expected) return [];
    return [invalid(at, address, `expected an ${expected} value as indicated by \`ipFamilies[${index}]\``)];
  });
}

function validateUniquePorts({ type, ports }: Struct): readonly FieldError[] {
  const list: readonly Struct[] = ports ?? [];
  const nodePorts = new Set<string>();
  const servicePorts = new Set<string>();
  return [
    ...(type === 'ClusterIP'
      ? eachItem(list, 'spec.ports', ({ nodePort }, at) =>
          nodePort ? [forbidden(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'")] : [],
        )
      : []),
    ...eachItem(list, 'spec.ports', ({ protocol, nodePort }, at) => {
      if (!nodePort) return [];
      const key = `${protocol}/${nodePort}`;
      if (nodePorts.has(key)) return [duplicate(`${at}.nodePort`, nodePort)];
      nodePorts.add(key);
      return [];
    }),
    ...eachItem(list, 'spec.ports', ({ protocol, port }, at) => {
      const key = `${protocol}/${port}`;
      if (servicePorts.has(key)) return [duplicate(at, { protocol, port })];
      servicePorts.add(key);
      return [];
    }),
  ];
}

/** 1.32 writes the member's name with a capital letter. */
function validateSourceRanges(spec: Struct, annotations: Readonly<Record<string, string>>, context: RuleContext): readonly FieldError[] {
  const key = context.text('service.beta.${labelDomain}/load-balancer-source-ranges');
  const given: readonly string[] = spec.loadBalancerSourceRanges ?? [];
  if (given.length === 0 && annotations[key] === undefined) return [];
  const path = given.length > 0 ? 'spec.LoadBalancerSourceRanges' : `metadata.annotations[${key}]`;
  const misplaced = spec.type === 'LoadBalancer' ? [] : [forbidden(path, BALANCER_ONLY)];
  if (given.length > 0) return [...misplaced, ...eachItem(given, path, validateSourceRange)];
  const text = (annotations[key] as string).trim();
  return text === '' ? misplaced : [...misplaced, ...text.split(',').flatMap((range) => validateSourceRange(range, path))];
}

function validateSourceRange(text: string, path: string): readonly FieldError[] {
  const range = text.trim();
  return invalidAs(ipRange(range), path, range);
}

function validateBalancer(spec: Struct): readonly FieldError[] {
  const { type, allocateLoadBalancerNodePorts: allocates } = spec;
  const errors: FieldError[] = [];
  if (type === 'LoadBalancer') {
    if (allocates === undefined) errors.push(required('allocateLoadBalancerNodePorts'));
  } else if (allocates !== undefined) {
    errors.push(forbidden('spec.allocateLoadBalancerNodePorts', BALANCER_ONLY));
  }
  return [...errors, ...validateBalancerClass(spec)];
}

export function validateBalancerClass({ type, loadBalancerClass }: Struct): readonly FieldError[] {
  const path = 'spec.loadBalancerClass';
  if (loadBalancerClass === undefined) return [];
  return type === 'LoadBalancer' ? invalidAs(qualifiedName(loadBalancerClass), path, loadBalancerClass) : [forbidden(path, BALANCER_ONLY)];
}

function validateTraffic(spec: Struct): readonly FieldError[] {
  const { externalTrafficPolicy: external, internalTrafficPolicy: internal, healthCheckNodePort: health = 0 } = spec;
  const errors: FieldError[] = [];
  if (isReachableFromOutside(spec)) errors.push(...neededOneOf(external, 'spec.externalTrafficPolicy', POLICIES));
  else if (external) errors.push(invalid('spec.externalTrafficPolicy', external, 'may only be set for externally-accessible services'));
  const healthPath = 'spec.healthCheckNodePort';
  if (needsHealthPort(spec)) errors.push(...(health === 0 ? [required(healthPath)] : invalidAs(portNumber(health), healthPath, health)));
  else if (health !== 0)
    errors.push(invalid(healthPath, health, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"));
  if (internal === undefined && ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(spec.type))
    errors.push(required('spec.internalTrafficPolicy'));
  return [
    ...errors,
    ...oneOf(internal, 'spec.internalTrafficPolicy', POLICIES),
    ...oneOf(spec.trafficDistribution, 'spec.trafficDistribution', ['PreferClose']),
  ];
}

/** What a balancer has reported. */
export function validateBalancerStatus(status: Struct, path: string): readonly FieldError[] {
  return eachItem(status?.ingress as readonly Struct[] | undefined, `${path}.ingress`, ({ ip, ipMode, hostname }, at) => [
    ...(ip ? invalidAs(ipAddress(ip), `${at}.ip`, ip) : []),
    ...validateIpMode(ip, ipMode, `${at}.ipMode`),
    ...(hostname ? invalidAs(dnsSubdomain(hostname), `${at}.hostname`, hostname) : []),
    ...(hostname ? invalidAs(notAnAddress(hostname), `${at}.hostname`, hostname) : []),
  ]);
}

function validateIpMode(ip: string | undefined, mode: string | undefined, path: string): readonly FieldError[] {
  if (mode === undefined) return ip ? [required(path, 'must be specified when `ip` is set')] : [];
  if (!ip) return [forbidden(path, 'may not be specified when `ip` is not set')];
  return mode === 'VIP' || mode === 'Proxy' ? [] : [notSupported(path, mode, ['Proxy', 'VIP'])];
}
