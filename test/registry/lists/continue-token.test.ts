import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeContinue, encodeContinue } from '../../../runtime/registry/lists/continue-token.ts';

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
  ['two slashes in front', encoded({ v: VERSION, rv: 1, start: '//x' })],
  ['a slash at the end', encoded({ v: VERSION, rv: 1, start: 'x/' })],
  ['a token with padding', 'eyJ2IjoxfQ=='],
  ['a way out of the prefix', encoded({ v: VERSION, rv: 1, start: '../secrets/x' })],
] as const) {
  test(`${name} is refused`, () => assert.throws(() => decodeContinue(token, VERSION), /continue key is not valid/));
}

test('a token is read as Go reads it: names in any case, line feeds, a slash in front of the key', () => {
  const token = raw(`{"V":"${VERSION}","rv":5,"Rv":7,"START":"a/b"}`);
  assert.equal(decodeContinue(token, VERSION), { revision: 7, start: 'a/b' });
  assert.equal(decodeContinue(`${token.slice(0, 9)}\r\n${token.slice(9)}\n`, VERSION), { revision: 7, start: 'a/b' });
  assert.equal(decodeContinue(encoded({ v: VERSION, rv: 7, start: '/a/b' }), VERSION), { revision: 7, start: 'a/b' });
  assert.equal(decodeContinue(encoded({ v: VERSION, rv: 7, start: '/' }), VERSION), { revision: 7, start: '' });
});

test('any revision below 0 is the present', () =>
  assert.equal(decodeContinue(encoded({ v: VERSION, rv: -5, start: 'a' }), VERSION), { revision: -1, start: 'a' }));

test('text that is no JSON is explained', () =>
  assert.throws(() => decodeContinue('Zm9v', VERSION), /not valid: invalid character 'o' in literal false \(expecting 'a'\)$/));

const raw = (text: string | Buffer): string => Buffer.from(text as string).toString('base64url');
for (const [token, message] of [
  ['garbage', "invalid character '\\u0081' looking for beginning of value"],
  ['zz', "invalid character 'Ï' looking for beginning of value"],
  [raw('[]'), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
  [raw('1'), 'json: cannot unmarshal number into Go value of type storage.continueToken'],
  [raw('"a"'), 'json: cannot unmarshal string into Go value of type storage.continueToken'],
  [raw('{"v":1}'), 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
  [raw('{"rv":"1"}'), 'json: cannot unmarshal string into Go struct field continueToken.rv of type int64'],
  [raw('{"rv":1.5}'), 'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64'],
  [raw('{"start":[]}'), 'json: cannot unmarshal array into Go struct field continueToken.start of type string'],
  [raw('null'), 'server does not recognize this encoded version '],
] as const) {
  test(`the token ${token} is explained in the words of 1.32`, () => {
    try {
      decodeContinue(token, VERSION);
      assert.unreachable('it is refused');
    } catch (error) {
      assert.is((error as Error).message, `invalid continue token: continue key is not valid: ${message}`);
    }
  });
}

test('a character too many is named', () => assert.throws(() => decodeContinue('Zm9vx', VERSION), /illegal base64 data at input byte 4$/));

test.run();
