import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { dns1035Label } from '../../formats/names.ts';
import { portName, portNumber } from '../../formats/ports.ts';
import { invalidAs, neededAs } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { validateLocalReference } from './local-reference.ts';

/** A destination is a service with one port, or another object. */
export function validateBackend({ resource, service }: Struct, path: string): readonly FieldError[] {
  if (resource !== undefined && service !== undefined) return [invalid(path, '', 'cannot set both resource and service backends')];
  if (resource !== undefined) return validateLocalReference(resource, `${path}.resource`);
  if (service === undefined) return [invalid(path, '', 'resource or service backend is required')];
  return [...neededAs(service.name, `${path}.service.name`, dns1035Label), ...validatePort(service.port ?? {}, path)];
}

/** @param path of the backend, where 1.32 reports ports that are missing or given twice */
function validatePort({ name, number }: Struct, path: string): readonly FieldError[] {
  if (name && number) return [invalid(path, '', 'cannot set both port name & port number')];
  if (name) return invalidAs(portName(name), `${path}.service.port.name`, name);
  if (number) return invalidAs(portNumber(number), `${path}.service.port.number`, number);
  return [required(path, 'port name or number is required')];
}
