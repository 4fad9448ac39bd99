/** How many objects lists are about. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ObjectCounts } from '../../runtime/fairness/object-counts.ts';
import { compareKeys } from '../../runtime/storage/storage.ts';

const KEYS = ['pods/a/1', 'pods/a/2', 'pods/ab/1', 'pods/b/1', 'podsets/a/1'];
const test = suite('counts of objects');
const rows: [prefix: string, count: number][] = [
  ['pods/', 4],
  ['pods/a/', 2],
  ['pods/c/', 0],
];
for (const [prefix, count] of rows)
  test(`${prefix} are counted, and not again at once`, () => {
    let asked = 0;
    const counts = new ObjectCounts({
      count({ start, end }) {
        asked++;
        return KEYS.filter((key) => compareKeys(key, start) >= 0 && compareKeys(key, end) < 0).length;
      },
    });
    assert.equal([counts.of(prefix), counts.of(prefix), asked], [count, count, 1]);
  });
for (const namespace of ['x'.repeat(2_000), 'a\u0000b'])
  test(`of a namespace that none can have are none: ${JSON.stringify(namespace).slice(0, 10)}`, () => {
    assert.is(new ObjectCounts({ count: () => assert.unreachable() as never }).of(`pods/${namespace}/`), 0);
  });
test('are forgotten where clients name ever more namespaces', () => {
  let asked = 0;
  const counts = new ObjectCounts({ count: () => asked++ });
  for (let i = 0; i < 2_001; i++) counts.of(`pods/${i}/`);
  counts.of('pods/0/');
  assert.is(asked, 2_002);
});
test.run();
