/** Notices for members that nobody wrote, and to which the two versions give different defaults. */
import type { StructType, Type } from '../../../runtime/contract/descriptor.ts';
import { deepEqual } from '../../../runtime/schema/equal.ts';
import { isObject } from '../../../runtime/schema/json/member.ts';
import type { Conversion } from '../conversion.ts';
import { memberPath, type Notice, shown } from './notice.ts';

/** Tells members that are written out because the other version's default is another, and members that only the other version sets. */
export function differingDefaults(conversion: Conversion): Notice[] {
  const { from, to, bare, after, meant } = conversion;
  const [older, newer] = [from.apiVersion, to.apiVersion];
  const written = differences(bare, meant, '')
    .filter(({ second }) => saysSomething(second))
    .map(({ path, first, second }) => {
      const other = saysSomething(first) ? shown(first) : 'nothing';
      return { path, text: `${shown(second)} is written out, which ${older} sets by itself; ${newer} would set ${other}.` };
    });
  const known = new Set(written.map(({ path }) => path));
  const added = differences(after, meant, '').filter(
    ({ path, first, second }) => first === undefined && saysSomething(second) && !known.has(path) && isMemberOf(from.data.type, path),
  );
  return [...written, ...added.map(({ path, second }) => ({ path, text: `${newer} sets ${shown(second)} where ${older} sets nothing.` }))];
}

interface Difference {
  readonly path: string;
  readonly first: unknown;
  readonly second: unknown;
}

/** @returns the differences of two JSON values, each as deep within them as it goes */
export function differences(first: unknown, second: unknown, path: string): Difference[] {
  if (deepEqual(first, second)) return [];
  if (isObject(first) && isObject(second))
    return [...new Set([...Object.keys(first), ...Object.keys(second)])].flatMap((name) =>
      differences(member(first, name), member(second, name), memberPath(path, name)),
    );
  if (Array.isArray(first) && Array.isArray(second) && first.length === second.length)
    return first.flatMap((element, index) => differences(element, second[index], `${path}[${index}]`));
  return [{ path, first, second }];
}

function member(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function saysSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.isFrozen(value) || Object.keys(value).length > 0;
}

/** A member that a version lacks has no default there that could differ. */
function isMemberOf(type: StructType, path: string): boolean {
  return hasMember(type, path.replace(/\[[^\]]*\]/g, '').split('.'));
}

function hasMember(type: Type, names: readonly string[]): boolean {
  const [name, ...rest] = names;
  if (name === undefined) return true;
  if (type.kind === 'list') return hasMember(type.element, names);
  if (type.kind === 'map') return hasMember(type.value, rest);
  if (type.kind !== 'struct') return true;
  return type.fields.some((field) =>
    field.go?.inline === true ? hasMember(field.type, names) : field.name === name && hasMember(field.type, rest),
  );
}
