import type { Endpoint, EndpointSlice } from '../../../generated/discovery/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { Rule } from '../../contract/kind.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { ipv4, ipv6, ordinaryIp } from '../../formats/addresses.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { deepEqual } from '../../schema/equal.ts';
import { NONE } from '../../validation/joined.ts';
import { invalidAs } from '../findings.ts';

/** Keys of the topology that fields have taken the place of. */
export interface TopologyKeys {
  readonly zone: string;
  readonly node: string;
}

export function topologyKeys(identity: Identity): TopologyKeys {
  return { zone: identity.text('topology.${labelDomain}/zone'), node: identity.text('${labelDomain}/hostname') };
}

/** The scope of all that is in a slice. */
export const addressType = (slice: EndpointSlice): string => slice.addressType;

const ADDRESSES: Readonly<Record<string, (address: string) => readonly FieldError[]>> = {
  FQDN: (name) => (name === '' ? [required('')] : domainName(name)),
  IPv4: (address) => invalidAs([...ipv4(address), ...ordinaryIp(address)], '', address),
  IPv6: (address) => invalidAs([...ipv6(address), ...ordinaryIp(address)], '', address),
};

export const address: Rule<string, string> = (value, _old, _context, type) => ADDRESSES[type]?.(value) ?? NONE;

/** At least two labels; one dot may follow the last. */
function domainName(text: string): readonly FieldError[] {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const labels = name.split('.');
  const found = [
    { part: name, message: dnsSubdomain(name).join(',') },
    { part: name, message: labels.length < 2 ? 'should be a domain with at least two segments separated by dots' : '' },
    ...labels.map((label) => ({ part: label, message: dnsLabel(label).join(',') })),
  ].find(({ message }) => message !== '');
  return found === undefined ? NONE : [invalid('', found.part, found.message)];
}

const NO_ENDPOINTS: readonly Endpoint[] = [];

/**
 * Topology cannot be written at this version. It stays while the endpoints stay as they were; in changed ones its node name, if it was
 * there before, becomes the node name that the endpoint lacks.
 */
function dropTopology(slice: EndpointSlice, old: EndpointSlice | undefined, keys: TopologyKeys): void {
  if (old !== undefined && deepEqual(old.endpoints, slice.endpoints)) return;
  // What is dropped counts as a change.
  if (old !== undefined) slice.metadata.generation = (old.metadata.generation ?? 0) + 1;
  const nodes = new Set((old?.endpoints ?? NO_ENDPOINTS).map(({ deprecatedTopology }) => deprecatedTopology?.[keys.node]));
  for (const endpoint of slice.endpoints ?? NO_ENDPOINTS) {
    const node = endpoint.deprecatedTopology?.[keys.node];
    if (endpoint.nodeName === undefined && node !== undefined && nodes.has(node) && dnsSubdomain(node).length === 0)
      endpoint.nodeName = node;
    delete endpoint.deprecatedTopology;
  }
}

/** Versions before this one had the topology as a field. */
const writesTopology = ({ request }: RuleContext): boolean => /\/v1(?:alpha|beta)1$/.test(request.version);

export function rules(identity: Identity): KindRules<EndpointSlice> {
  const keys = topologyKeys(identity);
  return {
    prepareForCreate: (slice, context) => {
      if (!writesTopology(context)) dropTopology(slice, undefined, keys);
    },
    prepareForUpdate: (slice, old, context) => {
      if (!writesTopology(context)) dropTopology(slice, old, keys);
    },
    warnings: (slice, old) =>
      old === undefined && slice.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [],
  };
}
