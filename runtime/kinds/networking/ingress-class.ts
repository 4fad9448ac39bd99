import { type FieldError, forbidden, notSupported, required, tooLong } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { domainPrefixedPath } from '../../formats/joined-names.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { dnsLabel } from '../../formats/names.ts';
import { invalidAs, invalidParts } from '../core/findings.ts';
import { unchanged } from '../immutable.ts';
import type { Struct } from '../struct.ts';
import { validateLocalReference } from './local-reference.ts';

/** Bytes of the controller's name. */
const CONTROLLER_LENGTH = 250;
const SCOPES: readonly string[] = ['Cluster', 'Namespace'];

function validate({ spec }: ApiObject): readonly FieldError[] {
  const controller: string = spec?.controller ?? '';
  return [
    ...(isLongerThan(controller, CONTROLLER_LENGTH) ? [tooLong('spec.controller', CONTROLLER_LENGTH)] : []),
    ...(controller === '' ? [required('spec.controller')] : invalidParts(domainPrefixedPath(controller), 'spec.controller')),
    ...validateParameters(spec?.parameters, 'spec.parameters'),
  ];
}

function validateParameters(parameters: Struct | undefined, path: string): readonly FieldError[] {
  if (parameters === undefined) return [];
  return [...validateLocalReference(parameters, path), ...validateScope(parameters, path)];
}

function validateScope({ scope, namespace }: Struct, path: string): readonly FieldError[] {
  if (scope === undefined || scope === null) return [required(`${path}.scope`)];
  if (!SCOPES.includes(scope)) return [notSupported(`${path}.scope`, scope, SCOPES)];
  const at = `${path}.namespace`;
  if (scope === 'Cluster') return namespace === undefined ? [] : [forbidden(at, "`parameters.scope` is set to 'Cluster'")];
  return namespace === undefined
    ? [required(at, "`parameters.scope` is set to 'Namespace'")]
    : invalidAs(dnsLabel(namespace), at, namespace);
}

export const rules: KindRules = {
  validate,
  validateUpdate: (object, old) => unchanged(object.spec?.controller ?? '', old.spec?.controller ?? '', 'spec.controller'),
  changesFirst: true,
};
