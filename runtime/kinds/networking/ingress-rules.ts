/** Rules of an ingress: paths and where they lead. */
import type { HTTPIngressPath, HTTPIngressRuleValue, IngressRule } from '../../../generated/networking/v1/types.ts';
import { type FieldError, required } from '../../contract/field-error.ts';
import type { Rule } from '../../contract/kind.ts';
import { isWildcard } from '../../formats/names.ts';
import { absolutePath } from '../../formats/paths.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { atPath, eachItem, invalidAs, oneOf } from '../findings.ts';
import { backend } from './ingress-backend.ts';

const PATH_TYPES: readonly string[] = ['Exact', 'ImplementationSpecific', 'Prefix'];
const FORBIDDEN_PARTS: readonly string[] = ['//', '/./', '/../', '%2f', '%2F'];
const FORBIDDEN_ENDS: readonly string[] = ['/..', '/.'];

/** Of a stored ingress. */
export interface StoredPaths {
  /** an earlier release stored rules of wildcard hosts with paths that are refused today */
  readonly wildcardPaths: boolean;
}

export const paths: Rule<IngressRule, StoredPaths> = ({ host, http }, _old, _context, allowed) =>
  allowed.wildcardPaths && isWildcard(host ?? '') ? NONE : validatePaths(http);

/** True for a stored rule of a wildcard host that would be refused today. */
export function isInvalidWildcard({ host, http }: IngressRule): boolean {
  return isWildcard(host ?? '') && validatePaths(http).length > 0;
}

function validatePaths(http: HTTPIngressRuleValue | undefined): readonly FieldError[] {
  if (http === undefined) return NONE;
  const given = http.paths ?? [];
  return given.length === 0 ? [required('.http.paths')] : eachItem(given, '.http.paths', validatePath);
}

function validatePath({ path = '', pathType, backend: destination = {} }: HTTPIngressPath, at: string): readonly FieldError[] {
  if (pathType === undefined || pathType === null) return [required(`${at}.pathType`, 'pathType must be specified')];
  return joined(
    oneOf(pathType, `${at}.pathType`, PATH_TYPES),
    invalidAs(pathMessages(path, pathType), `${at}.path`, path),
    atPath(backend(destination), `${at}.backend`),
  );
}

function pathMessages(path: string, pathType: string): readonly string[] {
  if (!PATH_TYPES.includes(pathType)) return NONE;
  if (pathType === 'ImplementationSpecific') return path === '' ? NONE : absolutePath(path);
  const parts = FORBIDDEN_PARTS.filter((part) => path.includes(part)).map((part) => `must not contain '${part}'`);
  const ends = FORBIDDEN_ENDS.filter((end) => path.endsWith(end)).map((end) => `cannot end with '${end}'`);
  return [...absolutePath(path), ...parts, ...ends];
}
