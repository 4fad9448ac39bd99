import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteBuilder } from '../../../runtime/registry/stored-objects/byte-builder.ts';

const test = suite('byte builder');

const SKIPPED = 5;
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ maxLength: 40 }));

test('texts come out as their UTF-8, one after the other, however often the memory is used', () => {
  const builder = new ByteBuilder();
  fc.assert(
    fc.property(fc.array(fc.record({ text, as: fc.constantFrom('text', 'counted', 'bytes') })), (texts) => {
      builder.begin(SKIPPED);
      const want: Buffer[] = [];
      for (const { text: each, as } of texts) {
        const bytes = Buffer.from(each);
        if (as === 'bytes') builder.bytes(bytes);
        else if (as === 'counted') {
          builder.countedText(each);
          want.push(Buffer.from([bytes.length & 0xff, bytes.length >> 8]));
        } else assert.is(builder.text(each), bytes.length);
        want.push(bytes);
      }
      const all = Buffer.concat(want);
      assert.is(builder.length, SKIPPED + all.length);
      assert.ok(builder.finish().subarray(SKIPPED).equals(all));
    }),
  );
});

test('what is longer than the memory keeps what stands before it', () => {
  const builder = new ByteBuilder();
  builder.begin(0);
  builder.text('{"a":1}');
  builder.replaceLast(',"b":"');
  const long = 'ä€'.repeat(100_000);
  builder.text(long);
  builder.text('"}');
  const made = builder.finish();
  assert.is(made.toString(), `{"a":1,"b":"${long}"}`);
  builder.begin(0);
  builder.text('short');
  assert.is(builder.finish().toString(), 'short');
  assert.is(made.toString('utf8', 0, 7), '{"a":1,');
});

test.run();
