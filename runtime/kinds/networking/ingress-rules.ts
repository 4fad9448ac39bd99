/** Rules of an ingress: hosts, paths and where they lead. */
import { type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import { eachItem } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { isWildcard, refuseAddress, validateHostOrWildcard } from './hosts.ts';
import { validateBackend } from './ingress-backend.ts';

type List = readonly Struct[] | undefined;

const PATH_TYPES: readonly string[] = ['Exact', 'ImplementationSpecific', 'Prefix'];
const FORBIDDEN_PARTS: readonly string[] = ['//', '/./', '/../', '%2f', '%2F'];
const FORBIDDEN_ENDS: readonly string[] = ['/..', '/.'];

/** @param skipWildcardPaths an earlier release stored rules of wildcard hosts with paths that are refused today; they may stay */
export function validateRules(rules: List, path: string, skipWildcardPaths: boolean): readonly FieldError[] {
  return eachItem(rules, path, (rule, at) => {
    const host: string = rule.host ?? '';
    const names = host === '' ? [] : [...refuseAddress(host, `${at}.host`), ...validateHostOrWildcard(host, `${at}.host`)];
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
  const relative = path.startsWith('/') ? [] : ['must be an absolute path'];
  if (pathType === 'ImplementationSpecific') return path === '' ? [] : asInvalid(relative, path, at);
  const parts = FORBIDDEN_PARTS.filter((part) => path.includes(part)).map((part) => `must not contain '${part}'`);
  const ends = FORBIDDEN_ENDS.filter((end) => path.endsWith(end)).map((end) => `cannot end with '${end}'`);
  return asInvalid([...relative, ...parts, ...ends], path, at);
}

function asInvalid(messages: readonly string[], path: string, at: string): readonly FieldError[] {
  return messages.map((message) => invalid(`${at}.path`, path, message));
}
