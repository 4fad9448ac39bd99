/** A list that is put together item by item is the text that it would be as a whole. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeValue } from '../../../runtime/endpoints/answers/respond.ts';
import { listLayout, STAND_IN } from '../../../runtime/endpoints/lists/list-layout.ts';

const test = suite('list layout');

const LISTS = {
  list: (items: object[]) => ({ kind: 'ThingList', apiVersion: 'v1', metadata: { resourceVersion: '7', continue: 'token' }, items }),
  table: (rows: object[]) => ({
    kind: 'Table',
    apiVersion: 'meta/v1',
    metadata: { resourceVersion: '7' },
    columnDefinitions: [{ name: 'Name', type: 'string', format: '', description: 'a name', priority: 0 }],
    rows,
  }),
} as const;

const anItem = fc.record({
  metadata: fc.record({ name: fc.string(), labels: fc.dictionary(fc.string(), fc.string()) }),
  spec: fc.oneof(fc.constant({}), fc.record({ list: fc.array(fc.oneof(fc.integer(), fc.boolean(), fc.string())) })),
});

for (const [kind, listOf] of Object.entries(LISTS))
  for (const [name, encoding, pretty] of [
    ['compact JSON', 'json', false],
    ['indented JSON', 'json', true],
    ['YAML', 'yaml', false],
  ] as const) {
    const { around, item = { separator: ',', of: (json: Buffer) => json }, empty } = listLayout(encoding, pretty);

    test(`${name} of a ${kind}`, () => {
      const [beginning, end] = around(listOf([STAND_IN]));
      fc.assert(
        fc.property(fc.array(anItem, { minLength: 1, maxLength: 4 }), (items) => {
          const texts = items.map((each) => item.of(Buffer.from(JSON.stringify(each))).toString());
          assert.is(beginning + texts.join(item.separator) + end, encodeValue(listOf(items), encoding, pretty));
        }),
      );
    });

    test(`${name} of an empty ${kind}`, () => {
      assert.is(empty(listOf([])), encodeValue(listOf([]), encoding, pretty));
    });
  }

test.run();
