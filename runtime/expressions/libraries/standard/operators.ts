/** The operators of CEL. The planner handles logic, conditionals, selection and index itself. */
import type { FunctionDeclaration, Overload } from '../../environment/declarations.ts';
import { BOOL, BYTES, DOUBLE, DURATION, INT, listOf, mapOf, parameter, STRING, TIMESTAMP, type Type, UINT } from '../../types/type.ts';
import { costSize } from '../../values/describe.ts';
import { compareValues, contains, equality } from '../../values/equality.ts';
import {
  type Duration,
  ErrorValue,
  JoinedList,
  type ListValue,
  type MapValue,
  OpaqueValue,
  type Timestamp,
  type Uint,
  type Value,
} from '../../values/value.ts';
import { addUnits, leastUnits } from './costs.ts';
import { comparison, concatenation, listConcatenation, membership } from './estimates.ts';
import { duration, int, timeBetween, timestamp, timestampBefore, uint } from './ranges.ts';

const A = parameter('A');
const B = parameter('B');

type Operate<T> = (a: T, b: T) => Value;
type Charged = Pick<Overload, 'cost' | 'estimate'>;
const of = (id: string, parameters: readonly Type[], result: Type, run: (...args: never[]) => Value, charged: Charged = {}): Overload => ({
  id,
  parameters,
  result,
  run,
  ...charged,
});
const COMPARED_UNITS: Charged = { cost: leastUnits, estimate: comparison };
/** Comparing values of libraries costs one unit, whatever they contain. */
const EQUAL_UNITS: Charged = { cost: (a, b) => (a instanceof OpaqueValue ? 1 : leastUnits(a, b)), estimate: comparison };
const JOINED_UNITS: Charged = { cost: addUnits, estimate: concatenation };

const ADDED = ['bytes', 'double', 'int', 'list', 'uint'];
const NUMBERS = ['double', 'int', 'uint'];
const ORDERED = ['bool', 'bytes', ...NUMBERS];

/** Sorts overloads as 1.32 does: the first one that fits decides about operands of open types. */
const inOrder = (overloads: readonly Overload[]): Overload[] => overloads.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** Makes an operator of two ints, two uints or two doubles. */
function arithmetic(
  name: string,
  id: string,
  takers: readonly string[],
  ints: Operate<bigint>,
  uints: Operate<bigint>,
  doubles?: Operate<number>,
  more: Overload[] = [],
): FunctionDeclaration {
  const overloads = [
    of(`${id}_int64`, [INT, INT], INT, ints),
    of(`${id}_uint64`, [UINT, UINT], UINT, (a: Uint, b: Uint) => uints(a.value, b.value)),
    ...(doubles === undefined ? [] : [of(`${id}_double`, [DOUBLE, DOUBLE], DOUBLE, doubles)]),
    ...more,
  ];
  return { name, takers, overloads: inOrder(overloads) };
}

const DIVISION_BY_ZERO = new ErrorValue('division by zero');
const MODULUS_BY_ZERO = new ErrorValue('modulus by zero');

const additions: Overload[] = [
  of('add_bytes', [BYTES, BYTES], BYTES, (a: Uint8Array, b: Uint8Array) => Buffer.concat([a, b]), JOINED_UNITS),
  of('add_duration_duration', [DURATION, DURATION], DURATION, (a: Duration, b: Duration) => duration(a.nanoseconds + b.nanoseconds)),
  of('add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP, (a: Duration, b: Timestamp) =>
    timestamp(a.nanoseconds + b.nanoseconds, b.offset),
  ),
  of('add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, (a: Timestamp, b: Duration) =>
    timestamp(a.nanoseconds + b.nanoseconds, a.offset),
  ),
  of('add_list', [listOf(A), listOf(A)], listOf(A), (a: ListValue, b: ListValue) => a.plus?.(b) ?? JoinedList.of(a, b), {
    estimate: listConcatenation,
  }),
  of('add_string', [STRING, STRING], STRING, (a: string, b: string) => a + b, JOINED_UNITS),
];

