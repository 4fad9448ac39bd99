/** Functions of optional values (CEL's extension for optional values, version 1). The planner handles `or` and `orValue` itself. */
import type { Library } from '../environment/declarations.ts';
import { OPTIONAL_MACROS } from '../syntax/optional-macros.ts';
import { BOOL, DYN, INT, listOf, mapOf, optionalOf, parameter, STRING } from '../types/type.ts';
import {
  Duration,
  ErrorValue,
  ListValue,
  MapValue,
  NO_SUCH_OVERLOAD,
  Optional,
  StructValue,
  Timestamp,
  Uint,
  type Value,
} from '../values/value.ts';
import { declared, member, plain } from './overloads.ts';
import { FIRST_SECOND, SECOND } from './standard/ranges.ts';

const K = parameter('K');
const V = parameter('V');
const OPTIONAL = optionalOf(V);
const LIST = listOf(V);
const MAP = mapOf(K, V);

const NO_VALUE = new ErrorValue('optional.none() dereference');
/** a placeholder in the declarations of operators that the planner handles itself */
const unevaluated = (): Value => NO_SUCH_OVERLOAD;

export const optionalsLibrary: Library = {
  name: 'cel.lib.optional',
  since: 28,
  macros: OPTIONAL_MACROS,
  optionalSyntax: true,
  types: [optionalOf(DYN)],
  functions: [
    declared('optional.of', [plain('optional_of', [V], OPTIONAL, (value: Value) => Optional.of(value))]),
    declared('optional.ofNonZeroValue', [
      plain('optional_ofNonZeroValue', [V], OPTIONAL, (value: Value) => (isZero(value) ? Optional.NONE : Optional.of(value))),
    ]),
    declared('optional.none', [plain('optional_none', [], OPTIONAL, () => Optional.NONE)]),
    declared('value', [member('optional_value', [OPTIONAL], V, ({ value }: Optional) => (value === undefined ? NO_VALUE : value))]),
    declared('hasValue', [member('optional_hasValue', [OPTIONAL], BOOL, ({ value }: Optional) => value !== undefined)]),
    declared('or', [member('optional_or_optional', [OPTIONAL, OPTIONAL], OPTIONAL, unevaluated)]),
    declared('orValue', [member('optional_orValue_value', [OPTIONAL, V], V, unevaluated)]),
    declared('_?._', [plain('select_optional_field', [DYN, STRING], OPTIONAL, unevaluated)]),
    declared('_[?_]', [
      plain('list_optindex_optional_int', [LIST, INT], OPTIONAL, unevaluated),
      plain('optional_list_optindex_optional_int', [optionalOf(LIST), INT], OPTIONAL, unevaluated),
      plain('map_optindex_optional_value', [MAP, K], OPTIONAL, unevaluated),
      plain('optional_map_optindex_optional_value', [optionalOf(MAP), K], OPTIONAL, unevaluated),
    ]),
    declared('_[_]', [
      plain('optional_list_index_int', [optionalOf(LIST), INT], OPTIONAL, unevaluated),
      plain('optional_map_index_value', [optionalOf(MAP), K], OPTIONAL, unevaluated),
    ]),
  ],
};

/** Functions of later versions of the extension. */
export const optionalsOfLists: Library = {
  name: 'cel.lib.optional.2',
  since: Number.POSITIVE_INFINITY,
  functions: [
    declared('first', [member('list_first', [LIST], OPTIONAL, (list: ListValue) => itemOf(list, 0))]),
    declared('last', [member('list_last', [LIST], OPTIONAL, (list: ListValue) => itemOf(list, list.size - 1))]),
  ],
};

const itemOf = (list: ListValue, index: number): Value => (list.size === 0 ? Optional.NONE : Optional.of(list.at(index)));

function isZero(value: Value): boolean {
  switch (typeof value) {
    case 'boolean':
      return !value;
    case 'bigint':
      return value === 0n;
    case 'number':
      return value === 0;
    case 'string':
      return value === '';
    default:
      return value === null || isZeroObject(value);
  }
}

function isZeroObject(value: object): boolean {
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  if (value instanceof Duration) return value.nanoseconds === 0n;
  if (value instanceof Timestamp) return value.nanoseconds === FIRST_SECOND * SECOND;
  return value instanceof StructValue && value.fields()[Symbol.iterator]().next().done === true;
}
