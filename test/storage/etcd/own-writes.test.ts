import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type OwnWrite, OwnWrites } from '../../../runtime/storage/etcd/own-writes.ts';
import { bytes } from '../contract/store.ts';

const own = suite('writes of this process that are under way');

const put = (key: string, sent: string, given = sent): OwnWrite => ({
  key,
  sent: Buffer.from(sent),
  expectedRevision: undefined,
  value: bytes(given),
});
const removal = (key: string, expectedRevision: number, given: string): OwnWrite => ({
  key,
  sent: undefined,
  expectedRevision,
  value: bytes(given),
});
const stored = (writes: OwnWrites, key: string, value: string) => writes.stored(key, Buffer.from(value))?.bytes.toString();

own('a value is known by its key and its bytes, as long as its write is under way', () => {
  const writes = new OwnWrites();
  const write = put('pods/a', 'in etcd', 'here');
  assert.is(stored(writes, 'pods/a', 'in etcd'), undefined);
  writes.begin(write);
  assert.is(stored(writes, 'pods/a', 'in etcd'), 'here');
  assert.is(stored(writes, 'pods/b', 'in etcd'), undefined);
  assert.is(stored(writes, 'pods/a', 'in etcD'), undefined);
  assert.is(stored(writes, 'pods/a', ''), undefined);
  writes.end(write);
  assert.is(stored(writes, 'pods/a', 'in etcd'), undefined);
});

own('several writes of one key end one by one', () => {
  const writes = new OwnWrites();
  const [first, second, same] = [put('pods/a', '1'), put('pods/a', '2'), put('pods/a', '1', 'same')];
  for (const write of [first, second, same]) writes.begin(write);
  assert.is(stored(writes, 'pods/a', '1'), '1');
  writes.end(first);
  assert.is(stored(writes, 'pods/a', '1'), 'same');
  assert.is(stored(writes, 'pods/a', '2'), '2');
  writes.end(first);
  writes.end(same);
  writes.end(second);
  assert.is(stored(writes, 'pods/a', '2'), undefined);
});

own('an empty value is a value, and no removal', () => {
  const writes = new OwnWrites();
  writes.begin(put('pods/a', '', 'here'));
  assert.is(stored(writes, 'pods/a', ''), 'here');
  assert.is(writes.removed('pods/a', 0), undefined);
});

own('a removal is known by the revision that it removes', () => {
  const writes = new OwnWrites();
  const write = removal('pods/a', 7, 'last');
  writes.begin(put('pods/a', '1'));
  writes.begin(write);
  assert.is(writes.removed('pods/a', 7)?.bytes.toString(), 'last');
  assert.is(writes.removed('pods/a', 8), undefined);
  assert.is(writes.removed('pods/b', 7), undefined);
  writes.end(write);
  assert.is(writes.removed('pods/a', 7), undefined);
});

own('the removal of what an own update would replace is not that update', () => {
  const writes = new OwnWrites();
  writes.begin({ ...put('pods/a', '1'), expectedRevision: 7 });
  assert.is(writes.removed('pods/a', 7), undefined);
});

own('what is found is a copy each time: the same bytes may come at several revisions, of which one is the own', () => {
  const writes = new OwnWrites();
  const [write, last] = [put('pods/a', '1'), removal('pods/a', 7, 'last')];
  writes.begin(write);
  writes.begin(last);
  const found = [writes.stored('pods/a', Buffer.from('1')), writes.stored('pods/a', Buffer.from('1')), writes.removed('pods/a', 7)];
  for (const each of found) each?.bytes.fill('x');
  assert.is(write.value.bytes.toString(), '1');
  assert.is(last.value.bytes.toString(), 'last');
  assert.ok(found[0]?.bytes !== found[1]?.bytes);
});

own.run();