const subtractions: Overload[] = [
  of('subtract_duration_duration', [DURATION, DURATION], DURATION, (a: Duration, b: Duration) => duration(a.nanoseconds - b.nanoseconds)),
  of('subtract_timestamp_timestamp', [TIMESTAMP, TIMESTAMP], DURATION, timeBetween),
  of('subtract_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, timestampBefore),
];

/** Pairs of types that can be compared. Messages and costs depend on their order. */
const COMPARED: readonly (readonly [id: string, left: Type, right: Type])[] = [
  ['bool', BOOL, BOOL],
  ['int64', INT, INT],
  ['int64_double', INT, DOUBLE],
  ['int64_uint64', INT, UINT],
  ['uint64', UINT, UINT],
  ['uint64_double', UINT, DOUBLE],
  ['uint64_int64', UINT, INT],
  ['double', DOUBLE, DOUBLE],
  ['double_int64', DOUBLE, INT],
  ['double_uint64', DOUBLE, UINT],
  ['string', STRING, STRING],
  ['bytes', BYTES, BYTES],
  ['timestamp', TIMESTAMP, TIMESTAMP],
  ['duration', DURATION, DURATION],
];

const UNORDERED = new ErrorValue('NaN values cannot be ordered');

/** @param compares the JavaScript operator for ints */
function ordering(
  name: string,
  id: string,
  holds: (order: number) => boolean,
  compares: (a: bigint, b: bigint) => boolean,
): FunctionDeclaration {
  const run = (a: Value, b: Value): Value => {
    if (Number.isNaN(a) || Number.isNaN(b)) return UNORDERED;
    const order = compareValues(a, b);
    return order !== undefined && holds(order);
  };
  return {
    name,
    takers: ORDERED,
    overloads: COMPARED.map(([suffix, left, right]) => {
      return of(
        `${id}_${suffix}`,
        [left, right],
        BOOL,
        left === INT && right === INT ? compares : run,
        left === STRING || left === BYTES ? COMPARED_UNITS : {},
      );
    }),
  };
}

export const operators: readonly FunctionDeclaration[] = [
  { name: '_==_', takers: 'any', overloads: [of('equals', [A, A], BOOL, (a: Value, b: Value) => equality(a, b), EQUAL_UNITS)] },
  {
    name: '_!=_',
    takers: 'any',
    overloads: [of('not_equals', [A, A], BOOL, (a: Value, b: Value) => equality(a, b) !== true, COMPARED_UNITS)],
  },
  ordering(
    '_<_',
    'less',
    (order) => order < 0,
    (a, b) => a < b,
  ),
  ordering(
    '_<=_',
    'less_equals',
    (order) => order <= 0,
    (a, b) => a <= b,
  ),
  ordering(
    '_>_',
    'greater',
    (order) => order > 0,
    (a, b) => a > b,
  ),
  ordering(
    '_>=_',
    'greater_equals',
    (order) => order >= 0,
    (a, b) => a >= b,
  ),
  arithmetic(
    '_+_',
    'add',
    ADDED,
    (a, b) => int(a + b),
    (a, b) => uint(a + b),
    (a, b) => a + b,
    additions,
  ),
  arithmetic(
    '_-_',
    'subtract',
    NUMBERS,
    (a, b) => int(a - b),
    (a, b) => uint(a - b),
    (a, b) => a - b,
    subtractions,
  ),
  arithmetic(
    '_*_',
    'multiply',
    NUMBERS,
    (a, b) => int(a * b),
    (a, b) => uint(a * b),
    (a, b) => a * b,
  ),
  arithmetic(
    '_/_',
    'divide',
    NUMBERS,
    (a, b) => (b === 0n ? DIVISION_BY_ZERO : int(a / b)),
    (a, b) => (b === 0n ? DIVISION_BY_ZERO : uint(a / b)),
    (a, b) => a / b,
  ),
  arithmetic(
    '_%_',
    'modulo',
    ['int', 'uint'],
    (a, b) => (b === 0n ? MODULUS_BY_ZERO : int(a % b)),
    (a, b) => (b === 0n ? MODULUS_BY_ZERO : uint(a % b)),
  ),
  {
    name: '-_',
    takers: ['bool', 'double', 'int'],
    overloads: [of('negate_double', [DOUBLE], DOUBLE, (a: number) => -a), of('negate_int64', [INT], INT, (a: bigint) => int(-a))],
    undeclared: [of('negate_duration', [DURATION], DURATION, (a: Duration) => duration(-a.nanoseconds))],
  },
  { name: '!_', takers: 'any', overloads: [of('logical_not', [BOOL], BOOL, (a: boolean) => !a)] },
  { name: '@not_strictly_false', overloads: [{ ...of('not_strictly_false', [BOOL], BOOL, (a: Value) => a !== false), takesErrors: true }] },
  {
    name: '@in',
    takers: 'any',
    overloads: [
      of('in_list', [A, listOf(A)], BOOL, (a: Value, list: ListValue) => contains(list, a), {
        cost: (_a, list) => costSize(list),
        estimate: membership,
      }),
      of('in_map', [A, mapOf(A, B)], BOOL, (a: Value, map: MapValue) => map.find(a) !== undefined),
    ],
  },
];

/** a placeholder in the declarations of operators that the planner handles itself */
const unevaluated = (): Value => new ErrorValue('no such overload');
export const plannedOperators: readonly FunctionDeclaration[] = [
  { name: '_&&_', overloads: [of('logical_and', [BOOL, BOOL], BOOL, unevaluated)] },
  { name: '_||_', overloads: [of('logical_or', [BOOL, BOOL], BOOL, unevaluated)] },
  { name: '_?_:_', overloads: [of('conditional', [BOOL, A, A], A, unevaluated)] },
  {
    name: '_[_]',
    overloads: [of('index_list', [listOf(A), INT], A, unevaluated), of('index_map', [mapOf(A, B), A], B, unevaluated)],
  },
];
