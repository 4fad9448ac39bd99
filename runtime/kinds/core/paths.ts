/** File paths in specs: they must not lead out of the folder that they are relative to. */
import { type FieldError, invalid } from '../../contract/field-error.ts';

export function validateNoBacksteps(target: string, path: string): FieldError[] {
  return target.split('/').includes('..') ? [invalid(path, target, "must not contain '..'")] : [];
}

export function validateDescendingPath(target: string, path: string): FieldError[] {
  return [...(target.startsWith('/') ? [invalid(path, target, 'must be a relative path')] : []), ...validateNoBacksteps(target, path)];
}

/** Names that begin with two dots are kept for the way in which files of a volume are replaced at once. */
export function validateUnreservedPath(target: string, path: string): FieldError[] {
  const reserved = target.startsWith('..') && target !== '..' && !target.startsWith('../');
  return [...validateDescendingPath(target, path), ...(reserved ? [invalid(path, target, "must not start with '..'")] : [])];
}
