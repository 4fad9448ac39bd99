import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyedDigest } from '../../runtime/authentication/keyed-digest.ts';

const test = suite('keyed digests');

test('are of the text alone, whatever came on the connection before', () => {
  const digest = new KeyedDigest();
  const [one, other] = [{}, {}];
  const long = 'x'.repeat(10_000);
  for (const text of ['a', 'a', 'b', 'a', long, 'b', '', long])
    for (const connection of [undefined, one, one, other]) assert.is(digest.of(text, connection), digest.of(text), text.slice(0, 10));
});

test('differ from text to text, and from key to key', () => {
  const digest = new KeyedDigest();
  const connection = {};
  const digests = ['a', 'b', '', 'ab', 'a\0'].map((text) => digest.of(text, connection));
  assert.is(new Set(digests).size, digests.length);
  assert.is.not(new KeyedDigest().of('a', connection), digest.of('a', connection));
});

test('do not show the text', () => {
  assert.not.match(new KeyedDigest().of('a-token-of-somebody', {}), /token/);
});

test.run();
