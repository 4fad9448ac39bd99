import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { applyMergePatch } from '../../../runtime/schema/patch/merge-patch.ts';
import { mapText, patchedText } from '../../../runtime/schema/patch/patch-text.ts';

const texts = suite('patches in errors');

const maps: readonly [name: string, patch: string, text: string][] = [
  ['maps by name, lists, null', '{"b":[null,"x y",{}],"a":{"d":true,"c":[]}}', 'map[a:map[c:[] d:true] b:[<nil> x y map[]]]'],
  ['integers', '{"a":[7,-1,1000000000000000,9223372036854775807]}', 'map[a:[7 -1 1000000000000000 9223372036854775807]]'],
  ['doubles', '{"a":[1.5,2.0,0.0001,123456.5]}', 'map[a:[1.5 2 0.0001 123456.5]]'],
  ['doubles with an exponent', '{"a":[1e6,0.00001,1.5e300,9223372036854775808]}', 'map[a:[1e+06 1e-05 1.5e+300 9.223372036854776e+18]]'],
];
for (const [name, patch, text] of maps) texts(name, () => assert.is(mapText(parseJson(patch).value), text));

texts('of a long patch, what is shown of it', () => {
  const value = Array.from({ length: 1_000 }, (_, index) => ({ name: index }));
  const [whole, beginning] = [mapText(value), mapText(value, 5_000)];
  assert.ok(beginning.length > 5_000 && beginning.length < 5_100, `${beginning.length}`);
  assert.is(beginning.slice(0, 5_001), whole.slice(0, 5_001));
});

texts('what a merge patch has touched has its members by name, the rest is as it was', () => {
  const document = parseJson('{"kind":"K","apiVersion":"v1","spec":{"z":1,"y":{"b":1,"a":2},"x":{"d":1,"c":2}}}').value;
  const merged = applyMergePatch(document, parseJson('{"spec":{"x":{"e":5},"list":[{"g":1,"f":2}]}}').value);
  assert.is(
    patchedText(merged, document),
    '{"apiVersion":"v1","kind":"K","spec":{"list":[{"f":2,"g":1}],"x":{"c":2,"d":1,"e":5},"y":{"b":1,"a":2},"z":1}}',
  );
});

texts.run();
