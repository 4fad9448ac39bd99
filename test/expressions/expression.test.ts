import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { REVIEW_TYPE, reviewValue } from '../../runtime/authorization/webhook/review-types.ts';
import { CompileError, compileExpression, ExpressionError } from '../../runtime/expressions/expression.ts';
import { mustBe } from '../../runtime/expressions/expression-problems.ts';
import { BOOL, DYN, INT, listOf, mapOf, STRING } from '../../runtime/expressions/types/type.ts';
import { jsonValue } from '../../runtime/expressions/values/json-values.ts';
import type { Value } from '../../runtime/expressions/values/value.ts';
import { longText, usedHeap } from '../harness/heap.ts';

const variables = { request: REVIEW_TYPE, n: INT, s: STRING, l: listOf(INT), m: mapOf(STRING, INT), d: DYN };
const values: Record<string, Value> = {
  request: reviewValue({
    user: 'alice',
    groups: ['dev', 'qa'],
    extra: { scopes: ['a', 'b'] },
    resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'a' },
  }),
  n: 3n,
  s: 'text',
  l: jsonValue([1, 2, 3]),
  m: jsonValue({ a: 1 }),
  d: 'dynamic',
};
const compile = (source: string, budget = 1_000_000) => compileExpression(source, { variables, otherType: mustBe(BOOL), budget });

const holds = suite('expressions that hold');
const truths = [
  "request.user == 'alice'",
  'request.user == "alice"',
  "request.user != 'bob' && !(request.user == 'bob')",
  "'dev' in request.groups",
  "!('ops' in request.groups)",
  "request.groups.exists(g, g.startsWith('q'))",
  'request.groups.all(g, size(g) >= 2)',
  "request.groups.exists_one(g, g == 'qa')",
  "request.groups.filter(g, g != 'qa') == ['dev']",
  "request.groups.map(g, g + '!') == ['dev!', 'qa!']",
  "request.groups.map(g, g == 'qa', size(g)) == [2]",
  "request.extra['scopes'].size() == 2 && 'scopes' in request.extra",
  'has(request.resourceAttributes) && !has(request.nonResourceAttributes)',
  "has(request.resourceAttributes) && request.resourceAttributes.namespace == 'a'",
  "request.resourceAttributes.name == '' && request.uid == ''",
  "!has(request.nonResourceAttributes) || request.nonResourceAttributes.path == '/x'",
  "request.nonResourceAttributes.path == '/x' || request.user == 'alice'",
  "request.user.matches('^al.*e$') && matches(request.user, 'lic')",
  "request.user.contains('lic') && request.user.endsWith('ce')",
  'n > 2 && n >= 3 && n < 4 && n <= 3 && n != 4',
  'n + 1 == 4 && n - 5 == -2 && n * 2 == 6 && n / 2 == 1 && n % 2 == 1 && -n == -3',
  '7 / -2 == -3 && 7 % -2 == 1',
  '1u + 2u == 3u && 1.5 + 1.5 == 3.0 && 0x10 == 16 && 1e3 == 1000.0',
  '1 < 2.5 && 2u > 1 && dyn(9007199254740993) == 9007199254740992.0',
  '-9223372036854775808 < -9223372036854775807 && - 9223372036854775808 < 0',
  'n -1 == 2 && n - -1 == 4 && -n == -3 && --n == 3 && - 1.5 < 0.0 && -(1) == -1',
  'n == 3 ? true : false',
  'l[0] == 1 && l[2] == n && l + [4] == [1, 2, 3, 4]',
  "m.a == 1 && m['a'] == 1 && has(m.a) && !has(m.b) && m == {'a': 1}",
  "{'x': [1, 2]}['x'][1] == 2 && {1u: 'a'}[dyn(1)] == 'a'",
  "d == 'dynamic' && d != 1 && dyn(1) == 1",
  "string(n) == '3' && int('-7') == -7 && string(true) == 'true'",
  "'a\\n\\u00e4' != r'a\\n' && '''a'b\"c''' == \"a'b\\\"c\" && 'ab' < 'b'",
  String.raw`size(r'\') == 1 && r'\n' == '\\n' && r"""\""" == '\\' && br'\377' == b'\\377'`,
  String.raw`'''a\'''b''' == "a'''b" && """a\"""b""" == 'a"""b'`,
  String.raw`size(b'\xff') == 1 && b'\xff' == b'\377' && size(b'ÿ') == 2 && '\xff' == 'ÿ' && '\377' == 'ÿ' && b'\n' == b'\x0a'`,
  "b'abc' == b'\\x61bc' && size(b'abc') == 3 && size('é') == 1",
  "'ABC'.lowerAscii() == 'abc' && ' x '.trim() == 'x' && 'a,b'.split(',') == ['a', 'b']",
  'true || 1 / 0 == 1',
  '1 / 0 == 1 || true',
  '!(1 / 0 == 1 && false)',
  '[1, 0].exists(x, 1 / x == 1) && [0, 1].exists(x, 1 / x == 1)',
  'null == null && true // a comment',
  '[[1], [2]].all(x, x.all(y, y < 3))',
  'l.all(index, each, index < each)',
];
for (const source of truths) holds(source, () => assert.is(compile(source).evaluate(values), true));
holds.run();

