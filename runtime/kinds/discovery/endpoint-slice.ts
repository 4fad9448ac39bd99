import { duplicate, type FieldError, internal, invalid, required, tooMany } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { familyOf, ordinaryIp } from '../../formats/addresses.ts';
import { labelValue, qualifiedName } from '../../formats/labels.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { deepEqual } from '../../schema/equal.ts';
import { PROTOCOLS } from '../core/containers.ts';
import { eachItem, invalidAs, neededOneOf } from '../core/findings.ts';
import { unchanged } from '../immutable.ts';
import { validateLabels } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';

type List = readonly Struct[] | null | undefined;

const ADDRESS_TYPES: readonly string[] = ['FQDN', 'IPv4', 'IPv6'];
const MOST_ENDPOINTS = 1000;
const MOST_ADDRESSES = 100;
const MOST_TOPOLOGY_LABELS = 16;
const MOST_ZONES = 8;
const MOST_PORTS = 20_000;

/** Keys of the topology that fields have taken the place of. */
export interface TopologyKeys {
  readonly zone: string;
  readonly node: string;
}

export function topologyKeys(identity: Identity): TopologyKeys {
  return { zone: identity.text('topology.${labelDomain}/zone'), node: identity.text('${labelDomain}/hostname') };
}

function validateSlice({ addressType, endpoints, ports }: ApiObject, keys: TopologyKeys): readonly FieldError[] {
  return [
    ...neededOneOf(addressType, 'addressType', ADDRESS_TYPES),
    ...(endpoints?.length > MOST_ENDPOINTS
      ? [tooMany('endpoints', endpoints.length, MOST_ENDPOINTS)]
      : eachItem(endpoints as List, 'endpoints', (endpoint, path) => validateEndpoint(endpoint, path, addressType, keys))),
    ...validatePorts(ports),
  ];
}

function validateEndpoint(endpoint: Struct, path: string, addressType: string, keys: TopologyKeys): readonly FieldError[] {
  const { nodeName, deprecatedTopology, hostname, hints } = endpoint;
  const topologyPath = `${path}.deprecatedTopology`;
  const labels = Object.keys(deprecatedTopology ?? {}).length;
  return [
    ...validateAddresses(endpoint.addresses ?? [], `${path}.addresses`, addressType),
    ...(nodeName === undefined ? [] : invalidAs(dnsSubdomain(nodeName), `${path}.nodeName`, nodeName)),
    ...(labels > MOST_TOPOLOGY_LABELS ? [tooMany(topologyPath, labels, MOST_TOPOLOGY_LABELS)] : []),
    ...validateLabels(deprecatedTopology, topologyPath),
    ...(deprecatedTopology?.[keys.zone] === undefined
      ? []
      : [internal(`${topologyPath}[${keys.zone}]`, 'reserved key was not removed in conversion')]),
    ...(hostname === undefined ? [] : invalidAs(dnsLabel(hostname), `${path}.hostname`, hostname)),
    ...validateZones(hints?.forZones ?? [], `${path}.hints.forZones`),
  ];
}

function validateAddresses(addresses: readonly string[], path: string, addressType: string): readonly FieldError[] {
  const count =
    addresses.length === 0
      ? [required(path, 'must contain at least 1 address')]
      : addresses.length > MOST_ADDRESSES
        ? [tooMany(path, addresses.length, MOST_ADDRESSES)]
        : [];
  return [...count, ...eachItem(addresses, path, (address, at) => validateAddress(address, at, addressType))];
}

function validateAddress(address: string, path: string, addressType: string): readonly FieldError[] {
  if (addressType === 'FQDN') return validateDomainName(address, path);
  if (addressType !== 'IPv4' && addressType !== 'IPv6') return [];
  return [
    ...(familyOf(address) === addressType ? [] : [invalid(path, address, `must be a valid ${addressType} address`)]),
    ...invalidAs(ordinaryIp(address), path, address),
  ];
}

/** At least two labels; one dot may follow the last. */
function validateDomainName(text: string, path: string): readonly FieldError[] {
  if (text === '') return [required(path)];
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const messages = dnsSubdomain(name);
  if (messages.length > 0) return [invalid(path, name, messages.join(','))];
  const labels = name.split('.');
  if (labels.length < 2) return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  const wrong = labels.find((label) => dnsLabel(label).length > 0);
  return wrong === undefined ? [] : [invalid(path, wrong, dnsLabel(wrong).join(','))];
}

function validateZones(zones: readonly Struct[], path: string): readonly FieldError[] {
  if (zones.length > MOST_ZONES) return [tooMany(path, zones.length, MOST_ZONES)];
  const seen = new Set<string>();
  return eachItem(zones, path, ({ name = '' }, at) => [
    ...repeated(name, seen, `${at}.name`),
    ...invalidAs(labelValue(name), `${at}.name`, name),
  ]);
}

function validatePorts(ports: List): readonly FieldError[] {
  if (ports && ports.length > MOST_PORTS) return [tooMany('ports', ports.length, MOST_PORTS)];
  const seen = new Set<string>();
  return eachItem(ports, 'ports', ({ name = '', protocol, appProtocol }, at) => [
    ...(name === '' ? [] : invalidAs(dnsLabel(name), `${at}.name`, name)),
    ...repeated(name, seen, `${at}.name`),
    ...neededOneOf(protocol, `${at}.protocol`, PROTOCOLS),
    ...(appProtocol === undefined ? [] : invalidAs(qualifiedName(appProtocol), `${at}.appProtocol`, appProtocol)),
  ]);
}

/** @param seen names so far; gets this one */
function repeated(name: string, seen: Set<string>, path: string): readonly FieldError[] {
  if (seen.has(name)) return [duplicate(path, name)];
  seen.add(name);
  return [];
}

/**
 * Topology cannot be written at this version. It stays while the endpoints stay as they were; in changed ones its node name, if it was
 * there before, becomes the node name that the endpoint lacks.
 */
function dropTopology(object: ApiObject, old: ApiObject | undefined, keys: TopologyKeys): void {
  if (old !== undefined && deepEqual(old.endpoints, object.endpoints)) return;
  // What is dropped counts as a change.
  if (old !== undefined) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  const nodes = new Set(((old?.endpoints ?? []) as Struct[]).map(({ deprecatedTopology }) => deprecatedTopology?.[keys.node]));
  for (const endpoint of (object.endpoints ?? []) as Struct[]) {
    const node: string | undefined = endpoint.deprecatedTopology?.[keys.node];
    if (endpoint.nodeName === undefined && node !== undefined && nodes.has(node) && dnsSubdomain(node).length === 0)
      endpoint.nodeName = node;
    delete endpoint.deprecatedTopology;
  }
}

export function rules(identity: Identity): KindRules {
  const keys = topologyKeys(identity);
  return {
    prepareForCreate: (object) => dropTopology(object, undefined, keys),
    prepareForUpdate: (object, old) => dropTopology(object, old, keys),
    validate: (object) => validateSlice(object, keys),
    validateUpdate: (object, old) => unchanged(object.addressType, old.addressType, 'addressType'),
    warnings: (object, old) =>
      old === undefined && object.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [],
  };
}
