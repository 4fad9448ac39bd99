import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { yamlText } from '../../../runtime/schema/yaml/yaml-bytes.ts';
import { YamlSyntaxError } from '../../../runtime/schema/yaml/yaml-syntax-error.ts';

const test = suite('bytes of YAML');
const TEXT = 'a: ä😀\n';
const big = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

test('are UTF-8, or UTF-16 that begins with its mark', () => {
  for (const bytes of [Buffer.from(TEXT), Buffer.from(`\ufeff${TEXT}`), Buffer.from(`\ufeff${TEXT}`, 'utf16le'), big(`\ufeff${TEXT}`)])
    assert.is(yamlText(bytes), TEXT);
  assert.is(yamlText(Buffer.alloc(0)), '');
});

const refusals: readonly (readonly [what: string, bytes: Buffer, problem: string])[] = [
  ['a byte that begins nothing', Buffer.from([0x61, 0xff]), 'invalid leading UTF-8 octet'],
  ['a character that is cut off', Buffer.from([0x61, 0xe2, 0x82]), 'incomplete UTF-8 octet sequence'],
  ['a character that is broken off', Buffer.from([0xc3, 0x28, 0x61]), 'invalid trailing UTF-8 octet'],
  ['a character in too many bytes', Buffer.from([0xc0, 0x80]), 'invalid length of a UTF-8 sequence'],
  ['a slash in three bytes', Buffer.from([0xe0, 0x80, 0xaf]), 'invalid length of a UTF-8 sequence'],
  ['half of a pair', Buffer.from([0xed, 0xa0, 0x80]), 'invalid Unicode character'],
  ['a character behind the last one', Buffer.from([0xf4, 0x90, 0x80, 0x80]), 'invalid Unicode character'],
  ['a control character', Buffer.from('a: \x01'), 'control characters are not allowed'],
  ['DEL', Buffer.from('a: \x7f'), 'control characters are not allowed'],
  ['half of a unit', Buffer.from([0xff, 0xfe, 0x61]), 'incomplete UTF-16 character'],
  ['half of a unit the other way round', Buffer.from([0xfe, 0xff, 0x00, 0x61, 0x00]), 'incomplete UTF-16 character'],
  ['a low surrogate', Buffer.from('\ufeff\udc00', 'utf16le'), 'unexpected low surrogate area'],
  ['a high surrogate alone', big('\ufeff\ud800a'), 'expected low surrogate area'],
  ['a high surrogate at the end', big('\ufeff\ud800'), 'incomplete UTF-16 surrogate pair'],
];
for (const [what, bytes, problem] of refusals)
  test(`have no ${what}`, () =>
    assert.throws(
      () => yamlText(bytes),
      (error: unknown) => error instanceof YamlSyntaxError && error.message === problem,
    ));
test.run();
