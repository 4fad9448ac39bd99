import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flatText } from '../../../runtime/schema/text/flat-text.ts';

const test = suite('flatText');

test('the text is the same, whatever it is cut out of or put together of', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('\ud800', '"\\\u2028', ''));
  fc.assert(
    fc.property(text, text, (one, other) => {
      const both = `${one}${other}`;
      assert.is(flatText(both), both);
      assert.is(flatText(both.slice(one.length)), other);
    }),
  );
});

test.run();
