import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../runtime/expressions/compile.ts';
import type { Library } from '../../runtime/expressions/environment/declarations.ts';
import { Environment } from '../../runtime/expressions/environment/environment.ts';
import { EXTENSIONS } from '../../runtime/expressions/libraries/extensions.ts';
import { standardLibrary } from '../../runtime/expressions/libraries/standard/standard.ts';
import { Program } from '../../runtime/expressions/plan/program.ts';
import { EXISTS_ONE_BY_ITS_LATER_NAME } from '../../runtime/expressions/syntax/standard-macros.ts';
import { DYN, typeText } from '../../runtime/expressions/types/type.ts';
import { typeNameOf } from '../../runtime/expressions/values/describe.ts';
import { equalValues } from '../../runtime/expressions/values/equality.ts';
import { ErrorValue, type Value } from '../../runtime/expressions/values/value.ts';
import { EVALUATED_BLOCKS } from './evaluated-blocks.ts';
import { declaredFunctions, type OfficialRow, officialRows, typeOfJson, valueOfJson } from './official-rows.ts';

const blocks: Library = { name: 'blocks', since: 0, macros: EVALUATED_BLOCKS };
const base = new Environment({
  libraries: [standardLibrary, ...EXTENSIONS, blocks, { name: 'exists one', since: 0, macros: [EXISTS_ONE_BY_ITS_LATER_NAME] }],
  mixedLiterals: true,
  quotedNames: true,
  strictKeys: true,
});

/** Rows that the language's implementation of 1.32 is older than, leaves out of its own tests, or has under an option that 1.32 does not set, with what it has for them. */
const OTHERWISE = new Map([
  ['optionals/optionals/map_null_entry_no_such_key', 'bool false'],
  ['optionals/optionals/map_present_key_invalid_field', 'bool false'],
  ['string_ext/last_index_of/empty_string', 'error index out of range: -1'],
  ['string_ext/value_errors/indexof_out_of_range', 'bool true'],
  ['string_ext/value_errors/lastindexof_out_of_range', 'bool true'],
  ['timestamps/duration_converters/get_milliseconds', 'int "123321"'],
]);

/** @returns what is wrong, undefined where the row is right */
function judge(row: OfficialRow): string | undefined {
  const types = Object.fromEntries(
    (row.typeEnv ?? []).map(({ name, ident }) => [name, ident === undefined ? DYN : typeOfJson(ident.type)]),
  );
  const bindings = Object.fromEntries(Object.entries(row.bindings ?? {}).map(([name, { value }]) => [name, valueOfJson(value)]));
  const unnamed = Object.fromEntries(Object.keys(bindings).map((name) => [name, DYN]));
  const environment = base.extend({
    libraries: [declaredFunctions(row)],
    variables: { ...unnamed, ...types },
    container: row.container ?? '',
    lenient: row.disableCheck === true,
  });
  let outcome: Value;
  try {
    const checked = compile(row.expr, environment);
    const deduced = row.typedResult?.deducedType;
    if (deduced !== undefined && typeText(checked.type) !== typeText(typeOfJson(deduced)))
      return `type ${typeText(checked.type)} instead of ${typeText(typeOfJson(deduced))}`;
    if (row.checkOnly === true) return undefined;
    outcome = new Program(checked, false).evaluate(
      (name) => bindings[name] ?? (name in bindings ? null : new ErrorValue(`no such attribute(s): ${name}`)),
      Number.POSITIVE_INFINITY,
    ).value;
  } catch (error) {
    if (row.evalError !== undefined) return undefined;
    return `does not compile: ${(error as Error).message}`;
  }
  const otherwise = OTHERWISE.get(row.name);
  if (otherwise !== undefined) return shown(outcome) === otherwise ? undefined : `${shown(outcome)} instead of ${otherwise}`;
  if (row.evalError !== undefined) return outcome instanceof ErrorValue ? undefined : `no error but ${shown(outcome)}`;
  const wanted = valueOfJson(row.value ?? row.typedResult?.result ?? { boolValue: true });
  const same =
    typeNameOf(outcome) === typeNameOf(wanted) && (equalValues(outcome, wanted) || (Number.isNaN(outcome) && Number.isNaN(wanted)));
  return same ? undefined : `${shown(outcome)} instead of ${shown(wanted)}`;
}

const shown = (value: Value): string =>
  value instanceof ErrorValue
    ? `error ${value.message}`
    : `${typeNameOf(value)} ${JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part))}`;

const official = suite('official conformance tests');
const rows = officialRows();
official('are there', () => assert.ok(rows.length >= 1_645, String(rows.length)));
official('hold', () => {
  const wrong = rows.flatMap((row) => {
    const problem = judge(row);
    return problem === undefined ? [] : [`${row.name}: ${row.expr}: ${problem}`];
  });
  assert.equal(wrong, []);
});
official.run();
