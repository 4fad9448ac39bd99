import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kubernetesLibraries, NEW_EXPRESSIONS, STORED_EXPRESSIONS } from '../../../runtime/expressions/libraries/kubernetes.ts';
import { compileError } from './evaluation.ts';

/** An expression, and the releases in whose environments it compiles. */
const rows: readonly (readonly [expression: string, since: number, until?: number])[] = [
  ["'a'.lowerAscii()", 0],
  ["isURL('a')", 0],
  ["'a'.find('a')", 0],
  ['[1].sum()', 0],
  ["'%d'.format([1])", 29],
  ["strings.quote('a')", 29],
  ["quantity('1')", 28],
  ['optional.of(1)', 28],
  ['sets.contains([1], [1])', 29],
  ["duration('x') == duration('1s')", 0, 28],
  ["timestamp('x') == timestamp('y')", 0, 28],
  ["'a'.matches('[')", 0, 28],
  ["ip('::1')", 30],
  ["cidr('::1/128')", 30],
  ['format.dns1123Label()', 31],
  ['[1].all(i, v, i < v)', 32],
  ['{1: 2}.transformMap(k, v, v)', 32],
  ["semver('1.2.3')", 33],
];
const REFUSED = ["[1, 'a']", '{1: 2, true: 3}', "{1: 'a', 2: 3}", '[1, dyn(2)]', 'cel.bind(x, 1, x)', 'math.abs(1)', "'a'.reverse()"];

const test = suite('libraries by release');
for (const [expression, since, until = Number.POSITIVE_INFINITY] of rows)
  test(`${expression} compiles since ${since}`, () => {
    const compiled = [0, 27, 28, 29, 30, 31, 32, 33].filter((minor) => compileError(expression, kubernetesLibraries(minor)) === '');
    assert.equal(
      compiled,
      [0, 27, 28, 29, 30, 31, 32, 33].filter((minor) => since <= minor && minor <= until),
    );
  });
for (const expression of REFUSED)
  test(`${expression} never compiles`, () => assert.is.not(compileError(expression, kubernetesLibraries(STORED_EXPRESSIONS)), ''));
test('literals of several types are refused with their place', () =>
  assert.match(
    compileError("[1, 'a', 2.0]", kubernetesLibraries(NEW_EXPRESSIONS)),
    "ERROR: <input>:1:5: expected type 'int' but found 'string'",
  ));
test('literals of several types may be formatted', () =>
  assert.is(compileError("'%s %s'.format([1, [2, 'a']])", kubernetesLibraries(NEW_EXPRESSIONS)), ''));
test.run();
