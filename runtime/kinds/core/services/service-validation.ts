/** What the schema cannot say of services. */
import type { Service, ServicePort, ServiceSpec } from '../../../../generated/core/v1/types.ts';
import { duplicate, type FieldError, forbidden, invalid, Notation } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { ipRange } from '../../../formats/addresses.ts';
import { dnsSubdomain } from '../../../formats/names.ts';
import { goQuote } from '../../../go-text/quote.ts';
import { joined, NONE } from '../../../validation/joined.ts';
import { eachItem, invalidAs, neededAs } from '../../findings.ts';
import { specOf } from './service-spec.ts';

export const HINTS = 'service.${labelDomain}/topology-aware-hints';
export const MODE = 'service.${labelDomain}/topology-mode';
const SOURCE_RANGES = 'service.beta.${labelDomain}/load-balancer-source-ranges';

export function topologyAnnotations({ metadata }: Service, _old: unknown, context: RuleContext): readonly FieldError[] {
  const [hints, mode] = [context.text(HINTS), context.text(MODE)];
  const { [hints]: stated, [mode]: chosen } = metadata.annotations ?? {};
  if (stated === undefined || chosen === undefined || stated === chosen) return NONE;
  return [invalid(`.metadata.annotations[${mode}]`, chosen, `must match annotations[${hints}] when both are specified`)];
}

/** One dot may follow the name. */
export function externalName(spec: ServiceSpec): readonly FieldError[] {
  return neededAs((spec.externalName ?? '').replace(/\.$/, ''), '.externalName', dnsSubdomain);
}

/** Ports differ in protocol and number, and so do their node ports. */
export function differentPorts({ ports }: ServiceSpec): readonly FieldError[] {
  const nodePorts = new Set<string>();
  const servicePorts = new Set<string>();
  return joined(
    eachItem(ports, '.ports', ({ protocol, nodePort }, at) => {
      if (!nodePort || isNew(nodePorts, `${protocol}/${nodePort}`)) return NONE;
      return [duplicate(`${at}.nodePort`, nodePort)];
    }),
    eachItem(ports, '.ports', (port, at) =>
      isNew(servicePorts, `${port.protocol}/${port.port}`) ? NONE : [duplicate(at, new Notation(structureOf(port)))],
    ),
  );
}

function isNew(known: Set<string>, key: string): boolean {
  return known.size < known.add(key).size;
}

/** 1.32 compares ports that have nothing but these two members, and shows one of those. */
function structureOf({ protocol, port }: ServicePort): string {
  const target = 'intstr.IntOrString{Type:0, IntVal:0, StrVal:""}';
  const text = goQuote(protocol ?? '');
  return `core.ServicePort{Name:"", Protocol:${text}, AppProtocol:(*string)(nil), Port:${port}, TargetPort:${target}, NodePort:0}`;
}

/** 1.32 writes the member's name with a capital letter. */
export function sourceRanges(service: Service, _old: unknown, context: RuleContext): readonly FieldError[] {
  const key = context.text(SOURCE_RANGES);
  const { type, loadBalancerSourceRanges: given = [] } = specOf(service);
  const annotation = service.metadata.annotations?.[key];
  if (given.length === 0 && annotation === undefined) return NONE;
  const path = given.length > 0 ? '.spec.LoadBalancerSourceRanges' : `.metadata.annotations[${key}]`;
  const text = (annotation ?? '').trim();
  return joined(
    type === 'LoadBalancer' ? NONE : [forbidden(path, "may only be used when `type` is 'LoadBalancer'")],
    given.length > 0
      ? eachItem(given, path, validateRange)
      : text === ''
        ? NONE
        : text.split(',').flatMap((range) => validateRange(range, path)),
  );
}

function validateRange(text: string, path: string): readonly FieldError[] {
  const range = text.trim();
  return invalidAs(ipRange(range), path, range);
}
