/** The math extension of CEL, which no environment of 1.32 has. */
import type { FunctionDeclaration, Library, Overload } from '../../environment/declarations.ts';
import { Uint } from '../../syntax/literal.ts';
import { BOOL, DOUBLE, DYN, INT, listOf, type Type, UINT } from '../../types/type.ts';
import { compareValues, isNumber } from '../../values/equality.ts';
import { ErrorValue, type ListValue, type Value } from '../../values/value.ts';
import { declared, plain } from '../overloads.ts';
import { int } from '../standard/ranges.ts';
import { MATH_MACROS } from './math-macros.ts';

const NUMBERS: readonly (readonly [name: string, type: Type])[] = [
  ['double', DOUBLE],
  ['int', INT],
  ['uint', UINT],
];

const noOverload = (name: string): ErrorValue => new ErrorValue(`no such overload: ${name}`);

/** @param prefers whether the second of two numbers is chosen, by how it compares with the first */
function extreme(name: string, prefers: (order: number) => boolean): FunctionDeclaration {
  const id = name.slice('math.'.length);
  const pair = (a: Value, b: Value): Value => (prefers(compareValues(b, a) ?? 0) ? b : a);
  const ofList = (list: ListValue): Value => {
    let result: Value | undefined;
    for (const item of list) {
      if (item instanceof ErrorValue) return item;
      if (!isNumber(item)) return noOverload(name);
      result = result === undefined ? item : pair(result, item);
    }
    return result ?? new ErrorValue(`${name}(list) argument must not be empty`);
  };
  const overloads: Overload[] = [];
  for (const [a, type] of NUMBERS) {
    overloads.push(plain(`math_${id}_${a}`, [type], type, (value: Value) => value));
    overloads.push(plain(`math_${id}_list_${a}`, [listOf(type)], type, ofList));
    for (const [b, other] of NUMBERS) overloads.push(plain(`math_${id}_${a}_${b}`, [type, other], a === b ? type : DYN, pair));
  }
  return declared(name, overloads);
}

const ofDouble = (name: string, result: Type, of: (value: number) => Value): FunctionDeclaration =>
  declared(`math.${name}`, [plain(`math_${name}_double`, [DOUBLE], result, of)]);

/** Rounds halves away from zero. */
const round = (value: number): number => (value < 0 ? -Math.round(-value) : Math.round(value));

function sign(value: number): number {
  return Number.isNaN(value) ? value : value > 0 ? 1 : value < 0 ? -1 : 0;
}

const asInt = (value: bigint): bigint => BigInt.asIntN(64, value);
const asUint = (value: bigint): Uint => new Uint(BigInt.asUintN(64, value));

function bitwise(name: string, of: (a: bigint, b: bigint) => bigint): FunctionDeclaration {
  return declared(`math.${name}`, [
    plain(`math_${name}_int_int`, [INT, INT], INT, (a: bigint, b: bigint) => asInt(of(a, b))),
    plain(`math_${name}_uint_uint`, [UINT, UINT], UINT, (a: Uint, b: Uint) => asUint(of(a.value, b.value))),
  ]);
}

/** @param of shifts 64 bits by 0 to 63 */
function shift(name: string, of: (bits: bigint, by: bigint) => bigint): FunctionDeclaration {
  const shifted = (bits: bigint, by: bigint, as: (bits: bigint) => Value): Value => {
    if (by < 0n) return new ErrorValue(`math.${name}() negative offset: ${by}`);
    return as(by > 63n ? 0n : of(BigInt.asUintN(64, bits), by));
  };
  return declared(`math.${name}`, [
    plain(`math_${name}_int_int`, [INT, INT], INT, (value: bigint, by: bigint) => shifted(value, by, asInt)),
    plain(`math_${name}_uint_int`, [UINT, INT], UINT, (value: Uint, by: bigint) => shifted(value.value, by, asUint)),
  ]);
}

export const mathLibrary: Library = {
  name: 'cel.lib.ext.math',
  since: Number.POSITIVE_INFINITY,
  macros: MATH_MACROS,
  functions: [
    extreme('math.@min', (order) => order < 0),
    extreme('math.@max', (order) => order > 0),
    ofDouble('ceil', DOUBLE, Math.ceil),
    ofDouble('floor', DOUBLE, Math.floor),
    ofDouble('round', DOUBLE, round),
    ofDouble('trunc', DOUBLE, Math.trunc),
    ofDouble('isInf', BOOL, (value) => Math.abs(value) === Number.POSITIVE_INFINITY),
    ofDouble('isNaN', BOOL, Number.isNaN),
    ofDouble('isFinite', BOOL, Number.isFinite),
    declared('math.abs', [
      plain('math_abs_double', [DOUBLE], DOUBLE, Math.abs),
      plain('math_abs_int', [INT], INT, (value: bigint) => int(value < 0n ? -value : value)),
      plain('math_abs_uint', [UINT], UINT, (value: Uint) => value),
    ]),
    declared('math.sign', [
      plain('math_sign_double', [DOUBLE], DOUBLE, sign),
      plain('math_sign_int', [INT], INT, (value: bigint) => (value > 0n ? 1n : value < 0n ? -1n : 0n)),
      plain('math_sign_uint', [UINT], UINT, ({ value }: Uint) => new Uint(value === 0n ? 0n : 1n)),
    ]),
    declared('math.sqrt', [
      plain('math_sqrt_double', [DOUBLE], DOUBLE, Math.sqrt),
      plain('math_sqrt_int', [INT], DOUBLE, (value: bigint) => Math.sqrt(Number(value))),
      plain('math_sqrt_uint', [UINT], DOUBLE, ({ value }: Uint) => Math.sqrt(Number(value))),
    ]),
    bitwise('bitAnd', (a, b) => a & b),
    bitwise('bitOr', (a, b) => a | b),
    bitwise('bitXor', (a, b) => a ^ b),
    declared('math.bitNot', [
      plain('math_bitNot_int_int', [INT], INT, (value: bigint) => ~value),
      plain('math_bitNot_uint_uint', [UINT], UINT, ({ value }: Uint) => asUint(~value)),
    ]),
    shift('bitShiftLeft', (bits, by) => bits << by),
    shift('bitShiftRight', (bits, by) => bits >> by),
  ],
};
