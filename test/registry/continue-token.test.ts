import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeContinue, encodeContinue } from '../../runtime/registry/continue-token.ts';

const test = suite('continue token');
const VERSION = 'meta.example/v1';

test('comes back as it was', () => {
  for (const point of [
    { revision: 12, start: 'a\0' },
    { revision: -1, start: 'ns/näme\0' },
  ])
    assert.equal(decodeContinue(encodeContinue(point, VERSION), VERSION), point);
});

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
for (const [name, token] of [
  ['no JSON', 'zzz'],
  ['null', encoded(null)],
  ['another version', encoded({ v: 'x', rv: 1, start: 'a' })],
  ['revision 0', encoded({ v: VERSION, rv: 0, start: 'a' })],
  ['a revision that is no integer', encoded({ v: VERSION, rv: 1.5, start: 'a' })],
  ['no key', encoded({ v: VERSION, rv: 1, start: '' })],
  ['a way out of the prefix', encoded({ v: VERSION, rv: 1, start: '../secrets/x' })],
] as const) {
  test(`${name} is refused`, () => assert.throws(() => decodeContinue(token, VERSION), /continue key is not valid/));
}

test('text that is no JSON is explained', () =>
  assert.throws(() => decodeContinue('Zm9v', VERSION), /not valid: invalid character 'o' in literal false \(expecting 'a'\)$/));

test('a character too many is named', () => assert.throws(() => decodeContinue('Zm9vx', VERSION), /illegal base64 data at input byte 4$/));

test.run();
