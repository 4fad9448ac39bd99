/** What RoleBindings and ClusterRoleBindings share: a reference to a role that never changes, and the subjects that get its rights. */
import { type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { dnsSubdomain, pathSegment } from '../../formats/names.ts';
import { deepEqual } from '../../schema/equal.ts';
import type { Struct } from '../struct.ts';
import { authorizeBinding } from './escalation.ts';

export interface BindingOptions {
  readonly namespaced: boolean;
  /** kinds of role that may be referred to, as they are shown */
  readonly roleKinds: readonly string[];
}

export function bindingRules(identity: Identity, options: BindingOptions): KindRules {
  const group = identity.text('rbac.authorization.${groupDomain}');
  const validate = (binding: ApiObject): FieldError[] => [
    ...validateRoleReference(binding.roleRef, options.roleKinds, group, 'roleRef'),
    ...((binding.subjects ?? []) as Struct[]).flatMap((subject, index) =>
      validateSubject(subject, options.namespaced, group, `subjects[${index}]`),
    ),
  ];
  return {
    authorizeWrite: authorizeBinding,
    validate,
    /** 1.32 validates an updated binding twice and reports each finding twice. */
    validateUpdate: (binding, old) => [
      ...validate(binding),
      ...(deepEqual(binding.roleRef, old.roleRef) ? [] : [invalid('roleRef', binding.roleRef, 'cannot change roleRef')]),
    ],
  };
}

function validateRoleReference(reference: Struct, kinds: readonly string[], group: string, path: string): FieldError[] {
  const { apiGroup, kind, name } = reference;
  const errors: FieldError[] = [];
  if (apiGroup !== group) errors.push(notSupported(`${path}.apiGroup`, apiGroup, [group]));
  if (!kinds.includes(kind)) errors.push(notSupported(`${path}.kind`, kind, kinds));
  if (name === '') errors.push(required(`${path}.name`));
  else errors.push(...pathSegment(name).map((message) => invalid(`${path}.name`, name, message)));
  return errors;
}

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

function validateSubject(subject: Struct, namespaced: boolean, group: string, path: string): FieldError[] {
  const { kind, name, apiGroup = '' } = subject;
  const errors = name === '' ? [required(`${path}.name`)] : [];
  switch (kind) {
    case 'ServiceAccount':
      return [...errors, ...validateServiceAccount(subject, namespaced, path)];
    case 'User':
    case 'Group':
      return apiGroup === group ? errors : [...errors, notSupported(`${path}.apiGroup`, apiGroup, [group])];
    default:
      return [...errors, notSupported(`${path}.kind`, kind, SUBJECT_KINDS)];
  }
}

/** In a RoleBinding the namespace may be left out, and grants nothing then. */
function validateServiceAccount({ name, apiGroup, namespace }: Struct, namespaced: boolean, path: string): FieldError[] {
  const errors = name === '' ? [] : dnsSubdomain(name).map((message) => invalid(`${path}.name`, name, message));
  if (apiGroup) errors.push(notSupported(`${path}.apiGroup`, apiGroup, ['']));
  if (!namespaced && !namespace) errors.push(required(`${path}.namespace`));
  return errors;
}
