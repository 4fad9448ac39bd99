import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Uint } from '../../../runtime/expressions/syntax/literal.ts';
import type { Node } from '../../../runtime/expressions/syntax/node.ts';
import { type ParseOptions, parse } from '../../../runtime/expressions/syntax/parser.ts';
import { ALL_SYNTAX } from './environment.ts';

/** A node in one line: its kind or name, its place, and what it is made of. */
function line(node: Node): string {
  const { at, from, to } = node;
  const place = `@${at}[${from},${to}]`;
  switch (node.kind) {
    case 'literal':
      return `${literal(node.value)}${place}`;
    case 'identifier':
      return `${node.name}${place}`;
    case 'select':
      return `${line(node.operand)} .${node.field}${node.testOnly ? '?' : ''}${place}`;
    case 'call':
      return `${node.function}${place}(${[...(node.target === undefined ? [] : [node.target]), ...node.args].map(line).join(', ')})`;
    case 'list':
      return `list${place}[${node.elements.map(({ value, optional }) => (optional ? '?' : '') + line(value)).join(', ')}]`;
    case 'map':
      return `map${place}{${node.entries.map(({ key, value, optional }) => `${optional ? '?' : ''}${line(key)}: ${line(value)}`).join(', ')}}`;
    case 'struct':
      return `${node.type}${place}{${node.fields.map(({ name, at, value, optional }) => `${optional ? '?' : ''}${name}@${at}: ${line(value)}`).join(', ')}}`;
    case 'comprehension':
      return `fold${place}`;
  }
}

function literal(value: Extract<Node, { kind: 'literal' }>['value']): string {
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Uint8Array) return `b${Array.from(value).join('.')}`;
  return typeof value === 'number'
    ? `double ${Object.is(value, -0) ? '-0' : value}`
    : typeof value === 'string'
      ? JSON.stringify(value)
      : `${value}`;
}

const places = suite('places of nodes');
for (const [source, expected] of [
  ['a + b', '_+_@2[0,5](a@0[0,1], b@4[4,5])'],
  ['(a) + (b)', '_+_@4[0,9](a@1[1,2], b@7[7,8])'],
  ['a.b.c(1)', 'c@5[0,8](a@0[0,1] .b@1[0,3], 1@6[6,7])'],
  ['a[1]', '_[_]@1[0,4](a@0[0,1], 1@2[2,3])'],
  ['f(x)', 'f@1[0,4](x@2[2,3])'],
  ['.f(x)', '.f@2[0,5](x@3[3,4])'],
  ['.a', '.a@1[0,2]'],
  ['a.b.C{f: x}', 'a.b.C@5[0,11]{f@7: x@9[9,10]}'],
  ['.C{ f : x , ?g : y , }', '.C@2[0,22]{f@6: x@8[8,9], ?g@15: y@17[17,18]}'],
  ['{ k : v }', 'map@0[0,9]{k@2[2,3]: v@6[6,7]}'],
  ['[1, 2,]', 'list@0[0,7][1@1[1,2], 2@4[4,5]]'],
  ['a ? b : c', '_?_:_@2[0,9](a@0[0,1], b@4[4,5], c@8[8,9])'],
  ['!!!a', '!_@0[0,4](a@3[3,4])'],
  ['!!a', 'a@2[2,3]'],
  ['- a', '-_@0[0,3](a@2[2,3])'],
  ['- 1', '-1@0[0,3]'],
  ['--1', '1@2[2,3]'],
  ['---1', '-_@0[0,4](1@3[3,4])'],
  ['!-1', '!_@0[0,3](-1@1[1,3])'],
  ['-1.f()', 'f@4[0,6](-1@0[0,2])'],
  ['a - -1', '_-_@2[0,6](a@0[0,1], -1@4[4,6])'],
  ['a-1', '_-_@1[0,3](a@0[0,1], 1@2[2,3])'],
  ['a.?b', '_?._@1[0,4](a@0[0,1], "b"@3[3,4])'],
  ['a[?b]', '_[?_]@1[0,5](a@0[0,1], b@3[3,4])'],
  ['[?a]', 'list@0[0,4][?a@2[2,3]]'],
  ['{?a: b}', 'map@0[0,7]{?a@2[2,3]: b@5[5,6]}'],
  ['has(a.b)', 'a@4[4,5] .b?@3[0,8]'],
  ['😀'.length === 2 ? "'😀' + a" : '', '_+_@5[0,8]("😀"@0[0,4], a@7[7,8])'],
  ['a in b', '@in@2[0,6](a@0[0,1], b@5[5,6])'],
  ['// c\na', 'a@5[5,6]'],
] as const)
  places(source, () => assert.is(line(parse(source, ALL_SYNTAX).root), expected));
places.run();

/** Nodes without their places. */
const shape = (source: string, options: ParseOptions = ALL_SYNTAX): string =>
  line(parse(source, options).root).replace(/@\d+\[\d+,\d+\]/g, '');

