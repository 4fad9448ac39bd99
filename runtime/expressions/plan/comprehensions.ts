/** Plans comprehensions: loops over lists and maps, to which macros expand. */
import type { ComprehensionNode } from '../syntax/node.ts';
import { goTypeOf } from '../values/describe.ts';
import { GrowingList, GrowingMap } from '../values/growing.ts';
import { ErrorValue, ListValue, MapValue, type Value } from '../values/value.ts';
import { LIST_COST, MAP_COST } from './constructors.ts';
import type { Frame, Step } from './frame.ts';
import type { Planning } from './plan.ts';
import { type Quantifier, QuantifierRun, quantifierOf, RESULT_UNITS } from './quantifiers.ts';

interface Loop {
  readonly condition: Step;
  readonly step: Step;
  readonly accumulator: number;
  readonly variable: number;
  readonly second: number | undefined;
}

export function planComprehension(planner: Planning, node: ComprehensionNode): Step {
  const quantifier = quantifierOf(node);
  return quantifier === undefined ? planLoop(planner, node) : planQuantifier(planner, node, quantifier);
}

function planQuantifier(planner: Planning, { range, variable: name }: ComprehensionNode, quantifier: Quantifier): Step {
  const items = planner.step(range);
  return planner.within(name, (variable) => {
    const predicate = planner.step(quantifier.predicate);
    return (frame) => {
      const all = items(frame);
      const run = new QuantifierRun(quantifier, predicate);
      if (all instanceof ListValue) {
        for (let index = 0; index < all.size; index++) {
          frame.slots[variable] = all.at(index);
          if (!run.next(frame)) break;
        }
      } else if (all instanceof MapValue) {
        for (const key of all.keys()) {
          frame.slots[variable] = key;
          if (!run.next(frame)) break;
        }
      } else return all instanceof ErrorValue ? all : notIterable(all);
      frame.charge(RESULT_UNITS);
      return run.value;
    };
  });
}

const notIterable = (value: Value): ErrorValue => new ErrorValue(`got '${goTypeOf(value)}', expected iterable type`);
const notFoldable = (value: Value): ErrorValue => new ErrorValue(`unsupported comprehension range type: ${goTypeOf(value)}`);

function planLoop(planner: Planning, node: ComprehensionNode): Step {
  const range = planner.step(node.range);
  const initial = accumulating(planner, node);
  return planner.within(node.accumulator, (accumulator) => {
    const loop = planner.within(node.variable, (variable) => {
      const planned = (second: number | undefined): Loop => {
        const [condition, step] = [planner.step(node.condition), planner.step(node.step)];
        return { condition, step, accumulator, variable, second };
      };
      return node.second === undefined ? planned(undefined) : planner.within(node.second, planned);
    });
    const result = planner.step(node.result);
    return (frame) => {
      const items = range(frame);
      if (items instanceof ErrorValue) return items;
      frame.slots[accumulator] = () => initial(frame);
      if (items instanceof ListValue) overList(frame, loop, items);
      else if (items instanceof MapValue) overMap(frame, loop, items);
      else return node.second === undefined ? notIterable(items) : notFoldable(items);
      const value = result(frame);
      return value instanceof GrowingList || value instanceof GrowingMap ? value.finished() : value;
    };
  });
}

/**
 * Makes the first value of the result, when it is first read: a binding that nobody reads costs nothing and cannot fail. An empty list or
 * map grows in place, as in 1.32, also where it is the value of a binding that is read again.
 */
function accumulating(planner: Planning, { initial }: ComprehensionNode): Step {
  if (initial.kind === 'list' && initial.elements.length === 0) return growing(planner, LIST_COST, () => new GrowingList());
  if (initial.kind === 'map' && initial.entries.length === 0) return growing(planner, MAP_COST, () => new GrowingMap());
  const made = planner.step(initial);
  return (frame) => growingIfEmpty(made(frame));
}

function growingIfEmpty(value: Value): Value {
  if (value instanceof ListValue && value.size === 0) return new GrowingList();
  return value instanceof MapValue && value.size === 0 ? new GrowingMap() : value;
}

/** A folded empty literal is a constant and costs nothing. */
function growing({ folds }: Planning, units: number, make: () => Value): Step {
  if (folds) return make;
  return (frame) => {
    frame.charge(units);
    return make();
  };
}

function overList(frame: Frame, { condition, step, accumulator, variable, second }: Loop, list: ListValue): void {
  const { slots } = frame;
  for (let index = 0; index < list.size; index++) {
    slots[variable] = second === undefined ? list.at(index) : BigInt(index);
    if (second !== undefined) slots[second] = list.at(index);
    if (condition(frame) === false) return;
    slots[accumulator] = step(frame);
  }
}

function overMap(frame: Frame, { condition, step, accumulator, variable, second }: Loop, map: MapValue): void {
  const { slots } = frame;
  for (const key of map.keys()) {
    slots[variable] = key;
    if (second !== undefined) slots[second] = map.find(key) as Value;
    if (condition(frame) === false) return;
    slots[accumulator] = step(frame);
  }
}
