/** The tables of the official conformance tests, whose trees come from the original implementation. */
import { tests as checking } from '@bufbuild/cel-spec/testdata/checking.js';
import { tests as comprehension } from '@bufbuild/cel-spec/testdata/comprehension.js';
import { tests as conformance } from '@bufbuild/cel-spec/testdata/conformance.js';
import { tests as parsing } from '@bufbuild/cel-spec/testdata/parsing.js';
import type { SerializedIncrementalTest, SerializedIncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MacroTable } from '../../../runtime/expressions/syntax/macro-table.ts';
import { parse } from '../../../runtime/expressions/syntax/parser.ts';
import { EXISTS_ONE_BY_ITS_LATER_NAME, STANDARD_MACROS } from '../../../runtime/expressions/syntax/standard-macros.ts';
import { debugText } from './debug-text.ts';

const macros = new MacroTable([...STANDARD_MACROS, EXISTS_ONE_BY_ITS_LATER_NAME]);

function rowsOf({ suites = [], tests = [] }: SerializedIncrementalTestSuite): SerializedIncrementalTest[] {
  return [...tests, ...suites.flatMap(rowsOf)];
}

const trees = suite('trees of the official tables');
for (const [name, table, least] of [
  ['parser', parsing, 108],
  ['checker', checking, 124],
  ['comprehensions', comprehension, 82],
  ['conformance', conformance, 2259],
] as const)
  trees(name, () => {
    const rows = rowsOf(table).filter(({ ast }) => ast !== undefined);
    assert.ok(rows.length >= least, `${rows.length} rows`);
    for (const { original, ast } of rows) assert.is(debugText(parse(original.expr, { macros, optionalSyntax: false }).root), ast);
  });
trees.run();
