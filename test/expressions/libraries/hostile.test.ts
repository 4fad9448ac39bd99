/** What expressions make of long texts and of many of them takes time in proportion, and is bounded. */

import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../../runtime/expressions/compile.ts';
import type { Library } from '../../../runtime/expressions/environment/declarations.ts';
import { Environment } from '../../../runtime/expressions/environment/environment.ts';
import { EXTENSIONS } from '../../../runtime/expressions/libraries/extensions.ts';
import { kubernetesLibraries } from '../../../runtime/expressions/libraries/kubernetes.ts';
import { plain } from '../../../runtime/expressions/libraries/overloads.ts';
import { indexFrom, lastIndexUntil, piecesOf } from '../../../runtime/expressions/libraries/strings/search.ts';
import { Program } from '../../../runtime/expressions/plan/program.ts';
import { INT, listOf, STRING } from '../../../runtime/expressions/types/type.ts';
import { ArrayList, ErrorValue, type Value } from '../../../runtime/expressions/values/value.ts';
import { evaluate, plainValue } from './evaluation.ts';

const LIBRARIES = kubernetesLibraries(32);
/** With the product of two lengths, each of the rows would take minutes, and the file would not end. */
const LENGTH = 1_000_000;

const text = (value: string) => ({ type: STRING, value });
const list = (items: readonly Value[]) => ({ type: listOf(STRING), value: new ArrayList(items) });
const VARIABLES = {
  a: text('a'.repeat(LENGTH)),
  half: text(`b${'a'.repeat(LENGTH / 2)}`),
  ends: text(`${'a'.repeat(LENGTH / 2)}b`),
  spaces: text(`${' '.repeat(LENGTH)}x${' '.repeat(LENGTH)}x`),
  faces: text('😀'.repeat(LENGTH)),
  digits: text('1'.repeat(LENGTH)),
  slashes: text(`https://${'/:@%41'.repeat(LENGTH / 6)}`),
  many: list(new Array<string>(100_000).fill('a'.repeat(LENGTH))),
};

const TOO_LONG = 'error: result is longer than 16777216 characters';
const rows: readonly (readonly [expression: string, value: unknown])[] = [
  ['a.indexOf(half)', -1n],
  ['a.indexOf(ends)', -1n],
  ['a.lastIndexOf(half)', -1n],
  ['a.replace(ends, "").size()', BigInt(LENGTH)],
  ['a.split(half).size()', 1n],
  ['spaces.trim().size()', BigInt(LENGTH + 2)],
  ['faces.substring(999999).size()', 1n],
  ['faces.split("").size()', BigInt(LENGTH)],
  ['faces.indexOf("x")', -1n],
  ['a.replace("", a).size()', TOO_LONG],
  ['a.replace("a", a).size()', TOO_LONG],
  ['many.join().size()', TOO_LONG],
  ['many.join(a).size()', TOO_LONG],
  ['"%s".format([many]).size()', TOO_LONG],
  ['"%s%s".format([a, a]).size()', BigInt(2 * LENGTH)],
  ['"%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s".format([a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a]).size()', TOO_LONG],
  ['"%.32767f".format([1.5]).size()', 257n],
  ['"%.32767f".format([5e-324]).size() < 2000', true],
  ['"%.32767e".format([1.5]).size()', 32_767n],
  ['a.find("(a|aa)*$").size()', BigInt(LENGTH)],
  ['a.findAll("(a+)+b").size()', 0n],
  ['isQuantity(digits)', false],
  ['isIP(digits) || isIP(slashes) || isCIDR(slashes)', false],
  ['isURL(slashes)', true],
  ['format.dns1123Subdomain().validate(a).hasValue()', true],
  ['format.byte().validate(a).hasValue()', false],
  ['format.datetime().validate(digits).hasValue()', true],
];

const test = suite('hostile texts in expressions');
for (const [expression, value] of rows)
  test(expression, () => assert.equal(plainValue(evaluate(expression, LIBRARIES, VARIABLES).value), value));

