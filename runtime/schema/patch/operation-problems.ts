/** Lists what strict decoding finds in the operations of a JSON patch: members that operations do not have, and members that stand there twice. */
import type { ParsedJson } from '../json/json-exact.ts';
import { isObject } from '../json/member.ts';
import { type MemberTypes, memberProblems } from '../json/member-problems.ts';

const MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/**
 * Sentences such as `unknown field "[0].extra"` and `duplicate field "[1].path"`, without repetition, in the order of the text. Nothing within an
 * unknown member is reported.
 * @param parsed a list of operations
 */
export function operationProblems({ value, duplicates, text }: ParsedJson): string[] {
  if (text === undefined || (duplicates.length === 0 && !hasUnknownMembers(value))) return [];
  return memberProblems(text, OPERATIONS);
}

function hasUnknownMembers(operations: unknown): boolean {
  if (!Array.isArray(operations)) return false;
  return operations.some((operation: unknown) => isObject(operation) && Object.keys(operation).some((name) => !MEMBERS.has(name)));
}

/** What stands in a member of an operation may be anything. */
const OPERATIONS: MemberTypes<'patch' | 'operation' | 'anything'> = {
  root: 'patch',
  ofObject: (type) => type,
  ofList: (type) => type,
  member: (type, name) => (type !== 'operation' || MEMBERS.has(name) ? 'anything' : undefined),
  element: (type) => (type === 'patch' ? 'operation' : 'anything'),
};
