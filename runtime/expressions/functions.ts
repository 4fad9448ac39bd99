/** Functions and operators with their overloads. Costs are in the units of the specification: about one for each ten characters looked at. */
import { RE2JS } from 're2js';
import { EvaluationError } from './evaluation-error.ts';
import { BOOL, BYTES, DOUBLE, DYN, INT, listOf, mapOf, STRING, type Type, UINT, Uint, type Value } from './types.ts';
import { compareValues, equalValues, keyOf, sizeOf } from './values.ts';

export interface Overload {
  /** of the target first, where it is called on one */
  readonly params: readonly Type[];
  readonly result: Type | ((args: readonly Type[]) => Type);
  /** @throws EvaluationError */
  readonly run: (...args: never[]) => Value;
  /** absent: 1 */
  readonly cost?: (...args: never[]) => number;
}

export interface FunctionDeclaration {
  /** called as `x.f(y)`, or as `f(x, y)` */
  readonly member: readonly Overload[];
  readonly global: readonly Overload[];
}

const traversal = (length: number): number => Math.ceil(length / 10);
const ofBoth = (a: Value, b: Value): number => traversal(sizeOf(a) + sizeOf(b));
const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

function int(value: bigint): bigint {
  if (value < MIN || value > MAX) throw new EvaluationError('integer overflow');
  return value;
}

function uint(value: bigint): Uint {
  if (value < 0n || value > 2n * MAX + 1n) throw new EvaluationError('unsigned integer overflow');
  return new Uint(value);
}

function divisor(value: bigint, what: string): bigint {
  if (value === 0n) throw new EvaluationError(what);
  return value;
}

/** The same arithmetic on the three kinds of numbers. */
function arithmetic(ints: (a: bigint, b: bigint) => bigint, doubles?: (a: number, b: number) => number): Overload[] {
  return [
    { params: [INT, INT], result: INT, run: (a: bigint, b: bigint) => int(ints(a, b)) },
    { params: [UINT, UINT], result: UINT, run: (a: Uint, b: Uint) => uint(ints(a.value, b.value)) },
    ...(doubles === undefined ? [] : [{ params: [DOUBLE, DOUBLE], result: DOUBLE, run: doubles }]),
  ];
}

const ORDERED: readonly (readonly [Type, Type])[] = [
  [BOOL, BOOL],
  [STRING, STRING],
  [BYTES, BYTES],
  ...[INT, UINT, DOUBLE].flatMap((a) => [INT, UINT, DOUBLE].map((b): [Type, Type] => [a, b])),
];

function ordering(holds: (order: number) => boolean): Overload[] {
  return ORDERED.map((params) => ({
    params,
    result: BOOL,
    run: (a: Value, b: Value) => {
      const order = compareValues(a, b);
      return order !== undefined && holds(order);
    },
    cost: (a: Value, b: Value) => Math.max(1, traversal(Math.min(sizeOf(a), sizeOf(b)))),
  }));
}

/** Type parameters are dyn here; equality of different types is refused by the check, not by the overload. */
const equality = (equal: boolean): Overload[] => [
  {
    params: [DYN, DYN],
    result: BOOL,
    run: (a: Value, b: Value) => equalValues(a, b) === equal,
    cost: (a: Value, b: Value) => Math.max(1, traversal(Math.min(sizeOf(a), sizeOf(b)))),
  },
];

const itemType = ([type]: readonly Type[]): Type => (type?.kind === 'list' ? type.element : DYN);
const entryType = ([type]: readonly Type[]): Type => (type?.kind === 'map' ? type.value : DYN);
const LIST = listOf(DYN);
const MAP = mapOf(DYN, DYN);

