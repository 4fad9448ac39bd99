/** The tables of the official conformance tests, whose trees and messages come from the original implementation. */
import { tests as checking } from '@bufbuild/cel-spec/testdata/checking.js';
import { tests as comprehension } from '@bufbuild/cel-spec/testdata/comprehension.js';
import { tests as conformance } from '@bufbuild/cel-spec/testdata/conformance.js';
import { tests as parsing } from '@bufbuild/cel-spec/testdata/parsing.js';
import type { SerializedIncrementalTest, SerializedIncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SyntaxErrors } from '../../../runtime/expressions/syntax/finding.ts';
import { MacroTable } from '../../../runtime/expressions/syntax/macro-table.ts';
import { type ParseOptions, parse } from '../../../runtime/expressions/syntax/parser.ts';
import { EXISTS_ONE_BY_ITS_LATER_NAME, STANDARD_MACROS } from '../../../runtime/expressions/syntax/standard-macros.ts';
import { debugText } from './debug-text.ts';

const options: ParseOptions = { macros: new MacroTable([...STANDARD_MACROS, EXISTS_ONE_BY_ITS_LATER_NAME]), optionalSyntax: false };
/** The messages name fields in backquotes among what they expect, and were made under small limits. */
const failing: ParseOptions = { ...options, quotedNames: true, limits: { maxDepth: 32, maxRecoveries: 4, maxSkippedTokens: 4 } };

function rowsOf({ suites = [], tests = [] }: SerializedIncrementalTestSuite): SerializedIncrementalTest[] {
  return [...tests, ...suites.flatMap(rowsOf)];
}

/** The messages name the test instead of the input. */
function messageOf(expression: string): string {
  try {
    return debugText(parse(expression, failing).root);
  } catch (error) {
    if (error instanceof SyntaxErrors) return error.message.replaceAll('ERROR: <input>:', 'ERROR: :');
    throw error;
  }
}

const TABLES = [
  { name: 'parser', table: parsing, trees: 108, messages: 74 },
  { name: 'checker', table: checking, trees: 124, messages: 11 },
  { name: 'comprehensions', table: comprehension, trees: 82, messages: 10 },
  { name: 'conformance', table: conformance, trees: 2259, messages: 57 },
];

const trees = suite('trees of the official tables');
for (const { name, table, trees: count } of TABLES)
  trees(name, () => {
    const rows = rowsOf(table).filter(({ ast }) => ast !== undefined);
    assert.is(rows.length, count);
    for (const { original, ast } of rows) assert.is(debugText(parse(original.expr, options).root), ast);
  });
trees.run();

/** A later release knows names in backquotes and says that they were not allowed; release 1.32 takes the backquote for no token. */
const OF_A_LATER_RELEASE = "unsupported syntax: '`'";

const messages = suite('messages of the official tables');
for (const { name, table, messages: count } of TABLES)
  messages(name, () => {
    const rows = rowsOf(table).filter(({ ast, error }) => ast === undefined && error?.includes(OF_A_LATER_RELEASE) === false);
    assert.is(rows.length, count);
    for (const { original, error } of rows)
      assert.is(messageOf(original.expr), error?.replace(/^ERROR: [^:]*:/gm, 'ERROR: :'), original.expr);
  });
messages.run();
