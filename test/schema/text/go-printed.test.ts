import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { mapText } from '../../../runtime/schema/text/go-printed.ts';

const texts = suite('values as Go prints them');

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

texts.run();
