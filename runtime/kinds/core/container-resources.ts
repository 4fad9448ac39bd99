/** Requests and limits of a container. */

import { duplicate, type FieldError, forbidden, invalid, notFound, notSupported, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { dnsLabel } from '../../formats/names.ts';
import { joined, NONE } from '../joined.ts';
import type { Struct } from '../struct.ts';
import { eachEntry, eachItem, invalidAs } from './findings.ts';
import { compare, validateQuantity, validateWholePages } from './quantities.ts';
import { allowsOvercommit, isHugePages, validateContainerResourceName } from './resource-names.ts';

type ResourceList = Readonly<Record<string, string>>;

/** @param claimNames of the pod's resource claims, which the container may name */
export function validateResources(
  resources: Struct,
  claimNames: readonly string[],
  path: string,
  context: RuleContext,
): readonly FieldError[] {
  const limits: ResourceList = resources.limits ?? {};
  const requests: ResourceList = resources.requests ?? {};
  const names = joined(Object.keys(limits), Object.keys(requests));
  const hugePagesOnly = names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory');
  return joined(
    eachEntry(limits, `${path}.limits`, (name, value, at) =>
      joined(validateEntry(name, value, at, context), isHugePages(name) ? validateWholePages(name, value, at) : NONE),
    ),
    eachEntry(requests, `${path}.requests`, (name, value, at) =>
      joined(
        validateEntry(name, value, at, context),
        validateRequest(name, value, Object.hasOwn(limits, name) ? limits[name] : undefined, path, context),
        isHugePages(name) ? validateWholePages(name, value, at) : NONE,
      ),
    ),
    hugePagesOnly ? [forbidden(path, 'HugePages require cpu or memory')] : NONE,
    validateClaims(resources.claims, claimNames, `${path}.claims`),
  );
}

function validateEntry(name: string, value: string, path: string, context: RuleContext): readonly FieldError[] {
  return joined(validateContainerResourceName(name, path, context), validateQuantity(name, value, path, context));
}

function validateRequest(
  name: string,
  request: string,
  limit: string | undefined,
  path: string,
  context: RuleContext,
): readonly FieldError[] {
  const flexible = allowsOvercommit(name, context);
  if (limit === undefined) return flexible ? NONE : [required(`${path}.limits`, 'Limit must be set for non overcommitable resources')];
  const difference = compare(request, limit);
  if (difference !== 0 && !flexible) return [invalid(`${path}.requests`, request, `must be equal to ${name} limit of ${limit}`)];
  return difference > 0 ? [invalid(`${path}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`)] : NONE;
}

/** A claim may be used as a whole or one request of it at a time, not both. */
function validateClaims(claims: readonly Struct[] | undefined, claimNames: readonly string[], path: string): readonly FieldError[] {
  if (!claims) return NONE;
  const seen = new Set<string>();
  return eachItem(claims, path, ({ name, request }, at) => {
    if (!name) return [required(at)];
    const errors = [...validateClaim(name, request, seen, at)];
    if (!claimNames.includes(name)) {
      const detail = `must be one of the names in pod.spec.resourceClaims${claimNames.length === 0 ? ' which is empty' : `: ${[...claimNames].sort().join(', ')}`}`;
      const missing = notFound(at, name);
      errors.push({ ...missing, message: `${missing.message}: ${detail}` });
    }
    return errors;
  });
}

function validateClaim(name: string, request: string | undefined, seen: Set<string>, path: string): readonly FieldError[] {
  if (seen.has(name)) return [duplicate(path, name)];
  const key = request ? `${name}/${request}` : name;
  const errors = [...(request ? invalidAs(dnsLabel(request), `${path}.request`, request) : NONE)];
  if (seen.has(key)) errors.push(duplicate(path, key));
  else if (!request) for (const other of seen) if (other.startsWith(`${name}/`)) errors.push(duplicate(path, name));
  seen.add(key);
  return errors;
}

const RESIZABLE = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

/** @param restartPolicy of the pod */
export function validateResizePolicy(
  policies: readonly Struct[] | undefined,
  path: string,
  restartPolicy: string | undefined,
): readonly FieldError[] {
  if (!policies) return NONE;
  const seen = new Set<string>();
  return eachItem(policies, path, ({ resourceName = '', restartPolicy: policy = '' }, at) => {
    const errors = [...(seen.has(resourceName) ? [{ ...duplicate(at, resourceName), message: `Duplicate value: ${resourceName}` }] : NONE)];
    seen.add(resourceName);
    errors.push(...requiredOf(resourceName, RESIZABLE, path), ...requiredOf(policy, RESIZE_POLICIES, path));
    if (restartPolicy === 'Never' && policy !== 'NotRequired')
      errors.push(invalid(path, policy, "must be 'NotRequired' when `restartPolicy` is 'Never'"));
    return errors;
  });
}

function requiredOf(value: string, supported: readonly string[], path: string): readonly FieldError[] {
  if (value === '') return [required(path)];
  return supported.includes(value) ? NONE : [notSupported(path, value, supported)];
}
