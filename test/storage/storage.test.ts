import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareKeys, fillRevision, prefixEnd, REVISION_GAP, resourceOfPrefix, resourcePrefix } from '../../runtime/storage/storage.ts';

const test = suite('storage interface');

for (const [revision, expected] of [
  [0, '0"'],
  [7, '7"'],
  [1_234_567, '1234567"'],
  [Number.MAX_SAFE_INTEGER, '9007199254740991"'],
] as const) {
  test(`revision ${revision} fills its gap and nothing else`, () => {
    const bytes = Buffer.alloc(REVISION_GAP + 4, 'x');
    fillRevision(bytes, 2, revision);
    assert.is(String(bytes), `xx${expected.padEnd(REVISION_GAP)}xx`);
  });
}

for (const [prefix, end] of [
  ['pods/', 'pods0'],
  ['a', 'b'],
  ['', ''],
  ['é', 'ê'],
  ['a\ud7ff', 'a\ue000'],
  ['a\uffff', 'a\u{10000}'],
  ['a\u{1f600}', 'a\u{1f601}'],
  ['a\u{10ffff}', 'b'],
  ['\u{10ffff}\u{10ffff}', ''],
] as const) {
  test(`the end of ${JSON.stringify(prefix)} is ${JSON.stringify(end)}`, () => assert.is(prefixEnd(prefix), end));
}

for (const [key, resource] of [
  ['pods/ns/a', 'pods'],
  ['pods', 'pods'],
  ['services/specs/ns/a', 'services/specs'],
  ['services/endpoints/ns/a', 'services/endpoints'],
  ['servicesx/specs/ns/a', 'servicesx'],
  ['shop.example/gadgets/ns/a', 'shop.example/gadgets'],
  ['shop.example/gadgets/a', 'shop.example/gadgets'],
  ['shop.example/gadgets', 'shop.example/gadgets'],
  ['shop.example', 'shop.example'],
  ['pods/ns/a.b/c', 'pods'],
  ['', ''],
] as const)
  test(`${JSON.stringify(key)} is of the resource ${JSON.stringify(resource)}`, () => assert.is(resourcePrefix(key), resource));

for (const [prefix, resource] of [
  ['pods/', 'pods'],
  ['pods/ns/', 'pods'],
  ['pods', undefined],
  ['shop.example/', undefined],
  ['services/', undefined],
  ['services/specs/', 'services/specs'],
  ['shop.example/gadgets', undefined],
  ['shop.example/gadgets/', 'shop.example/gadgets'],
  ['', undefined],
] as const)
  test(`keys behind ${JSON.stringify(prefix)} are of ${resource ?? 'any resource'}`, () => assert.is(resourceOfPrefix(prefix), resource));

const text = fc.string({ unit: 'binary' });
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

test('keys compare as their bytes do', () => {
  fc.assert(fc.property(text, text, (a, b) => assert.is(Math.sign(compareKeys(a, b)), byBytes(a, b))));
  fc.assert(fc.property(text, text, text, (p, a, b) => assert.is(Math.sign(compareKeys(p + a, p + b)), byBytes(p + a, p + b))));
});

test('what starts with a prefix, and nothing else, stands between it and its end', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), text, text, (prefix, rest, other) => {
      for (const key of [prefix + rest, other]) {
        const end = prefixEnd(prefix);
        const between = byBytes(key, prefix) >= 0 && (end === '' || byBytes(key, end) < 0);
        assert.is(between, key.startsWith(prefix));
      }
    }),
  );
});

test.run();
