/** Bindings of v1alpha1, whose subjects name an apiVersion instead of a group, and know `*` for every user who is authenticated. */
import type { Subject } from '../../../generated/rbac/v1/types.ts';
import type { Subject as OldSubject } from '../../../generated/rbac/v1alpha1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';

const ALL_AUTHENTICATED = 'system:authenticated';

export function conversion(identity: Identity): ConversionFunctions {
  const group = identity.text('rbac.authorization.${groupDomain}');
  return {
    toHub: (object) => eachSubject(object, (subject: OldSubject) => subjectToV1(subject, group)),
    fromHub: (object) => eachSubject(object, (subject: Subject) => subjectFromV1(subject, group)),
  };
}

function eachSubject<From>(object: ApiObject, convert: (subject: From) => Subject | OldSubject): ApiObject {
  if (Array.isArray(object.subjects)) object.subjects = object.subjects.map(convert);
  return object;
}

function subjectToV1({ kind, apiVersion = '', name, namespace }: OldSubject, group: string): Subject {
  const apiGroup = groupOf(kind, apiVersion, group);
  const everybody = apiGroup === group && kind === 'User' && name === '*';
  return {
    kind: everybody ? 'Group' : kind,
    ...(apiGroup !== '' && { apiGroup }),
    name: everybody ? ALL_AUTHENTICATED : name,
    ...(namespace !== undefined && { namespace }),
  };
}

function groupOf(kind: string, apiVersion: string, group: string): string {
  if (kind === 'ServiceAccount') return '';
  if (kind === 'User' || kind === 'Group') return group;
  const [of = '', ...rest] = apiVersion.split('/');
  return rest.length === 1 ? of : '';
}

function subjectFromV1({ kind, apiGroup = '', name, namespace }: Subject, group: string): OldSubject {
  const apiVersion = versionOf(kind, apiGroup, group);
  return { kind, ...(apiVersion !== '' && { apiVersion }), name, ...(namespace !== undefined && { namespace }) };
}

function versionOf(kind: string, apiGroup: string, group: string): string {
  if (kind === 'ServiceAccount' && apiGroup === '') return 'v1';
  if ((kind === 'User' || kind === 'Group') && apiGroup === group) return `${group}/v1alpha1`;
  return apiGroup === '' ? '' : `${apiGroup}/`;
}
