/** The sets extension of CEL: lists whose order and repetitions do not matter. */
import type { Library } from '../environment/declarations.ts';
import { BOOL, listOf, parameter } from '../types/type.ts';
import { costSize } from '../values/describe.ts';
import { contains } from '../values/equality.ts';
import type { ListValue, Value } from '../values/value.ts';
import { declared, plain } from './overloads.ts';

const LIST = listOf(parameter('T'));

/** Whether `list` has all items of `part`. */
function containsAll(list: ListValue, part: ListValue): Value {
  for (const item of part) {
    const found = contains(list, item);
    if (found !== true) return found;
  }
  return true;
}

function intersects(a: ListValue, b: ListValue): Value {
  for (const item of a) if (contains(b, item) === true) return true;
  return false;
}

function equivalent(a: ListValue, b: ListValue): Value {
  const all = containsAll(a, b);
  return all === true ? containsAll(b, a) : all;
}

/** Units for comparing every item with every other. @param passes how often */
const product =
  (passes: number) =>
  (a?: Value, b?: Value): number =>
    1 + costSize(a) * costSize(b) * passes;

export const setsLibrary: Library = {
  name: 'cel.lib.ext.sets',
  since: 29,
  functions: [
    declared('sets.contains', [plain('list_sets_contains_list', [LIST, LIST], BOOL, containsAll, { cost: product(1) })]),
    declared('sets.equivalent', [plain('list_sets_equivalent_list', [LIST, LIST], BOOL, equivalent, { cost: product(2) })]),
    declared('sets.intersects', [plain('list_sets_intersects_list', [LIST, LIST], BOOL, intersects, { cost: product(1) })]),
  ],
};
