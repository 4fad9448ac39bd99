/** Comprehensions with two variables: macros, and the functions that build their maps. */
import type { Library } from '../environment/declarations.ts';
import { TWO_VARIABLE_MACROS } from '../syntax/two-variable-macros.ts';
import { mapOf, parameter } from '../types/type.ts';
import { valueText } from '../values/describe.ts';
import { GrowingMap } from '../values/growing.ts';
import { EntryMap, ErrorValue, type MapValue, type Value } from '../values/value.ts';
import { declared, plain } from './overloads.ts';

const [K, V] = [parameter('K'), parameter('V')];
const MAP = mapOf(K, V);

/** @returns the map with one more entry */
function insert(map: MapValue, key: Value, value: Value): Value {
  if (map instanceof GrowingMap) return map.insert(key, value);
  if (map.find(key) !== undefined) return new ErrorValue(`insert failed: key ${valueText(key)} already exists`);
  return EntryMap.of([...Array.from(map.keys(), (each) => [each, map.find(each) as Value] as const), [key, value]]);
}

function insertAll(map: MapValue, added: MapValue): Value {
  let result: Value = map;
  for (const key of added.keys()) {
    result = insert(result as MapValue, key, added.find(key) as Value);
    if (result instanceof ErrorValue) return result;
  }
  return result;
}

export const twoVariableLibrary: Library = {
  name: 'cel.lib.ext.comprev2',
  since: 32,
  macros: TWO_VARIABLE_MACROS,
  functions: [
    declared('cel.@mapInsert', [
      plain('@mapInsert_map_key_value', [MAP, K, V], MAP, insert),
      plain('@mapInsert_map_map', [MAP, MAP], MAP, insertAll),
    ]),
  ],
};
