/** Rules that pick requests by operation, group, version and resource. */
import type { MatchResources, Rule, RuleWithOperations } from '../../../generated/admissionregistration/v1/types.ts';
import { type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import { NONE } from '../../validation/joined.ts';

/** Operations whose requests carry an object that a policy can change. */
const CHANGING: readonly string[] = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** Of the rules of a policy that changes objects. 1.32 does not say in which rule an operation stands. */
export function changingOperations({ resourceRules = [] }: MatchResources): readonly FieldError[] {
  const others = resourceRules.flatMap(({ operations = [] }) => operations.filter((operation) => !CHANGING.includes(operation)));
  return others.map((operation) => notSupported('.resourceRules.operations', operation, CHANGING));
}

export function loneOperation({ operations }: RuleWithOperations): readonly FieldError[] {
  return loneWildcard(operations ?? [], '.operations', 'operations', 'admissionregistration.OperationType');
}

export function loneGroup({ apiGroups }: Rule): readonly FieldError[] {
  return loneWildcard(apiGroups ?? [], '.apiGroups', 'API groups');
}

export function loneVersion({ apiVersions }: Rule): readonly FieldError[] {
  return loneWildcard(apiVersions ?? [], '.apiVersions', 'API versions');
}

function loneWildcard(values: readonly string[], path: string, what: string, type?: string): readonly FieldError[] {
  if (values.length === 1 || !values.includes('*')) return NONE;
  return [invalidShown(path, goStrings(values, type), `if '*' is present, must not specify other ${what}`)];
}

/** Resources and `resource/subresource`; either side may be `*`, and then no other entry may say the same again. */
export function coveredResources({ resources = [] }: Rule): readonly FieldError[] {
  const errors: FieldError[] = [];
  const whole = { resources: new Set<string>(), subresources: new Set<string>() };
  let lastIsPlain = false;
  for (const [index, entry] of resources.entries()) {
    const slash = entry.indexOf('/');
    if (entry === '') errors.push(required(`.resources[${index}]`));
    else if (slash === -1) lastIsPlain = entry !== '*';
    else errors.push(...coveredEntry(entry, slash, index, whole));
  }
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalidShown('.resources', goStrings(resources), "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && lastIsPlain)
    errors.push(
      invalidShown('.resources', goStrings(resources), "if '*' is present, must not specify other resources without subresources"),
    );
  return errors;
}

/** @param whole resources and subresources of which all are named before; gets those of this entry */
function coveredEntry(
  entry: string,
  slash: number,
  index: number,
  whole: { readonly resources: Set<string>; readonly subresources: Set<string> },
): FieldError[] {
  const [resource, subresource] = [entry.slice(0, slash), entry.slice(slash + 1)];
  const covering = [
    ...(whole.resources.has(resource) ? [`${resource}/*`] : []),
    ...(whole.subresources.has(subresource) ? [`*/${subresource}`] : []),
  ];
  if (subresource === '*') whole.resources.add(resource);
  if (resource === '*') whole.subresources.add(subresource);
  return covering.map((other) => invalid(`.resources[${index}]`, entry, `if '${other}' is present, must not specify ${entry}`));
}
