/** Where an ingress leads: a service with one port, or another object. */
import type { TypedLocalObjectReference } from '../../../generated/core/v1/types.ts';
import type { IngressBackend, ServiceBackendPort } from '../../../generated/networking/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { dns1035Label, dnsSubdomain, pathSegment } from '../../formats/names.ts';
import { portName, portNumber } from '../../formats/ports.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { invalidAs, needed, neededAs } from '../findings.ts';

/** The default one; those of paths are found with their paths. */
export function backend({ resource, service }: IngressBackend): readonly FieldError[] {
  if (service !== undefined && resource !== undefined) return [invalid('', '', 'cannot set both resource and service backends')];
  if (resource !== undefined) return validateReference(resource);
  if (service === undefined) return [invalid('', '', 'resource or service backend is required')];
  return joined(neededAs(service.name, '.service.name', dns1035Label), validatePort(service.port));
}

/** Ports that are missing or given twice are reported at the backend in 1.32. */
function validatePort({ name, number }: ServiceBackendPort = {}): readonly FieldError[] {
  if (name && number) return [invalid('', '', 'cannot set both port name & port number')];
  if (name) return invalidAs(portName(name), '.service.port.name', name);
  return number ? invalidAs(portNumber(number), '.service.port.number', number) : [required('', 'port name or number is required')];
}

function validateReference({ apiGroup, kind, name }: TypedLocalObjectReference): readonly FieldError[] {
  const segment = (value: string, member: string): readonly FieldError[] =>
    value ? invalidAs(pathSegment(value), `.resource.${member}`, value) : needed(value, `.resource.${member}`, `${member} is required`);
  return joined(
    apiGroup === undefined || apiGroup === null ? NONE : invalidAs(dnsSubdomain(apiGroup), '.resource.apiGroup', apiGroup),
    segment(kind, 'kind'),
    segment(name, 'name'),
  );
}
