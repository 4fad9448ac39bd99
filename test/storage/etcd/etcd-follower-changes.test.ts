/** What is made here of the changes that the watch of an etcd tells. */
import * as assert from 'uvu/assert';
import { ValueDamaged } from '../../../runtime/storage/errors.ts';
import { thrown, told } from '../contract/store.ts';
import { followingSuite, LATE, turn, type View } from './followed-view.ts';
import { event } from './held-etcd.ts';

const { follows, row } = followingSuite('changes of etcd that is followed');

for (const [when, values] of [
  ['at once', { '/r/a': 'a', '/r/b': 'b', '/r/c': null, '/r/d': 'd' }],
  ['later, the first one last', { '/r/a': 'slow a', '/r/b': 'b', '/r/c': null, '/r/d': 'slow d' }],
] as const)
  row(
    `changes of several keys at one revision are seen together, where their values are read ${when}`,
    async ({ etcd, view, codec, follower }) => {
      const before = view.currentRevision();
      const seen: string[][] = [];
      const note = () =>
        void seen.push(
          told(view.changes(before, '', 1)).map((text) => text.split('=')[0] as string),
          view.all().map((text) => text.split('=')[0] as string),
          scannedKeys(view),
        );
      view.onCommit(note);
      etcd.tell(values);
      for (const slow of ['slow d', 'slow a']) {
        note();
        codec.let(slow);
        await turn();
      }
      await follower.reached(etcd.revision, LATE);
      note();
      const at = etcd.revision;
      const whole = [
        [`create a@${at}`, `create b@${at}`, `delete c@${at}`, `create d@${at}`],
        [`a@${at}`, `b@${at}`, `d@${at}`],
      ];
      const nothing = [[], [`c@${at - 1}`]];
      const known = [...whole, ...nothing].map((each) => JSON.stringify(each));
      for (const each of seen) assert.ok(known.includes(JSON.stringify(each)), `half a revision was seen: ${each}`);
      assert.equal(seen.slice(-3), [whole[0], whole[1], whole[1]]);
      assert.is(view.currentRevision(), at);
    },
    (etcd) => void etcd.change({ '/r/c': 'c' }),
  );

function scannedKeys(view: View): string[] {
  const found: string[] = [];
  view.scan({ start: '', end: '' }).next(({ key, revision }) => found.push(`${key}@${revision}`) > 0);
  return found;
}

row('what is read at once waits for what came before it and is read later', async ({ etcd, view, codec, follower }) => {
  const [first, last] = [etcd.revision + 1, etcd.revision + 3];
  etcd.tell({ '/r/a': 'slow 1' });
  etcd.tell({ '/r/a': '2' });
  etcd.tell({ '/r/b': 'slow 3' });
  const reached = follower.reached(last, LATE);
  await turn();
  assert.equal(view.all(), []);
  assert.is(view.currentRevision(), first - 1);
  codec.let('slow 1');
  await turn();
  codec.let('slow 3');
  await reached;
  assert.equal(told(view.changes(first - 1, '')), [
    `create a@${first}=slow 1`,
    `update a@${first + 1}=2<slow 1`,
    `create b@${last}=slow 3`,
  ]);
});

row('a value that cannot be read keeps its place, and the others theirs', async ({ etcd, view, codec, follower }) => {
  etcd.tell({ '/r/a': 'bad', '/r/b': 'good', '/r/c': 'slow' });
  codec.let('slow', 'no key for it');
  await follower.reached(etcd.revision, LATE);
  assert.is(view.count({ start: '', end: '' }), 3);
  const [a, b, c] = [...view.range({ start: '', end: '' })];
  assert.is(b?.value.toString(), 'good');
  for (const [entry, reason] of [
    [a, 'a cannot be read'],
    [c, 'no key for it'],
  ] as const) {
    const error = thrown(() => entry?.value) as ValueDamaged;
    assert.instance(error, ValueDamaged);
    assert.is(error.reason, reason);
  }
  etcd.tell({ '/r/a': 'good again', '/r/c': null });
  await follower.reached(etcd.revision, LATE);
  assert.is(view.get('a')?.value.toString(), 'good again');
  const changes = [...view.changes(etcd.revision - 1, '')];
  assert.equal(
    changes.map(({ operation, key }) => `${operation} ${key}`),
    ['update a', 'delete c'],
  );
  assert.instance(
    thrown(() => changes[0]?.previousValue),
    ValueDamaged,
  );
});

