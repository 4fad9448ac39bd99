/** How following an etcd begins and ends, and who waits meanwhile. */
import * as assert from 'uvu/assert';
import { EtcdFollower } from '../../../runtime/storage/etcd/etcd-follower.ts';
import { KeyNames } from '../../../runtime/storage/etcd/key-names.ts';
import { OwnWrites } from '../../../runtime/storage/etcd/own-writes.ts';
import { rejection, told } from '../contract/store.ts';
import { type Followed, followingSuite, LATE, SILENCE, turn } from './followed-view.ts';
import { away, compacted, HeldEtcd, until } from './held-etcd.ts';
import { plainValues } from './plain-values.ts';

const { follows, row } = followingSuite('following etcd');

row(
  'begins with what is there, and is told what comes behind it',
  async ({ etcd, view, follower }) => {
    assert.equal(view.all(), ['a@2=1', 'b@3=2']);
    assert.is(view.currentRevision(), 4);
    const { key, end, startRevision, fragment, progressNotify, previousValues } = etcd.watch.request;
    assert.equal(
      { key, end, startRevision, fragment, progressNotify, previousValues },
      { key: '/r/', end: '/r0', startRevision: 5, fragment: true, progressNotify: true, previousValues: false },
    );
    etcd.tell({ '/r/a': '5' });
    etcd.tell({ '/r/b': null });
    etcd.tell({ '/r/b': '7' });
    await follower.reached(etcd.revision, LATE);
    assert.equal(told(view.changes(4, '')), ['update a@5=5<1', 'delete b@6=2<2', 'create b@7=7']);
  },
  (etcd) => {
    etcd.change({ '/r/a': '1' });
    etcd.change({ '/r/b': '2' });
    etcd.change({ '/other': 'x' });
  },
);

row('who has to see a revision that is of other keys has etcd asked, again and again until it answers', async ({ etcd, follower }) => {
  await follower.seen(etcd.revision, LATE);
  assert.is(etcd.watch.asked, 0);
  etcd.change({ '/other': '1' });
  const seen = follower.seen(etcd.revision, LATE);
  assert.is(etcd.watch.asked, 1);
  await until(() => etcd.watch.asked >= 3);
  etcd.watch.listener.progress(etcd.revision);
  await seen;
  await new Promise((resolve) => setTimeout(resolve, 150));
  const { asked } = etcd.watch;
  await new Promise((resolve) => setTimeout(resolve, 250));
  assert.is(etcd.watch.asked, asked);
});

row('who has to see a revision while the watch is down has the next one asked', async ({ etcd, follower }) => {
  etcd.change({ '/other': '1' });
  etcd.watch.listener.ended(away());
  await turn();
  const seen = follower.seen(etcd.revision, LATE);
  await until(() => etcd.watches.length === 2);
  assert.ok(etcd.watch.asked > 0);
  etcd.watch.listener.progress(etcd.revision);
  await seen;
});

for (const [state, into, out] of [
  ['while it follows', () => {}, () => {}],
  ['while values are read', ({ etcd }) => etcd.tell({ '/r/a': 'slow' }), ({ codec }) => codec.let('slow')],
  ['between two watches', ({ etcd }) => etcd.watch.listener.ended(away()), () => {}],
  [
    'while the watch is paused',
    ({ etcd }) => {
      etcd.tell({ '/r/a': 'slow' });
      for (let i = 0; i < 80; i++) etcd.tell({ [`/r/${i}`]: '1' });
    },
    ({ codec }) => codec.let('slow'),
  ],
] as readonly (readonly [string, (followed: Followed) => void, (followed: Followed) => void])[])
  row(`it stops ${state}, and tells who waits`, async (followed) => {
    const { etcd, follower } = followed;
    into(followed);
    await turn();
    const waiting = rejection(follower.seen(etcd.revision + 100, LATE));
    const stopped = follower.stop();
    out(followed);
    await stopped;
    assert.match(((await waiting) as Error).message, /closed/);
    assert.match(((await rejection(follower.reached(etcd.revision + 100, LATE))) as Error).message, /closed/);
    const { length } = etcd.watches;
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.is(etcd.watches.length, length);
    await follower.stop();
  });

row('it stops while all is loaded anew, and shows nothing of that', async ({ etcd, view, follower }) => {
  const loading = Promise.withResolvers<void>();
  etcd.change({ '/r/a': '1' });
  etcd.beforeRange = () => loading.promise;
  const { length } = etcd.ranges;
  etcd.watch.listener.ended(compacted(etcd.revision));
  await until(() => etcd.ranges.length > length);
  const stopped = follower.stop();
  loading.resolve();
  await stopped;
  assert.equal(view.all(), []);
  assert.is(etcd.watches.length, 1);
});

follows('it does not begin where etcd cannot be reached, and leaves nothing behind', async () => {
  const etcd = new HeldEtcd();
  etcd.beforeRange = () => {
    throw away();
  };
  const parts = {
    names: new KeyNames('/r'),
    codec: plainValues,
    ownWrites: new OwnWrites(),
    silence: SILENCE,
    replaced() {},
    advanced() {},
    received() {},
    onTrouble() {},
    onEnd() {},
  };
  assert.is(((await rejection(EtcdFollower.start({ client: etcd.client, ...parts }))) as Error).message, away().message);
  assert.is(etcd.watches.length, 0);
});

follows.run();
