import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deepEqual } from '../../../runtime/schema/equal.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { PatchError } from '../../../runtime/schema/patch/error.ts';
import { applyMergePatch } from '../../../runtime/schema/patch/merge-patch.ts';

const patching = suite('merge patch');

/** The rows of appendix A of RFC 7386 that patch an object with an object, then others. */
const applied: readonly [document: string, patch: string, result: string][] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ['{"a":1}', '{"a":{"b":null,"c":1}}', '{"a":{"c":1}}'],
  ['{}', '{"l":[{"a":null,"b":1},null]}', '{"l":[{"b":1},null]}'],
  ['{"l":{"a":1}}', '{"l":[{"a":null,"b":1},null]}', '{"l":[{"a":null,"b":1},null]}'],
  ['{"l":"x"}', '{"l":[{"a":null}]}', '{"l":[{}]}'],
  ['{"a":{}}', '{"a":{"__proto__":{"x":1},"constructor":1}}', '{"a":{"__proto__":{"x":1},"constructor":1}}'],
  ['{"a":{"__proto__":{"x":1,"y":2}}}', '{"a":{"__proto__":{"x":null}}}', '{"a":{"__proto__":{"y":2}}}'],
  ['{"a":9007199254740993}', '{"b":9007199254740995}', '{"a":9007199254740993,"b":9007199254740995}'],
  ['{"a":1.0}', '{"a":{"b":2.0}}', '{"a":{"b":2.0}}'],
];
for (const [document, patch, result] of applied) {
  patching(`${document} with ${patch}`, () => {
    const [before, change] = [parseJson(document).value, parseJson(patch).value];
    assert.is(JSON.stringify(applyMergePatch(before, change)), result);
    assert.is(JSON.stringify(before), document);
    assert.is(JSON.stringify(change), patch);
  });
}

for (const patch of [null, 'x', 5, [1], true]) {
  patching(`refuses ${JSON.stringify(patch)}`, () => {
    assert.throws(
      () => applyMergePatch({}, patch),
      (error: unknown) => error instanceof PatchError && error.reason === 'malformed',
    );
  });
}

const hasNullsInLists = (value: unknown): boolean =>
  Array.isArray(value)
    ? /\{.*:null/.test(JSON.stringify(value))
    : typeof value === 'object' && value !== null && Object.values(value).some(hasNullsInLists);

patching('applying twice is applying once', () => {
  const object = fc.dictionary(fc.string({ maxLength: 2 }), fc.jsonValue({ maxDepth: 3 }));
  fc.assert(
    fc.property(object, object, (document, patch) => {
      // Where a list takes an object's place, its nulls stay, and go the next time.
      fc.pre(!hasNullsInLists(patch));
      const once = applyMergePatch(document, patch);
      assert.ok(deepEqual(applyMergePatch(once, patch), once));
    }),
  );
});

patching.run();