const shapes = suite('shapes of trees');
for (const [source, expected] of [
  ['a + b * c - d', '_-_(_+_(a, _*_(b, c)), d)'],
  ['a == b < c', '_<_(_==_(a, b), c)'],
  ['a || b && c', '_||_(a, _&&_(b, c))'],
  ['a && b && c', '_&&_(_&&_(a, b), c)'],
  ['a && b && c && d', '_&&_(_&&_(a, b), _&&_(c, d))'],
  ['a && b && c && d && e', '_&&_(_&&_(_&&_(a, b), c), _&&_(d, e))'],
  ['a ? b : c ? d : e', '_?_:_(a, b, _?_:_(c, d, e))'],
  ['[,]', 'list[]'],
  ['{,}', 'map{}'],
  ['T{,}', 'T{}'],
  ['a.in', undefined],
  ['a.as', 'a .as'],
  ['1.5.f()', 'f(double 1.5)'],
  ['size(a).b', 'size(a) .b'],
  ['a.f(b)(c)', undefined],
  ['(a){}', undefined],
  ['a.b{}.c', 'a.b{} .c'],
  ['f(a,)', undefined],
  ['a ? b ? c : d : e', undefined],
  ['a.`b-c`', undefined],
] as const)
  shapes(source, () => (expected === undefined ? assert.throws(() => shape(source), /Syntax error/) : assert.is(shape(source), expected)));
shapes('names in backquotes, where they are allowed', () => {
  const options = { ...ALL_SYNTAX, quotedNames: true };
  assert.is(shape('a.`b-c/d.e f`', options), 'a .b-c/d.e f');
  assert.is(shape('T{`in`: 1}', options), 'T{in@6: 1}');
  assert.is(shape('a.?`b-c`', options), '_?._(a, "b-c")');
  assert.throws(() => shape('`a`', options), /mismatched input '`a`'/);
});
shapes.run();

const literals = suite('literals');
for (const [source, expected] of [
  ['0x1F', '31'],
  ['0xFu', '15u'],
  ['-0x1', '-1'],
  ['9223372036854775807', '9223372036854775807'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['- 9223372036854775808', '-9223372036854775808'],
  ['18446744073709551615U', '18446744073709551615u'],
  ['1e3', 'double 1000'],
  ['.5e-1', 'double 0.05'],
  ['-0.0', 'double -0'],
  ['1e-400', 'double 0'],
  ["'''a\r\nb\rc'''", '"a\\nb\\nc"'],
  ['"""a"b""c"""', '"a\\"b\\"\\"c"'],
  ['""""""', '""'],
  ["r'\\n'", '"\\\\n"'],
  ["R'''\\'''", '"\\\\"'],
  ["'\\x41\\101\\u0041\\U00000041'", '"AAAA"'],
  ["'\\xff\\377'", '"ÿÿ"'],
  ["b'\\xff\\377ÿ'", 'b255.255.195.191'],
  ["bR'\\x'", 'b92.120'],
  ["'\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"\\`\\?'", JSON.stringify('\u0007\b\f\n\r\t\v\\\'"`?')],
  ["'\\U0001F600'", '"😀"'],
] as const)
  literals(JSON.stringify(source), () => assert.is(shape(source), expected));
for (const [source, message] of [
  ['9223372036854775808', '1:1: invalid int literal'],
  ['-9223372036854775809', '1:1: invalid int literal'],
  ['--9223372036854775808', '1:3: invalid int literal'],
  ['1 - 9223372036854775808', '1:5: invalid int literal'],
  ['18446744073709551616u', '1:1: invalid uint literal'],
  ['1e400', '1:1: invalid double literal'],
  ["'\\ud800'", '1:1: invalid unicode code point'],
  ["'\\UFFFFFFFF'", '1:1: invalid unicode code point'],
  ["b'\\u0041'", '1:1: unable to unescape string'],
] as const)
  literals(source, () =>
    assert.throws(
      () => parse(source, ALL_SYNTAX),
      (error: Error) => error.message.startsWith(`ERROR: <input>:${message}\n`),
    ),
  );
literals.run();

const ids = suite('ids of nodes');
ids('are unique and less than the number that is told', () => {
  const { root, ids: count } = parse(
    '[1, 2].map(x, x > 1, {x: T{f: x}.f[0]}).exists(y, has(y.a) && !y.b || -y.c == z ? p : q.?r)',
    ALL_SYNTAX,
  );
  const seen: number[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('id' in value) seen.push(value.id as number);
    for (const part of Object.values(value)) visit(part);
  };
  visit(root);
  assert.ok(seen.length > 30);
  assert.is(new Set(seen).size, seen.length);
  assert.ok(Math.min(...seen) >= 1 && Math.max(...seen) < count);
});
ids.run();
