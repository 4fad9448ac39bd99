import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ListScanner } from '../../../runtime/client/informers/list-scanner.ts';

/** @param sizes of the pieces in which the text arrives, again and again */
function scan(text: string, sizes: readonly number[]): { items: unknown[]; envelope: unknown } {
  const scanner = new ListScanner();
  const bytes = Buffer.from(text);
  const items: unknown[] = [];
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const end = start + (sizes[turn % sizes.length] as number);
    for (const json of scanner.push(bytes.subarray(start, end))) items.push(JSON.parse(json.toString()));
    start = end;
  }
  return { items, envelope: JSON.parse(scanner.envelope()) };
}

const test = suite('lists that arrive in pieces');
const lists: [name: string, list: object][] = [
  ['without items', { kind: 'List', metadata: { resourceVersion: '1' }, items: [] }],
  ['with null for items', { items: null, metadata: {} }],
  ['with members behind the items', { items: [{ a: 1 }, { b: [1, { c: 2 }] }], metadata: { resourceVersion: '1' } }],
  ['whose items have items', { metadata: {}, items: [{ items: [{ items: [] }] }, {}] }],
  ['with items elsewhere', { metadata: { items: [{ no: 1 }] }, other: 'items', items: [{ yes: 1 }], last: ['items', [{}]] }],
  ['with marks of JSON in texts', { metadata: { a: '"items":[{' }, items: [{ a: ']}"\\', '"items"': '[{' }, { é: '\u2028}' }] }],
];
for (const [name, list] of lists)
  for (const sizes of [[1], [2], [3, 7], [1_000]])
    for (const space of [0, 2])
      test(`${name}, ${sizes} bytes at a time${space > 0 ? ', with space' : ''}`, () => {
        const { items, ...envelope } = list as { items: unknown[] | null };
        assert.equal(scan(JSON.stringify(list, null, space), sizes), {
          items: items ?? [],
          envelope: { ...envelope, items: items === null ? null : [] },
        });
      });
test('of any objects', () => {
  const object = fc.dictionary(fc.oneof(fc.constant('items'), fc.string()), fc.jsonValue(), { noNullPrototype: true });
  fc.assert(
    fc.property(
      fc.array(object),
      fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
      (items, others, sizes) => {
        const text = JSON.stringify({ ...others, items });
        const parsed = JSON.parse(text);
        // the library's own comparison holds two maps for different that have a member `constructor` each
        deepStrictEqual(scan(text, sizes), { items: parsed.items, envelope: { ...parsed, items: [] } });
      },
    ),
    { examples: [[[{ constructor: {} }], { constructor: {} }, [7]]] },
  );
});
test('says where a list is not whole', () => {
  const scanner = new ListScanner();
  scanner.push(Buffer.from('{"metadata":{},"items":[{"a":1},{"b"'));
  assert.throws(() => JSON.parse(scanner.envelope()), SyntaxError);
});
test.run();
