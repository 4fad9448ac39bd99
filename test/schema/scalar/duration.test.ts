import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalDuration, formatDuration, parseDuration } from '../../../runtime/schema/scalar/duration.ts';

const duration = suite('duration');

const canonical: readonly [text: string, canonical: string][] = [
  ['0', '0s'],
  ['0s', '0s'],
  ['-0', '0s'],
  ['1s', '1s'],
  ['+1s', '1s'],
  ['90s', '1m30s'],
  ['90m', '1h30m0s'],
  ['1h30m', '1h30m0s'],
  ['1.5h', '1h30m0s'],
  ['0.000000001999999999999999999999s', '2ns'],
  ['1500ms', '1.5s'],
  ['.5s', '500ms'],
  ['1.s', '1s'],
  ['1us', '1µs'],
  ['1500ns', '1.5µs'],
  ['1μs', '1µs'],
  ['-1h', '-1h0m0s'],
  ['2562047h47m16.854775807s', '2562047h47m16.854775807s'],
  ['-2562047h47m16.854775808s', '-2562047h47m16.854775808s'],
];
for (const [text, expected] of canonical) {
  duration(`${text} is ${expected}`, () => {
    assert.is(canonicalDuration(text), expected);
    assert.is(canonicalDuration(expected), expected);
  });
}

const refused: readonly [text: string, message: string][] = [
  ['', 'time: invalid duration ""'],
  ['-', 'time: invalid duration "-"'],
  ['s', 'time: invalid duration "s"'],
  ['.s', 'time: invalid duration ".s"'],
  ['1', 'time: missing unit in duration "1"'],
  ['1h2', 'time: missing unit in duration "1h2"'],
  ['1d', 'time: unknown unit "d" in duration "1d"'],
  ['1 s', 'time: unknown unit " s" in duration "1 s"'],
  ['1constructor', 'time: unknown unit "constructor" in duration "1constructor"'],
  ['99999999999999999999', 'time: invalid duration "99999999999999999999"'],
  ['99999999999999999999d', 'time: invalid duration "99999999999999999999d"'],
  ['2562047h47m16.854775808s', 'time: invalid duration "2562047h47m16.854775808s"'],
  ['99999999999999999999', 'time: invalid duration "99999999999999999999"'],
  ['9223372036854775809x', 'time: invalid duration "9223372036854775809x"'],
  ['99999999999999999999s', 'time: invalid duration "99999999999999999999s"'],
];
for (const [text, message] of refused) {
  duration(`refuses ${JSON.stringify(text)}`, () => {
    assert.is(parseDuration(text), undefined);
    assert.throws(
      () => canonicalDuration(text),
      (error: unknown) => error instanceof Error && error.message === message,
    );
  });
}

const fractions: [text: string, nanoseconds: bigint][] = [
  ['0.1000000000000000001m', 6_000_000_000n],
  ['0.9999999999999999999h', 3_600_000_000_000n],
  ['0.3333333333333333333333s', 333_333_333n],
];
for (const [text, nanoseconds] of fractions)
  duration(`computes ${text} in floating point`, () => assert.is(parseDuration(text), nanoseconds));

duration('whatever is written is read back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanoseconds) => {
      assert.is(parseDuration(formatDuration(nanoseconds)), nanoseconds);
    }),
  );
});

duration.run();
