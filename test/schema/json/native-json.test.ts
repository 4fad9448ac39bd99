/** Names of members stay what they are, whatever was parsed before in the same process. */
import { globSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseStoredJson } from '../../../runtime/registry/stored-objects/parse-stored-json.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { parseNativeJson } from '../../../runtime/schema/json/native-json.ts';

const test = suite('names in JSON');

/** A name that V8 would show in place of `victim` once it has parsed it: the beginning of how that one is written. */
const mistakenFor = (victim: string): string => JSON.stringify(victim).slice(1, 1 + victim.length);

const victims = ['"', '\n', 'k:{"name":"main"}', 'a\\"b', '\u2028"', '\\'];
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  parseNativeJson: (text) => parseNativeJson(text),
  parseJson: (text) => parseJson(text).value,
  parseStoredJson: (text) => parseStoredJson(Buffer.from(text)),
};

for (const [name, parse] of Object.entries(parsers))
  for (const victim of victims)
    test(`${name} keeps ${JSON.stringify(victim)} beside what is written alike`, () => {
      for (let i = 0; i < 3; i++) parse(JSON.stringify({ [name]: 1, [mistakenFor(victim)]: 2 }));
      const object = { [name]: 1, [victim]: { [victim]: 3 } };
      assert.equal(parse(JSON.stringify(object)), object);
    });

const piece = fc.constantFrom('\\', '"', '\n', 'a', 'u005c', '\u0001', ':', ' ');
const key = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
for (const [name, parse] of Object.entries(parsers))
  test(`${name} keeps all names of all objects`, () => {
    const named = { maxKeys: 3, noNullPrototype: true };
    const object = fc.dictionary(key, fc.dictionary(key, fc.integer(), named), named);
    fc.assert(fc.property(object, (given) => assert.equal(parse(JSON.stringify(given)), given)));
  });

test('nothing else hands texts from outside to the parser of Node', () => {
  // texts of this server's own, and texts that were looked at before
  const allowed = [
    'authorization/rbac/bootstrap-marker',
    // of a package that programs of others run, whose texts are looked at before as well
    'client/objects/json',
    'registry/stored-objects/parse-stored-json',
    'schema/json/json-path',
    'schema/json/json-text',
    'schema/json/native-json',
    'schema/text/flat-text',
    'storage/encryption/noted-keys',
    'storage/lmdb/pages/put-back',
    'storage/lmdb/store-files/format',
    'storage/lmdb/write-ahead-log/log-note',
    'storage/snapshot/snapshot-file',
  ];
  const found = globSync('runtime/**/*.ts').filter((file) =>
    /JSON\.parse\b/.test(readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')),
  );
  assert.equal(
    found.sort(),
    allowed.map((file) => `runtime/${file}.ts`),
  );
});

test.run();