const OPERATORS: Readonly<Record<string, readonly Overload[]>> = {
  '_+_': [
    ...arithmetic(
      (a, b) => a + b,
      (a, b) => a + b,
    ),
    { params: [STRING, STRING], result: STRING, run: (a: string, b: string) => a + b, cost: ofBoth },
    {
      params: [LIST, LIST],
      result: ([a]) => a ?? LIST,
      run: (a: Value[], b: Value[]) => [...a, ...b],
      cost: (a: Value[], b: Value[]) => 1 + a.length + b.length,
    },
  ],
  '_-_': arithmetic(
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  '_*_': arithmetic(
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  '_/_': arithmetic(
    (a, b) => a / divisor(b, 'division by zero'),
    (a, b) => a / b,
  ),
  '_%_': arithmetic((a, b) => a % divisor(b, 'modulus by zero')),
  '-_': [
    { params: [INT], result: INT, run: (a: bigint) => int(-a) },
    { params: [DOUBLE], result: DOUBLE, run: (a: number) => -a },
  ],
  '!_': [{ params: [BOOL], result: BOOL, run: (a: boolean) => !a }],
  '_==_': equality(true),
  '_!=_': equality(false),
  '_<_': ordering((order) => order < 0),
  '_<=_': ordering((order) => order <= 0),
  '_>_': ordering((order) => order > 0),
  '_>=_': ordering((order) => order >= 0),
  '@in': [
    {
      params: [DYN, LIST],
      result: BOOL,
      run: (a: Value, b: Value[]) => b.some((each) => equalValues(a, each)),
      cost: (_a: Value, b: Value[]) => 1 + b.length,
    },
    { params: [DYN, MAP], result: BOOL, run: (a: Value, b: Map<Value, Value>) => b.has(keyOf(a)) },
  ],
  '_[_]': [
    { params: [LIST, INT], result: itemType, run: itemAt },
    { params: [MAP, DYN], result: entryType, run: entryAt },
  ],
};

function itemAt(list: Value[], index: bigint): Value {
  const item = index >= 0n && index < BigInt(list.length) ? list[Number(index)] : undefined;
  if (item === undefined) throw new EvaluationError(`index out of bounds: ${index}`);
  return item;
}

function entryAt(map: Map<Value, Value>, key: Value): Value {
  const value = map.get(keyOf(key));
  if (value === undefined) throw new EvaluationError(`no such key: ${String(key)}`);
  return value;
}

const onString = (run: (a: string, b: string) => Value, result: Type = BOOL): Overload => ({
  params: [STRING, STRING],
  result,
  run,
  cost: ofBoth,
});

/** Patterns in linear time, whatever text they meet; compiled ones are kept for a while. */
const patterns = new Map<string, RE2JS>();
const MAX_PATTERNS = 100;
/** Characters of a pattern that is kept. */
const MAX_PATTERN = 1_000;

function pattern(text: string): RE2JS {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  try {
    const compiled = RE2JS.compile(text);
    if (patterns.size >= MAX_PATTERNS) patterns.clear();
    if (text.length <= MAX_PATTERN) patterns.set(text, compiled);
    return compiled;
  } catch (error) {
    throw new EvaluationError(`error parsing regexp: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const matching: Overload = {
  params: [STRING, STRING],
  result: BOOL,
  run: (text: string, regexp: string) => pattern(regexp).matcher(text).find(),
  cost: (text: string, regexp: string) => Math.max(1, traversal(text.length + 1) * Math.ceil(regexp.length / 4)),
};
const sizes = [STRING, BYTES, LIST, MAP].map((type): Overload => ({ params: [type], result: INT, run: (a: Value) => BigInt(sizeOf(a)) }));
const ofText = (run: (a: string) => Value, result: Type = STRING): Overload => ({
  params: [STRING],
  result,
  run,
  cost: (a: string) => traversal(a.length),
});

const MEMBERS: Readonly<Record<string, readonly Overload[]>> = {
  size: sizes,
  matches: [matching],
  contains: [onString((a, b) => a.includes(b))],
  startsWith: [onString((a, b) => a.startsWith(b))],
  endsWith: [onString((a, b) => a.endsWith(b))],
  lowerAscii: [ofText((a) => a.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))],
  upperAscii: [ofText((a) => a.replace(/[a-z]/g, (letter) => letter.toUpperCase()))],
  trim: [ofText((a) => a.trim())],
  split: [onString((a, b) => a.split(b), listOf(STRING))],
};

const GLOBALS: Readonly<Record<string, readonly Overload[]>> = {
  size: sizes,
  matches: [matching],
  string: [
    { params: [STRING], result: STRING, run: (a: string) => a },
    { params: [BOOL], result: STRING, run: (a: boolean) => String(a) },
    { params: [INT], result: STRING, run: (a: bigint) => String(a) },
    { params: [UINT], result: STRING, run: (a: Uint) => String(a.value) },
    { params: [DOUBLE], result: STRING, run: (a: number) => String(a) },
  ],
  int: [
    { params: [INT], result: INT, run: (a: bigint) => a },
    { params: [UINT], result: INT, run: (a: Uint) => int(a.value) },
    { params: [STRING], result: INT, run: (a: string) => parsedInt(a) },
  ],
  dyn: [{ params: [DYN], result: DYN, run: (a: Value) => a }],
};

function parsedInt(text: string): bigint {
  if (!/^[-+]?\d{1,19}$/.test(text)) throw new EvaluationError(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return int(BigInt(text));
}

const NONE: readonly Overload[] = [];

export function declarationOf(name: string): FunctionDeclaration | undefined {
  const own = <T>(table: Readonly<Record<string, T>>): T | undefined => (Object.hasOwn(table, name) ? table[name] : undefined);
  const [member, global] = [own(MEMBERS), own(OPERATORS) ?? own(GLOBALS)];
  return member === undefined && global === undefined ? undefined : { member: member ?? NONE, global: global ?? NONE };
}