row('keys that no store takes, and the end of unknown ones, change nothing but the revision', async ({ etcd, view, follower }) => {
  const before = view.currentRevision();
  const odd = event('/r/x', 'odd', etcd.revision + 1);
  etcd.watch.listener.events([{ ...odd, kv: { ...odd.kv, key: Buffer.from([0x2f, 0x72, 0x2f, 0xff]) } }], ++etcd.revision);
  etcd.tell({ '/r/unknown': null });
  etcd.tell({ '/r/': 'the prefix itself' });
  await follower.reached(etcd.revision, LATE);
  assert.equal(told(view.changes(before, '')), []);
  assert.equal(view.all(), []);
  assert.is(view.currentRevision(), etcd.revision);
  await follower.seen(etcd.revision, LATE);
  etcd.tell({ '/r/a': '1' });
  await follower.reached(etcd.revision, LATE);
  assert.equal(view.all(), [`a@${etcd.revision}=1`]);
});

row('progress moves the revision, behind what was told before it and never back', async ({ etcd, view, codec, follower }) => {
  etcd.tell({ '/r/a': 'slow' });
  etcd.revision += 5;
  etcd.watch.listener.progress(etcd.revision);
  await turn();
  assert.is(view.currentRevision(), etcd.revision - 6);
  codec.let('slow');
  await follower.reached(etcd.revision, LATE);
  assert.is(view.currentRevision(), etcd.revision);
  etcd.watch.listener.progress(etcd.revision - 3);
  assert.is(view.currentRevision(), etcd.revision);
});

row('others have their turn between many changes, and are told of those that are made', async ({ etcd, view, follower }) => {
  const count = 20_000;
  const first = etcd.revision + 1;
  const events = Array.from({ length: count }, (_, i) => event(`/r/${i % 3_000}`, `${i}`, first + i));
  etcd.revision += count;
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  etcd.watch.listener.events(events, etcd.revision);
  await follower.reached(etcd.revision, LATE);
  clearInterval(counting);
  assert.is(view.currentRevision(), etcd.revision);
  assert.ok(turns > 0 && view.announced > 1, `${turns} turns, told ${view.announced} times`);
});

row('own writes are shown as they were handed over, and those of others as etcd has them', async ({ etcd, view, follower, ownWrites }) => {
  const value = { bytes: Buffer.from('as given'), revisionOffset: -1 };
  const write = { key: 'a', sent: Buffer.from('as sent'), expectedRevision: undefined, value };
  ownWrites.begin(write);
  etcd.tell({ '/r/a': 'of another', '/r/b': 'as sent' });
  etcd.tell({ '/r/a': 'as sent' });
  await follower.reached(etcd.revision, LATE);
  ownWrites.end(write);
  assert.equal(view.all(), [`a@${etcd.revision}=as given`, `b@${etcd.revision - 1}=as sent`]);
});

row('the same bytes at two revisions, of which one is an own write, say a revision each', async ({ etcd, view, follower, ownWrites }) => {
  const text = `"r":"${'?'.repeat(17)}`;
  const write = { key: 'a', sent: Buffer.from(text), expectedRevision: undefined, value: { bytes: Buffer.from(text), revisionOffset: 5 } };
  ownWrites.begin(write);
  const first = etcd.revision + 1;
  for (const value of [text, 'something else', text]) etcd.tell({ '/r/a': value });
  await follower.reached(etcd.revision, LATE);
  ownWrites.end(write);
  const said = [...view.changes(first - 1, '')].map(({ value }) => value.toString().trim());
  assert.equal(said, [`"r":"${first}"`, 'something else', `"r":"${first + 2}"`]);
});

row('an own removal shows what was handed over, of the revision that it removes', async ({ etcd, view, follower, ownWrites }) => {
  etcd.tell({ '/r/a': '1' });
  const write = { key: 'a', sent: undefined, expectedRevision: etcd.revision, value: { bytes: Buffer.from('last'), revisionOffset: -1 } };
  ownWrites.begin(write);
  etcd.tell({ '/r/a': null });
  etcd.tell({ '/r/a': '2' });
  etcd.tell({ '/r/a': null });
  await follower.reached(etcd.revision, LATE);
  ownWrites.end(write);
  const texts = told(view.changes(write.expectedRevision, ''));
  assert.equal(
    texts.map((text) => text.replace(/@\d+/, '')),
    ['delete a=last<1', 'create a=2', 'delete a=2<2'],
  );
});

follows.run();