test('a call that costs more than there is does not run', () => {
  const ran: Value[] = [];
  const run = (value: Value): Value => {
    ran.push(value);
    return value;
  };
  const charged: Library = {
    name: 'charged',
    since: 0,
    functions: [
      { name: 'ofFunction', overloads: [plain('of_function', [INT], INT, run)], cost: ([units]) => Number(units) },
      { name: 'ofOverload', overloads: [plain('of_overload', [INT], INT, run, { cost: (units) => Number(units) })] },
    ],
  };
  const environment = new Environment({ libraries: [...LIBRARIES, charged] });
  const isOverLimit = (source: string) =>
    new Program(compile(source, environment)).evaluate((name) => new ErrorValue(name), 1_000).isOverLimit;
  assert.equal(['ofFunction(1001)', 'ofOverload(1001)', 'ofFunction(999)', 'ofOverload(998)'].map(isOverLimit), [true, true, false, false]);
  assert.equal(ran, [999n, 998n]);
});

/** Runs what reads the clock, which goes by a second with each look at it. */
function whileTimeFlies<T>(run: () => T): T {
  const { now } = performance;
  let seconds = 0;
  performance.now = () => 1_000 * seconds++;
  try {
    return run();
  } finally {
    performance.now = now;
  }
}
const INTERRUPTED = 'error: operation interrupted';
const slow: readonly (readonly [expression: string, value: unknown])[] = [
  ["few.all(x, few.all(y, few.all(z, z != 'b')))", INTERRUPTED],
  ["few.all(x, x != 'b')", true],
  ['long.findAll("(?:.*b|a)").size()', INTERRUPTED],
  ['long.findAll("(?:.*b|a)", 50).size()', 50n],
];
for (const [expression, value] of slow)
  test(`${expression} while time flies`, () => {
    const variables = { few: list(new Array<string>(30).fill('a')), long: text('a'.repeat(200)) };
    assert.equal(plainValue(whileTimeFlies(() => evaluate(expression, LIBRARIES, variables).value)), value);
  });

test('a precision of more digits than any number has is refused', () => {
  const { value } = evaluate("dyn('%.99999999999999999999999f').format([1.0])", LIBRARIES);
  assert.match(String(plainValue(value)), 'precision 99999999999999999999... exceeds maximum allowed precision 32767');
});

test('shifts by any number of bits are cheap', () => {
  const { value } = evaluate('math.bitShiftLeft(1, 9223372036854775807)', [...LIBRARIES, ...EXTENSIONS]);
  assert.is(value, 0n);
});

for (const [name, source] of [
  ['optMap', `optional.of(1)${'.optMap(x, x + 1)'.repeat(60)}`],
  ['optMap and indexes', `optional.of([1])${'.optMap(x, x)[?0].optMap(x, [x])'.repeat(30)}`],
] as const)
  test(`macros within each other that repeat their target are planned once: ${name}`, () => {
    const program = new Program(compile(source, new Environment({ libraries: LIBRARIES, variables: {} })));
    assert.ok(program.evaluate(() => new ErrorValue('no variable'), 100_000).isOverLimit);
  });

/** Texts of few letters repeat themselves. */
const letters = (length: { minLength: number; maxLength: number }) => fc.string({ unit: fc.constantFrom('a', 'b'), ...length });

test('long texts are found where short ones are', () => {
  const grown = 1_100;
  fc.assert(
    fc.property(letters({ minLength: 0, maxLength: 80 }), letters({ minLength: 33, maxLength: 60 }), fc.nat(100), (around, part, at) => {
      const whole = `${around}${part}${part.slice(1)}${around}`.repeat(grown);
      assert.is(indexFrom(whole, part, at), whole.indexOf(part, at));
      assert.is(lastIndexUntil(whole, part, whole.length - at), whole.lastIndexOf(part, whole.length - at));
      assert.equal(piecesOf(whole, part), whole.split(part));
      assert.equal(piecesOf(whole, part, 2).slice(0, 2), whole.split(part).slice(0, 2));
    }),
    { numRuns: 30 },
  );
});
test.run();
