import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatFindings, SyntaxErrors } from '../../../runtime/expressions/syntax/finding.ts';
import { type ParseOptions, parse } from '../../../runtime/expressions/syntax/parser.ts';
import { ALL_SYNTAX } from './environment.ts';

const OPERAND = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** @returns each finding with its line and column */
function findings(source: string, options: ParseOptions = ALL_SYNTAX): string[] {
  try {
    parse(source, options);
    return [];
  } catch (error) {
    if (!(error instanceof SyntaxErrors)) throw error;
    return error.findings.map(({ line, column, message }) => `${line}:${column}: ${message.replaceAll(OPERAND, 'OPERAND')}`);
  }
}

const words = suite('words of syntax errors');
for (const [source, expected] of [
  ['', ["1:0: Syntax error: mismatched input '<EOF>' expecting OPERAND"]],
  ['a..b', ["1:3: Syntax error: no viable alternative at input '..'"]],
  ['has(.)', ['1:0: invalid argument to has() macro', "1:6: Syntax error: no viable alternative at input '.)'"]],
  [
    '[1].all(., .)',
    [
      '1:0: argument must be a simple name',
      "1:10: Syntax error: no viable alternative at input '.,'",
      "1:13: Syntax error: no viable alternative at input '.)'",
    ],
  ],
  ['../up', ["1:2: Syntax error: no viable alternative at input '..'"]],
  ['1Gi', ["1:2: Syntax error: extraneous input 'Gi' expecting <EOF>"]],
  ['2001:db8::1/64', ["1:5: Syntax error: mismatched input ':' expecting <EOF>"]],
  ['10.0.0.999', ["1:5: Syntax error: mismatched input '.0' expecting <EOF>"]],
  ['/abs/path', ["1:1: Syntax error: extraneous input '/' expecting OPERAND"]],
  ['*', ["1:1: Syntax error: mismatched input '*' expecting OPERAND", "1:2: Syntax error: mismatched input '<EOF>' expecting OPERAND"]],
  ['self.in > 0', ["1:6: Syntax error: no viable alternative at input '.in'", "1:9: Syntax error: extraneous input '>' expecting OPERAND"]],
  ['self.true > 0', ["1:6: Syntax error: mismatched input 'true' expecting IDENTIFIER"]],
  ['self.null > 0', ["1:6: Syntax error: mismatched input 'null' expecting IDENTIFIER"]],
  ["self.objs[0][0].k! == '1'", ["1:18: Syntax error: mismatched input '!' expecting <EOF>"]],
  ["variables.n != 'x'x", ["1:19: Syntax error: extraneous input 'x' expecting <EOF>"]],
  ['f(a', ["1:4: Syntax error: missing ')' at '<EOF>'"]],
  ['[a b]', ["1:4: Syntax error: extraneous input 'b' expecting {']', ','}"]],
  ['("s"[.==f', ["1:7: Syntax error: no viable alternative at input '.=='", "1:10: Syntax error: missing ')' at '<EOF>'"]],
  ['a = b', ["1:3: Syntax error: token recognition error at: '= '", "1:5: Syntax error: extraneous input 'b' expecting <EOF>"]],
  ['"a', ["1:1: Syntax error: token recognition error at: '\"a'", "1:3: Syntax error: mismatched input '<EOF>' expecting OPERAND"]],
  [
    '"a\\q" + 1',
    [
      "1:1: Syntax error: token recognition error at: '\"a\\q'",
      "1:5: Syntax error: token recognition error at: '\" + 1'",
      "1:10: Syntax error: mismatched input '<EOF>' expecting OPERAND",
    ],
  ],
  ['- )', ["1:3: Syntax error: no viable alternative at input '- )'", "1:3: Syntax error: mismatched input ')' expecting OPERAND"]],
  ['a\n  .b\n  .', ["3:4: Syntax error: no viable alternative at input '.'"]],
  [
    "'é' ++ é",
    [
      "1:6: Syntax error: mismatched input '+' expecting OPERAND",
      "1:8: Syntax error: token recognition error at: 'é'",
      "1:9: Syntax error: mismatched input '<EOF>' expecting OPERAND",
    ],
  ],
  ["'😀' 1", ["1:5: Syntax error: extraneous input '1' expecting <EOF>"]],
  ['rb"a"', ['1:3: Syntax error: extraneous input \'"a"\' expecting <EOF>']],
  ['0X1', ["1:2: Syntax error: extraneous input 'X1' expecting <EOF>"]],
  ['if', ['1:1: reserved identifier: if']],
  ['.if', ['1:1: reserved identifier: if']],
  ['for(1)', ['1:1: reserved identifier: for']],
  [
    'if + else +',
    ['1:1: reserved identifier: if', '1:6: reserved identifier: else', "1:12: Syntax error: mismatched input '<EOF>' expecting OPERAND"],
  ],
  [
    '[9223372036854775808, has(a), 1',
    [
      '1:2: invalid int literal',
      '1:27: invalid argument to has() macro',
      "1:32: Syntax error: mismatched input '<EOF>' expecting {']', ','}",
    ],
  ],
] as const)
  words(JSON.stringify(source), () => assert.equal(findings(source), expected));
