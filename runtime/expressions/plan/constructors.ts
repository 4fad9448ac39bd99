/** Plans literals of lists, maps and structs. */
import type { ListNode, MapNode, StructNode } from '../syntax/node.ts';
import { valueText } from '../values/describe.ts';
import { ArrayList, EntryMap, ErrorValue, Optional, type Value } from '../values/value.ts';
import type { Frame, Step } from './frame.ts';
import { constantPlan, type Plan, type Planning } from './plan.ts';

export const LIST_COST = 10;
export const MAP_COST = 30;
const STRUCT_COST = 40;

interface Part {
  readonly step: Step;
  readonly optional: boolean;
}

/** @param what name of the part in errors @returns undefined for an optional part that is absent */
function partValue(frame: Frame, { step, optional }: Part, what: string): Value | undefined {
  const value = step(frame);
  if (!optional || value instanceof ErrorValue) return value;
  if (value instanceof Optional) return value.value;
  return new ErrorValue(`cannot initialize optional ${what} from non-optional value ${valueText(value)}`);
}

/** A list of constants becomes a constant. */
export function planList(planner: Planning, { elements }: ListNode): Plan {
  const plans = elements.map(({ value }) => planner.plan(value));
  if (planner.folds && elements.every(({ optional }, index) => !optional && plans[index]?.constant !== undefined))
    return constantPlan(new ArrayList(plans.map(({ constant }) => constant as Value)));
  const parts = elements.map(({ optional }, index) => ({ optional, step: (plans[index] as Plan).step }));
  return {
    step: (frame) => {
      const items: Value[] = [];
      for (const part of parts) {
        const value = partValue(frame, part, 'list element');
        if (value instanceof ErrorValue) {
          frame.charge(LIST_COST);
          return value;
        }
        if (value !== undefined) items.push(value);
      }
      frame.charge(LIST_COST);
      return new ArrayList(items);
    },
  };
}

/** An invalid key is reported during evaluation, not before, so it does not make a constant. */
const isConstant = ({ key, value, optional }: { readonly key: Plan; readonly value: Plan; readonly optional: boolean }): boolean =>
  !optional && key.constant !== undefined && !(key.constant instanceof Uint8Array) && value.constant !== undefined;

/** A map of constants becomes a constant. */
export function planMap(planner: Planning, { entries }: MapNode): Plan {
  const strict = planner.checked.environment.strictKeys;
  const plans = entries.map(({ key, value, optional }) => ({ key: planner.plan(key), value: planner.plan(value), optional }));
  if (planner.folds && plans.every(isConstant)) {
    const map = EntryMap.of(
      plans.map(({ key, value }) => [key.constant as Value, value.constant as Value]),
      strict,
    );
    if (!(map instanceof ErrorValue)) return constantPlan(map);
  }
  const parts = plans.map(({ key, value, optional }) => ({ key: key.step, step: value.step, optional }));
  return {
    step: (frame) => {
      const made = mapOf(frame, parts, strict);
      frame.charge(MAP_COST);
      return made;
    },
  };
}

function mapOf(frame: Frame, parts: readonly (Part & { readonly key: Step })[], strict: boolean): Value {
  const entries: (readonly [Value, Value | undefined])[] = [];
  for (const part of parts) {
    const key = part.key(frame);
    if (key instanceof ErrorValue) return key;
    const value = partValue(frame, part, `entry '${valueText(key)}'`);
    if (value instanceof ErrorValue) return value;
    entries.push([key, value]);
  }
  return EntryMap.of(entries, strict);
}

export function planStruct(planner: Planning, node: StructNode): Plan {
  const name = planner.checked.nameOf(node)?.name ?? node.type;
  const maker = planner.checked.environment.structMaker(name);
  if (maker === undefined) throw new Error(`nothing makes values of the type ${name}`);
  const parts = node.fields.map((field) => ({ name: field.name, optional: field.optional, step: planner.step(field.value) }));
  return {
    step: (frame) => {
      const fields = new Map<string, Value>();
      for (const part of parts) {
        const value = partValue(frame, part, `entry '${part.name}'`);
        if (value instanceof ErrorValue) return value;
        if (value === undefined) fields.delete(part.name);
        else fields.set(part.name, value);
      }
      frame.charge(STRUCT_COST);
      return maker.make(fields);
    },
  };
}
