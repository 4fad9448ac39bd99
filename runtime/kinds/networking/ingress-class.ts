import { type FieldError, forbidden, invalid, notSupported, required, tooLong } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { age } from '../cells/age.ts';
import { invalidAs } from '../core/findings.ts';
import { unchanged } from '../immutable.ts';
import { dnsLabel, dnsSubdomain, isLongerThan, patternMessage } from '../metadata/names.ts';
import type { Struct } from '../struct.ts';
import { validateLocalReference } from './local-reference.ts';

/** Bytes of the controller's name. */
const CONTROLLER_LENGTH = 250;
const SCOPES: readonly string[] = ['Cluster', 'Namespace'];

const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathPattern = new RegExp(`^${PATH}$`);

function validate({ spec }: ApiObject): FieldError[] {
  const controller: string = spec?.controller ?? '';
  return [
    ...(isLongerThan(controller, CONTROLLER_LENGTH) ? [tooLong('spec.controller', CONTROLLER_LENGTH)] : []),
    ...domainPrefixedPath(controller, 'spec.controller'),
    ...validateParameters(spec?.parameters, 'spec.parameters'),
  ];
}

/** A host and a path, such as `example.com/edge`. */
function domainPrefixedPath(value: string, path: string): FieldError[] {
  if (value === '') return [required(path)];
  const slash = value.indexOf('/');
  if (slash <= 0 || slash === value.length - 1) return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const host = value.slice(0, slash);
  const rest = value.slice(slash + 1);
  return [
    ...invalidAs(dnsSubdomain(host), path, host),
    ...(pathPattern.test(rest) ? [] : [invalid(path, rest, patternMessage('Invalid path', PATH))]),
  ];
}

function validateParameters(parameters: Struct | undefined, path: string): FieldError[] {
  if (parameters === undefined) return [];
  return [...validateLocalReference(parameters, path), ...validateScope(parameters, path)];
}

function validateScope({ scope, namespace }: Struct, path: string): FieldError[] {
  if (scope === undefined || scope === null) return [required(`${path}.scope`)];
  if (!SCOPES.includes(scope)) return [notSupported(`${path}.scope`, scope, SCOPES)];
  const at = `${path}.namespace`;
  if (scope === 'Cluster') return namespace === undefined ? [] : [forbidden(at, "`parameters.scope` is set to 'Cluster'")];
  return namespace === undefined
    ? [required(at, "`parameters.scope` is set to 'Namespace'")]
    : invalidAs(dnsLabel(namespace), at, namespace);
}

function parametersCell(parameters: Struct | undefined): string {
  if (parameters === undefined) return '<none>';
  const { apiGroup, kind, name } = parameters;
  return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`;
}

export const rules: KindRules = {
  validate,
  validateUpdate: (object, old) => unchanged(object.spec?.controller ?? '', old.spec?.controller ?? '', 'spec.controller'),
  cells: ({ metadata, spec }, now) => [
    metadata.name,
    spec?.controller ?? '',
    parametersCell(spec?.parameters),
    age(metadata.creationTimestamp, now),
  ],
};
