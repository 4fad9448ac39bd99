/** What a refused change is, in the words of 1.32: the difference of two structures of its own. It is put together for the refusal alone. */
import { createRequire } from 'node:module';
import type { Field, StructType, Type } from '../../contract/descriptor.ts';
import type { RuleContext, UpdateContext } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { asWritten } from '../../schema/as-written.ts';
import { deepEqual } from '../../schema/equal.ts';
import { isObject } from '../../schema/json/member.ts';
import type { Kind } from './kind.ts';

const require = createRequire(import.meta.url);

/** Few changes are refused with a text of this kind, and a server that meets none does without what makes it. */
const goDiff = (): typeof import('../../go-diff/member-difference.ts') => require('../../go-diff/member-difference.ts');

/** Values of a member that are read again at most, to show them as they were written. */
const MAX_READ_AGAIN = 20_000;

/** @param object that is to be written */
export function changeTextOf(hub: Kind, object: ApiObject, context: RuleContext): UpdateContext['changeText'] {
  return <T>(path: string, old: unknown, now: (member: T) => unknown) => {
    const names = path.replace('[]', '').split('.');
    const { type, value } = memberAt(hub.data.type, object, names);
    const shown = path.endsWith('[]') && type.kind === 'list' ? type.element : type;
    const written = writtenMember(hub, names, context);
    const after = now((written === undefined ? value : asWritten(type, value, written)) as T);
    return goDiff().memberDifference(shown as StructType, old, after) ?? changedMembers(path, old, after);
  };
}

/** Shows the difference of two objects of one kind as 1.32 does. @returns an empty text for objects that are too large to be compared */
export function objectChangeText({ data }: Kind, old: ApiObject, now: ApiObject): string {
  return goDiff().objectDifference(data.type, old, now) ?? '';
}

/** An inline struct has the members of the object around it. */
function memberAt(struct: StructType, object: unknown, names: readonly string[]): { type: Type; value: unknown } {
  let type: Type = struct;
  let value = object;
  for (const name of names) {
    const field: Field | undefined = (type as StructType).fields.find((each) => each.name === name);
    if (field === undefined) throw new Error(`${struct.name} has no member ${names.join('.')}`);
    type = field.type;
    if (field.go?.inline !== true) value = isObject(value) ? (value[name] ?? undefined) : undefined;
  }
  return { type, value };
}

/** Returns a member as the writer of the object sent it; undefined if the writer sent no text or another version, or if the member is long. */
function writtenMember(hub: Kind, names: readonly string[], { sent }: RuleContext): unknown {
  const object = sent?.();
  const [first = ''] = names;
  if (!isObject(object) || !hasAtMost(MAX_READ_AGAIN, object[first])) return undefined;
  return memberAt(hub.data.type, hub.decode({ [first]: object[first] }, { asWritten: true }).object, names).value;
}

/** Whether a value holds no more than so many others. */
function hasAtMost(limit: number, value: unknown): boolean {
  const held: unknown[] = [value];
  for (let i = 0; i < held.length; i++) {
    const each = held[i];
    if (typeof each !== 'object' || each === null) continue;
    for (const inner of Object.values(each)) if (held.push(inner) > limit) return false;
  }
  return true;
}

/** Lists the paths of the members that changed, for structures that are too large for a difference. */
function changedMembers(path: string, old: unknown, now: unknown): string {
  if (!isObject(old) || !isObject(now)) return path;
  const names = [...new Set([...Object.keys(now), ...Object.keys(old)])].filter((name) => !deepEqual(now[name], old[name]));
  return names.map((name) => `${path}.${name}`).join(', ');
}
