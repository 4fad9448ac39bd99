import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { volumePathWarnings } from '../../../../runtime/kinds/core/volumes/volume-path-warnings.ts';

const test = suite('warnings of files of volumes');
const secret = (...paths: string[]) => ({ name: 'v', secret: { secretName: 's', items: paths.map((path) => ({ key: 'k', path })) } });
const about = (pair: string) => `volume "v" (Secret "s"): overlapping paths: ${pair}`;

const rows: [name: string, paths: string[], pairs: string[]][] = [
  ['apart', ['a', 'ab', 'b/a', 'b/ab'], []],
  ['at the same path', ['a', 'a'], ['"a" with "a"']],
  ['at the same path but for slashes at the end', ['a', 'a//'], ['"a" with "a"']],
  ['below each other', ['a/b', 'a', 'a/b/c'], ['"a" with "a/b"', '"a/b/c" with "a/b"', '"a/b/c" with "a"']],
  ['without a path', ['', ''], []],
];
for (const [name, paths, pairs] of rows) test(`files ${name}`, () => assert.equal(volumePathWarnings(secret(...paths)), pairs.map(about)));

const MANY = 5_000;
const many = (path: (index: number) => string): string[] => Array.from({ length: MANY }, (_, index) => path(index));

test('what many files have in common is said once', () => {
  assert.equal(volumePathWarnings(secret(...many(() => 'a'))), [about('"a" with "a"')]);
});

test('of many files in the place of each other not more is said than anybody reads', () => {
  const sources = many((index) => `a/${index}`).map((path) => ({
    secret: {
      name: 's',
      items: [
        { key: 'k', path: 'a' },
        { key: 'k', path },
      ],
    },
  }));
  for (const volume of [secret(...many((index) => `a${'/a'.repeat(index % 300)}`)), { name: 'v', projected: { sources } }]) {
    const { length } = volumePathWarnings(volume);
    assert.ok(length >= 100 && length < 2_000, String(length));
  }
});

test('a path of slashes takes no time', () => {
  assert.equal(volumePathWarnings(secret(`${'/'.repeat(500_000)}x`, 'x')), []);
});

test.run();
