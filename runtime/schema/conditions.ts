/** Compiles conditions of defaults and constraints once for many objects. Evaluating them allocates nothing. */
import type { Condition, ConditionValue, MemberTest } from '../contract/condition.ts';
import type { JsonObject } from './json/member.ts';
import { numberText } from './scalar/raw-number.ts';

/** @param holder the struct whose members the condition names */
export type ConditionTest = (holder: JsonObject) => boolean;

export type GateTest = (featureEnabled: (gate: string) => boolean) => boolean;

/** @param condition its identity placeholders must be resolved */
export function compileCondition(condition: Condition | readonly Condition[]): ConditionTest {
  if (isList(condition)) return oneOf(condition.map(compileCondition));
  const [first, ...others] = Object.entries(condition).map(([path, test]) => compileMemberTest(path, test));
  if (first === undefined) return always;
  if (others.length === 0) return first;
  return (holder) => first(holder) && allHold(others, holder);
}

/** @param gate the name of a feature gate; a leading `!` means that it must be off; absent: no condition */
export function compileGate(gate: string | undefined): GateTest {
  if (gate === undefined) return always;
  if (!gate.startsWith('!')) return (featureEnabled) => featureEnabled(gate);
  const name = gate.slice(1);
  return (featureEnabled) => !featureEnabled(name);
}

/** The value at a path of member names; undefined if anything on the way is absent or no object. */
export function valueAt(holder: JsonObject, path: readonly string[]): unknown {
  let value: unknown = holder;
  for (let i = 0; i < path.length; i++) value = memberOf(value, path[i] as string);
  return value;
}

/** Like `valueAt`, for a path that is read from many objects. */
export function readerOf(path: readonly string[]): (holder: JsonObject) => unknown {
  const [first = '', second = ''] = path;
  if (path.length === 1) return (holder) => holder[first] ?? undefined;
  if (path.length === 2) return (holder) => memberOf(holder[first], second);
  return (holder) => valueAt(holder, path);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? ((value as JsonObject)[name] ?? undefined) : undefined;
}

/** The value of a number or raw number; NaN for anything else. */
function numeric(value: unknown): number {
  return typeof value === 'number' ? value : Number(numberText(value) ?? Number.NaN);
}

const always = (): boolean => true;

function oneOf(tests: readonly ConditionTest[]): ConditionTest {
  return (holder) => {
    for (let i = 0; i < tests.length; i++) if ((tests[i] as ConditionTest)(holder)) return true;
    return false;
  };
}

function allHold(tests: readonly ConditionTest[], holder: JsonObject): boolean {
  for (let i = 0; i < tests.length; i++) if (!(tests[i] as ConditionTest)(holder)) return false;
  return true;
}

function compileMemberTest(path: string, test: MemberTest): ConditionTest {
  const read = readerOf(path.split('.'));
  if (typeof test !== 'object') return (holder) => read(holder) === test;
  if (isList<ConditionValue>(test)) return (holder) => test.includes(read(holder) as ConditionValue);
  if ('present' in test) return (holder) => (read(holder) !== undefined) === test.present;
  if ('above' in test) return (holder) => numeric(read(holder)) > test.above;
  if ('below' in test) return (holder) => numeric(read(holder)) < test.below;
  const excluded = isList<ConditionValue>(test.not) ? test.not : [test.not];
  return (holder) => !excluded.includes(read(holder) as ConditionValue);
}

function isList<T>(value: unknown): value is readonly T[] {
  return Array.isArray(value);
}