words('of what stands before an error, and behind it', () => {
  assert.equal(findings('if + has(a) == l.map(1, x).f(for) && [as, {while: 1}, -9223372036854775809] )'), [
    '1:1: reserved identifier: if',
    '1:10: invalid argument to has() macro',
    '1:22: argument is not an identifier',
    '1:30: reserved identifier: for',
    '1:39: reserved identifier: as',
    '1:44: reserved identifier: while',
    '1:55: invalid int literal',
    "1:77: Syntax error: extraneous input ')' expecting <EOF>",
  ]);
});
words('of syntax for optional values, where it is not allowed', () => {
  const options = { ...ALL_SYNTAX, optionalSyntax: false };
  assert.equal(findings('a.?b[?c] + [?d] + {?e: f} + T{?g: h}', options), [
    "1:2: unsupported syntax '.?'",
    "1:5: unsupported syntax '[?'",
    "1:13: unsupported syntax '?'",
    "1:20: unsupported syntax '?'",
    "1:31: unsupported syntax '?'",
  ]);
});
words('of what could not be read at all mark the beginning of the text', () => {
  const macro = { at: -1, message: 'invalid argument to has() macro' };
  assert.is(formatFindings('1 +\nhas(.)', [macro]), 'ERROR: <input>:1:0: invalid argument to has() macro\n | 1 +\n | ^');
});
words.run();

const limits = suite('limits');
limits('of length count code points', () => {
  const options = { ...ALL_SYNTAX, maxLength: 5 };
  assert.equal(findings("'😀😀'", options), []);
  assert.equal(findings("'😀😀😀'", { ...options, maxLength: 4 }), ['-1:0: expression code point size exceeds limit: size: 5, limit 4']);
  assert.equal(findings(`'${'a'.repeat(100_000)}'`), ['-1:0: expression code point size exceeds limit: size: 100002, limit 100000']);
});
const TOO_DEEP = '-1:0: expression recursion limit exceeded: 250';
const TOO_HIGH = '-1:0: max recursion depth exceeded';
for (const [name, source, expected] of [
  ['parentheses', (depth: number) => `${'('.repeat(depth)}1${')'.repeat(depth)}`, [249, TOO_DEEP]],
  ['lists', (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`, [249, TOO_DEEP]],
  ['maps', (depth: number) => `${'{1:'.repeat(depth)}1${'}'.repeat(depth)}`, [249, TOO_DEEP]],
  ['calls', (depth: number) => `${'f('.repeat(depth)}1${')'.repeat(depth)}`, [249, TOO_DEEP]],
  ['conditions', (depth: number) => `${'a?b:'.repeat(depth)}c`, [249, TOO_DEEP]],
  ['comparisons to the right', (depth: number) => `${'1==('.repeat(depth)}1${')'.repeat(depth)}`, [124, TOO_DEEP]],
  ['sums', (depth: number) => `1${'+1'.repeat(depth)}`, [250, TOO_HIGH]],
  ['comparisons', (depth: number) => `1${'<1'.repeat(depth)}`, [250, TOO_HIGH]],
  ['selections', (depth: number) => `a${'.b'.repeat(depth)}`, [250, TOO_HIGH]],
  ['calls of members', (depth: number) => `a${'.b()'.repeat(depth)}`, [250, TOO_HIGH]],
  ['indexes', (depth: number) => `a${'[0]'.repeat(depth)}`, [250, TOO_HIGH]],
] as const)
  limits(`of depth: ${name}`, () => {
    const [greatest, message] = expected;
    assert.equal(findings(source(greatest)), []);
    assert.equal(findings(source(greatest + 1)), [message]);
  });
limits('do not hold for what is not deep', () => {
  assert.equal(findings(Array(20_000).fill('a').join('&&')), []);
  assert.equal(findings(Array(20_000).fill('a').join('||')), []);
  assert.equal(findings('!'.repeat(99_999).concat('a')), []);
  assert.equal(findings(`[${Array(30_000).fill('1').join(',')}]`), []);
});
limits('of the findings that are told', () => {
  const error = assertThrows(() => parse('@'.repeat(300), ALL_SYNTAX));
  assert.is(error.message.match(/token recognition error/g)?.length, 100);
  assert.ok(error.message.endsWith('\n1 more errors were truncated'), error.message.slice(-100));
});
limits('of lines that are shown', () => {
  const error = assertThrows(() => parse(`'${'a'.repeat(16_384)}' b`, ALL_SYNTAX));
  assert.is(error.message, "ERROR: <input>:1:16388: Syntax error: extraneous input 'b' expecting <EOF>");
});
limits.run();

function assertThrows(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

const forms = suite('form of messages');
for (const [name, source, finding, expected] of [
  ['a line of several', 'a\nb +\nc', { at: 4, message: 'm' }, 'ERROR: <input>:2:3: m\n | b +\n | ..^'],
  ['tabs are blanks', '\ta', { at: 1, message: 'm' }, 'ERROR: <input>:1:2: m\n |  a\n | .^'],
  ['wide marks under wide characters', "'é😀' é", { at: 6, message: 'm' }, "ERROR: <input>:1:6: m\n | 'é😀' é\n | .．．..＾"],
  ['the end of the text', 'a\n', { at: 2, message: 'm' }, 'ERROR: <input>:2:1: m\n | \n | ^'],
  ['no place', 'a', { at: undefined, message: 'm' }, 'ERROR: <input>:-1:0: m'],
] as const)
  forms(name, () => assert.is(formatFindings(source, [finding]), expected));
forms.run();
