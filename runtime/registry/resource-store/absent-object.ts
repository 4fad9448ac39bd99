/** What those are told who name an object that is not stored. */
import { pathSegment } from '../../formats/names.ts';
import { type GroupResource, newBadRequest, newNotFound, type StatusError } from '../../status/status.ts';

/** NotFound; BadRequest for a name under which nothing can be stored, whoever reads or writes it, and wherever the name was said. */
export function newAbsent(resource: GroupResource, name: string): StatusError {
  const fault = nameFault(name);
  return fault === undefined ? newNotFound(resource, name) : newBadRequest(fault);
}

/** @returns undefined for a name that the key of an object may end with */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'Name parameter required.';
  const problems = pathSegment(name);
  return problems.length === 0 ? undefined : `Name parameter invalid: ${JSON.stringify(name)}: ${problems.join(';')}`;
}
