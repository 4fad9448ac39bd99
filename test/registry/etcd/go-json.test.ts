/** JSON as 1.32 writes it to etcd. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { goObject, goText } from '../../../runtime/registry/etcd/go-json.ts';

const test = suite('JSON as 1.32 writes it');
const written = async (json: string): Promise<string> => (await goObject(Buffer.from(json))).toString();

for (const [name, json, want] of [
  ['members in the order of their names', '{"kind":"A","apiVersion":"v1","alpha":1}', '{"alpha":1,"apiVersion":"v1","kind":"A"}'],
  ['names that look like numbers', '{"9":1,"10":2}', '{"10":2,"9":1}'],
  ['objects in objects, and in lists', '{"b":[{"d":1,"c":[2,1]}],"a":{"y":{},"x":[]}}', '{"a":{"x":[],"y":{}},"b":[{"c":[2,1],"d":1}]}'],
  ['names that begin alike', '{"ab":1,"a":2,"abc":3}', '{"a":2,"ab":1,"abc":3}'],
  ['names that begin alike and are escaped', '{"a\\"":1,"a":2,"a\\n":3}', '{"a":2,"a\\n":3,"a\\"":1}'],
  ['objects in order beside one that is not', '{"a":{"x":1,"y":2},"b":{"y":2,"x":1}}', '{"a":{"x":1,"y":2},"b":{"x":1,"y":2}}'],
  ['what is ordered, with its line end', '{"a":null,"b":true}\n', '{"a":null,"b":true}\n'],
  ['nothing in it', '{}\n', '{}\n'],
  ['numbers as they are', '{"b":1e+300,"a":9007199254740993}', '{"a":9007199254740993,"b":1e+300}'],
  ['names by their bytes', '{"\u{1f600}":1,"\uffee":2,"é":3,"z":4}', '{"z":4,"é":3,"\uffee":2,"\u{1f600}":1}'],
  ['names that are escaped', '{"b":1,"\\"":2,"\\\\":3}', '{"\\"":2,"\\\\":3,"b":1}'],
  ['texts with braces, commas and quotes', '{"b":"},{\\"","a":"[,]"}', '{"a":"[,]","b":"},{\\""}'],
  ['what HTML gives a meaning', '{"<":"&>","a":"\u2028\u2029"}', '{"\\u003c":"\\u0026\\u003e","a":"\\u2028\\u2029"}'],
] as const)
  test(name, async () => assert.is(await written(json), want));

test('long objects as short ones, and deep ones', async () => {
  const items = Array.from({ length: 20_000 }, (_, i) => `{"b":${i},"a":"${i}"}`).join(',');
  assert.is(await written(`{"items":[${items}]}`), `{"items":[${items.replace(/("b":\d+),("a":"\d+")/g, '$2,$1')}]}`);
  const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
  assert.is(await written(deep), deep);
});

test('text without such characters is the same bytes', () => {
  const json = Buffer.from('{"b":1,"a":2}');
  assert.is(goText(json), json);
  assert.is(goText(Buffer.from('{"b":"<"}')).toString(), '{"b":"\\u003c"}');
});

test.run();
