import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { ipRange } from '../../formats/addresses.ts';
import { masked, type ParsedRange, parseLenientRange } from '../../formats/ip-text.ts';
import { portName, portNumber } from '../../formats/ports.ts';
import { eachItem, invalidAs } from '../core/findings.ts';
import { validateLabelSelector } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';

type List = readonly Struct[] | undefined;

const PROTOCOLS: readonly string[] = ['TCP', 'UDP', 'SCTP'];
const POLICY_TYPES: readonly string[] = ['Ingress', 'Egress'];

function validate({ spec }: ApiObject): readonly FieldError[] {
  return [
    ...validateLabelSelector(spec?.podSelector, 'spec.podSelector'),
    ...validateRules(spec?.ingress, 'spec.ingress', 'from'),
    ...validateRules(spec?.egress, 'spec.egress', 'to'),
    ...validatePolicyTypes(spec?.policyTypes, 'spec.policyTypes'),
  ];
}

function validateRules(rules: List, path: string, peers: 'from' | 'to'): readonly FieldError[] {
  return eachItem(rules, path, (rule, at) => [
    ...eachItem(rule.ports as List, `${at}.ports`, validatePort),
    ...eachItem(rule[peers] as List, `${at}.${peers}`, validatePeer),
  ]);
}

function validatePort({ protocol, port, endPort }: Struct, path: string): readonly FieldError[] {
  const known = protocol === undefined || PROTOCOLS.includes(protocol);
  return [
    ...(known ? [] : [notSupported(`${path}.protocol`, protocol, PROTOCOLS)]),
    ...(typeof port === 'string'
      ? [...refuseEnd(endPort, path, 'may not be specified when `port` is non-numeric'), ...invalidAs(portName(port), `${path}.port`, port)]
      : port === undefined
        ? refuseEnd(endPort, path, 'may not be specified when `port` is not specified')
        : [...invalidAs(portNumber(port), `${path}.port`, port), ...validateEnd(endPort, port, `${path}.endPort`)]),
  ];
}

function refuseEnd(endPort: number | undefined, path: string, detail: string): readonly FieldError[] {
  return endPort === undefined ? [] : [invalid(`${path}.endPort`, endPort, detail)];
}

function validateEnd(endPort: number | undefined, port: number, path: string): readonly FieldError[] {
  if (endPort === undefined) return [];
  return [
    ...(endPort < port ? [invalid(path, port, 'must be greater than or equal to `port`')] : []),
    ...invalidAs(portNumber(endPort), path, endPort),
  ];
}

function validatePeer({ podSelector, namespaceSelector, ipBlock }: Struct, path: string): readonly FieldError[] {
  const bySelector = podSelector !== undefined || namespaceSelector !== undefined;
  return [
    ...validateLabelSelector(podSelector, `${path}.podSelector`),
    ...validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`),
    ...(ipBlock === undefined ? [] : validateBlock(ipBlock, `${path}.ipBlock`)),
    ...(bySelector || ipBlock !== undefined ? [] : [required(path, 'must specify a peer')]),
    ...(bySelector && ipBlock !== undefined ? [forbidden(path, 'may not specify both ipBlock and another peer')] : []),
  ];
}

function validateBlock({ cidr, except }: Struct, path: string): readonly FieldError[] {
  if (!cidr) return [required(`${path}.cidr`)];
  const errors = invalidAs(ipRange(cidr), `${path}.cidr`, cidr);
  if (errors.length > 0) return errors;
  const whole = parseLenientRange(cidr);
  return eachItem(except as string[] | undefined, `${path}.except`, (text, at) => {
    const wrong = invalidAs(ipRange(text), at, text);
    if (wrong.length > 0) return wrong;
    return isStrictlyWithin(parseLenientRange(text), whole) ? [] : [invalid(at, text, 'must be a strict subset of `cidr`')];
  });
}

function isStrictlyWithin(part: ParsedRange | undefined, whole: ParsedRange | undefined): boolean {
  if (part === undefined || whole === undefined) return false;
  if (part.address.bytes.length !== whole.address.bytes.length || part.bits <= whole.bits) return false;
  const network = masked(whole.address.bytes, whole.bits);
  return masked(part.address.bytes, whole.bits).every((byte, index) => byte === network[index]);
}

function validatePolicyTypes(types: readonly string[] | undefined, path: string): readonly FieldError[] {
  if ((types ?? []).length > POLICY_TYPES.length) return [invalid(path, types, 'may not specify more than two policyTypes')];
  return eachItem(types, path, (type, at) => (POLICY_TYPES.includes(type) ? [] : [notSupported(at, type, POLICY_TYPES)]));
}

export const rules: KindRules = {
  validate,
  /** 1.32 looks twice at a changed policy, and its answers list each finding twice. */
  validateUpdate: validate,
};
