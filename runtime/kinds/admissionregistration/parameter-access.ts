/**
 * Who writes a policy, or a binding of one, must be allowed to read its parameters: expressions may put what they read into objects and messages of others
 * (registry/admissionregistration of 1.32, `authz.go`).
 */
import type { ParamKind, ParamRef } from '../../../generated/admissionregistration/v1/types.ts';
import { type FieldError, forbidden } from '../../contract/field-error.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { WriteAccess } from '../../contract/write-access.ts';
import { deepEqual } from '../../schema/equal.ts';
import { newInvalid } from '../../status/status.ts';
import { mayDoAll } from '../rbac/escalation.ts';

/** Of validating and mutating policies alike. */
interface AnyPolicy {
  readonly kind: string;
  readonly metadata: { readonly name?: string };
  readonly spec?: { readonly paramKind?: Partial<ParamKind> };
}
interface AnyBinding {
  readonly kind: string;
  readonly metadata: { readonly name?: string };
  readonly spec?: { readonly policyName?: string; readonly paramRef?: ParamRef };
}

/** Parameters may be any objects of their kind: bindings say which. @throws StatusError Invalid */
export async function authorizePolicy(policy: AnyPolicy, old: AnyPolicy | undefined, access: WriteAccess): Promise<void> {
  const paramKind = policy.spec?.paramKind;
  if (paramKind === undefined || deepEqual(old?.spec?.paramKind, paramKind) || mayDoAll(access)) return;
  if (await access.allows({ verb: 'get', ...resourceOf(paramKind, access), namespace: '*', name: '*' })) return;
  const { kind = '', apiVersion = '' } = paramKind;
  const objects = `all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
  throw refused(policy, access, forbidden('spec.paramKind', `user ${shownUser(access)} must have "get" permission on ${objects}`));
}

/** Every write with a reference is asked about: 1.32 compares with what was there before by pointers, which are never the same. @param policies their resource */
export const authorizeBinding =
  (policies: string, lacks: (user: string, verb: string) => string = lacksRight) =>
  async (binding: AnyBinding, _old: unknown, access: WriteAccess): Promise<void> => {
    const { policyName = '', paramRef } = binding.spec ?? {};
    if (paramRef === undefined || mayDoAll(access)) return;
    const policy: ApiObject | undefined = access.stored(policies, policyName);
    const { name = '', namespace = '' } = paramRef;
    const verb = name === '' ? 'list' : 'get';
    if (await access.allows({ verb, ...resourceOf(policy?.spec?.paramKind, access), namespace, name })) return;
    throw refused(binding, access, forbidden('spec.paramRef', lacks(shownUser(access), verb)));
  };

export const lacksRight = (user: string, verb: string): string =>
  `user ${user} does not have "${verb}" permission on the object referenced by paramRef`;

/** The resource of a kind; all that it may be, where that is not known. */
function resourceOf(
  paramKind: Partial<ParamKind> | undefined,
  access: WriteAccess,
): { readonly group: string; readonly version: string; readonly resource: string } {
  const { apiVersion = '', kind = '' } = paramKind ?? {};
  const parts = apiVersion.split('/');
  if (paramKind === undefined || parts.length > 2) return { group: '*', version: '*', resource: '*' };
  const group = parts.length === 2 ? (parts[0] as string) : '';
  return { group, version: parts.at(-1) as string, resource: access.resourceOf(apiVersion, kind) ?? '*' };
}

/** As Go shows a user. */
function shownUser({ user: { name, uid, groups, extra } }: WriteAccess): string {
  const shown = Object.entries(extra).map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${name} ${uid} [${groups.join(' ')}] map[${shown.sort().join(' ')}]}`;
}

const refused = ({ kind, metadata }: AnyPolicy | AnyBinding, { group }: WriteAccess, error: FieldError): Error =>
  newInvalid({ group, kind }, metadata.name ?? '', [error]);
