/** Rules of an ingress: hosts, paths and where they lead. */

import { type FieldError, notSupported, required } from '../../contract/field-error.ts';
import { notAnAddress } from '../../formats/addresses.ts';
import { hostPattern, isWildcard } from '../../formats/names.ts';
import { absolutePath } from '../../formats/paths.ts';
import { eachItem, invalidAs } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { validateBackend } from './ingress-backend.ts';

type List = readonly Struct[] | undefined;

const PATH_TYPES: readonly string[] = ['Exact', 'ImplementationSpecific', 'Prefix'];
const FORBIDDEN_PARTS: readonly string[] = ['//', '/./', '/../', '%2f', '%2F'];
const FORBIDDEN_ENDS: readonly string[] = ['/..', '/.'];

/** @param skipWildcardPaths an earlier release stored rules of wildcard hosts with paths that are refused today; they may stay */
export function validateRules(rules: List, path: string, skipWildcardPaths: boolean): readonly FieldError[] {
  return eachItem(rules, path, (rule, at) => {
    const host: string = rule.host ?? '';
    const names = host === '' ? [] : invalidAs([...notAnAddress(host), ...hostPattern(host)], `${at}.host`, host);
    return skipWildcardPaths && isWildcard(host) ? names : [...names, ...validatePaths(rule, at)];
  });
}

/** True for a stored ingress with a rule of a wildcard host that would be refused today. */
export function hasInvalidWildcardRule(rules: List): boolean {
  return (rules ?? []).some((rule) => isWildcard(rule.host ?? '') && validatePaths(rule, '').length > 0);
}

function validatePaths({ http }: Struct, path: string): readonly FieldError[] {
  if (http === undefined) return [];
  const at = `${path}.http.paths`;
  return (http.paths ?? []).length === 0 ? [required(at)] : eachItem(http.paths as List, at, validatePath);
}

function validatePath({ path, pathType, backend }: Struct, at: string): readonly FieldError[] {
  if (pathType === undefined || pathType === null) return [required(`${at}.pathType`, 'pathType must be specified')];
  return [...validatePathOfType(path ?? '', pathType, at), ...validateBackend(backend ?? {}, `${at}.backend`)];
}

function validatePathOfType(path: string, pathType: string, at: string): readonly FieldError[] {
  if (!PATH_TYPES.includes(pathType)) return [notSupported(`${at}.pathType`, pathType, PATH_TYPES)];
  const relative = absolutePath(path);
  if (pathType === 'ImplementationSpecific') return path === '' ? [] : invalidAs(relative, `${at}.path`, path);
  const parts = FORBIDDEN_PARTS.filter((part) => path.includes(part)).map((part) => `must not contain '${part}'`);
  const ends = FORBIDDEN_ENDS.filter((end) => path.endsWith(end)).map((end) => `cannot end with '${end}'`);
  return invalidAs([...relative, ...parts, ...ends], `${at}.path`, path);
}