const wrong: [source: string, message: string][] = [
  ['request.usr == 1', "ERROR: <input>:1:8: undefined field 'usr'\n | request.usr == 1\n | .......^"],
  ['foo == 1', "compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')"],
  ['request.user', 'must evaluate to bool but got string'],
  ['n + 1', 'must evaluate to bool but got int'],
  ['d', 'must evaluate to bool but got dyn'],
  ["n == 'a'", "found no matching overload for '_==_' applied to '(int, string)'"],
  ["n + 'a' == 1", "found no matching overload for '_+_' applied to '(int, string)'"],
  ["'a' in l", "found no matching overload for '@in'"],
  ['s.startsWith(1)', "found no matching overload for 'startsWith' applied to 'string.(int)'"],
  ['nothing(1)', "undeclared reference to 'nothing'"],
  ['s.constructor()', "undeclared reference to 'constructor'"],
  ['request.__proto__ == 1', "undefined field '__proto__'"],
  ['type.x', "type 'type(type)' does not support field selection"],
  ['n.x', "type 'int' does not support field selection"],
  ['n.all(x, true)', 'cannot be range of a comprehension'],
  ['l.all(x, x)', "1:10: expected type 'bool' but found 'int'"],
  ["1 || l.exists(x, 'a')", "1:1: expected type 'bool' but found 'int'"],
  ['l.all(1, true)', 'argument must be a simple name'],
  ['has(n)', 'invalid argument to has() macro'],
  ['l.exists(x, true) && x == 1', "undeclared reference to 'x'"],
  ["s.matches('(')", ':1:11: invalid matches argument'],
  ["s.find('(') == s", 'program instantiation failed: error parsing regexp'],
  ["int('x') == 1", "type conversion error from 'string' to 'int'"],
  ['n ==', "Syntax error: mismatched input '<EOF>'"],
  ['n == 1 1', 'Syntax error'],
  ['(n == 1', 'Syntax error'],
  ['n = 1', 'token recognition error'],
  ["'abc", 'token recognition error'],
  ["'\\q' == s", 'token recognition error'],
  [String.raw`'\477' == s`, 'token recognition error'],
  [String.raw`'\x1' == s`, 'token recognition error'],
  [String.raw`'\ud800' == s`, 'invalid unicode code point'],
  [String.raw`b'\u00ff' == b''`, 'unable to unescape string'],
  ['for == 1', 'reserved identifier: for'],
  ['9223372036854775808000 == 1', 'invalid int literal'],
  ['9223372036854775808 > 1', ':1:1: invalid int literal'],
  ['0 - (9223372036854775808) > 1', ':1:6: invalid int literal'],
  ['1 -9223372036854775808 > 1', ':1:4: invalid int literal'],
  ['--9223372036854775808 > 1', 'invalid int literal'],
  ['-9223372036854775808.size() == 1', "applied to 'int.()'"],
  ['-1u == 1u', "applied to '(uint)'"],
  ['\nn == \n foo', '<input>:3:2: undeclared'],
  [`${'('.repeat(300)}true${')'.repeat(300)}`, 'recursion limit exceeded'],
  ['x'.repeat(100_001), 'exceeds limit'],
];
const refused = suite('expressions that do not compile');
for (const [source, message] of wrong)
  refused(source.slice(0, 60), () =>
    assert.throws(
      () => compile(source),
      (error: unknown) => error instanceof CompileError && error.message.includes(message),
    ),
  );
refused.run();

const failing: [source: string, message: string][] = [
  ["request.nonResourceAttributes.path == '/x'", 'no such key: nonResourceAttributes'],
  ['m.b == 1', 'no such key: b'],
  ['l[3] == 1', 'index out of bounds: 3'],
  ['l[-1] == 1', 'index out of bounds: -1'],
  ['1 / (n - 3) == 1', 'division by zero'],
  ['1 % (n - 3) == 1', 'modulus by zero'],
  ['9223372036854775807 + n == 1', 'integer overflow'],
  ['2u - 3u == 1u', 'unsigned integer overflow'],
  ['d.x == 1', 'no such key: x'],
  ['d + 1 == 1', 'no such overload'],
  ["s.matches(s + '(')", 'error parsing regexp'],
  ['int(s) == 1', "type conversion error from 'string' to 'int'"],
  ['l.exists_one(x, 1 / (x - 1) == 1)', 'division by zero'],
  ['l.all(x, 1 / (x - 1) >= 0)', 'division by zero'],
];
const failed = suite('expressions that come to no value');
for (const [source, message] of failing)
  failed(source, () =>
    assert.throws(
      () => compile(source).evaluate(values),
      (error: unknown) => error instanceof ExpressionError && error.message.includes(message),
    ),
  );
failed('what costs too much is broken off', () => {
  const big = { ...values, l: jsonValue(Array.from({ length: 1_000 }, (_, index) => index)) };
  const expression = compile('l.all(a, l.all(b, l.all(c, a + b + c >= 0)))');
  assert.throws(() => expression.evaluate(big), /actual cost limit exceeded/);
});
failed('patterns take linear time', () => {
  const text = `${'a'.repeat(5_000)}!`;
  assert.is(compile("s.matches('^(a+)+$')", 1e9).evaluate({ ...values, s: text }), false);
});
failed('long patterns are not kept', () => {
  const expression = compile('s.matches(s)', 1e9);
  expression.evaluate({ ...values, s: 'a' });
  const before = usedHeap();
  for (let index = 0; index < 50; index++) expression.evaluate({ ...values, s: longText(index, 10_000) });
  const grown = usedHeap() - before;
  assert.ok(grown < 5_000_000, `${grown} bytes`);
});
failed.run();
