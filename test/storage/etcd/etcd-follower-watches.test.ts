/** What comes after a watch of etcd has ended, and one that has to wait. */
import * as assert from 'uvu/assert';
import { RevisionCompacted } from '../../../runtime/storage/errors.ts';
import { thrown, told } from '../contract/store.ts';
import { followingSuite, LATE } from './followed-view.ts';
import { away, compacted, until } from './held-etcd.ts';

const { follows, row } = followingSuite('watches of etcd that is followed');

row('a watch that ends is begun again behind the last revision, and told once', async ({ etcd, view, follower, troubles }) => {
  etcd.watch.listener.created(etcd.revision);
  etcd.tell({ '/r/a': '1' });
  await follower.reached(etcd.revision, LATE);
  const missed = etcd.change({ '/r/a': '2' });
  etcd.watch.listener.ended(away());
  await until(() => etcd.watches.length === 2);
  assert.is(etcd.watch.request.startRevision, etcd.revision);
  etcd.watch.listener.ended(away());
  await until(() => etcd.watches.length === 3);
  assert.equal(troubles, [away().message]);
  etcd.watch.listener.created(etcd.revision);
  etcd.watch.listener.events(missed, etcd.revision);
  await follower.reached(etcd.revision, LATE);
  assert.equal(troubles, [away().message, 'none']);
  assert.equal(view.all(), [`a@${etcd.revision}=2`]);
  assert.is(view.compactedRevision(), 1);
});

row('what the watch told before it ended is made, though its values are read later', async ({ etcd, view, codec }) => {
  etcd.tell({ '/r/a': 'slow' });
  etcd.watch.listener.ended(away());
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.is(etcd.watches.length, 1);
  codec.let('slow');
  await until(() => etcd.watches.length === 2);
  assert.is(etcd.watch.request.startRevision, etcd.revision + 1);
  assert.equal(view.all(), [`a@${etcd.revision}=slow`]);
});

row(
  'a watch that was compacted away is begun behind what is loaded anew, and what was before is gone',
  async ({ etcd, view, follower, troubles }) => {
    const first = etcd.revision;
    etcd.tell({ '/r/a': '1' });
    await follower.reached(etcd.revision, LATE);
    const scan = view.scan({ start: '', end: '' });
    scan.next(() => false);
    const range = view.range({ start: '', end: '' })[Symbol.iterator]();
    assert.is(range.next().value?.key, 'a');
    etcd.change({ '/r/b': null });
    etcd.change({ '/r/c': '2' });
    etcd.compacted = etcd.revision;
    const seen = follower.seen(etcd.revision, LATE);
    etcd.watch.listener.compacted(etcd.compacted);
    etcd.watch.listener.ended(compacted(etcd.compacted));
    await seen;
    assert.equal(view.all(), [`a@${first + 1}=1`, `c@${etcd.revision}=2`]);
    assert.is(view.compactedRevision(), etcd.revision);
    for (const read of [() => view.range({ start: '', end: '', atRevision: first + 1 }), () => view.changes(first + 1, '')])
      assert.instance(thrown(read), RevisionCompacted);
    assert.instance(
      thrown(() => scan.next(() => true)),
      RevisionCompacted,
    );
    // what was begun in this turn before goes on with what was there
    assert.is(range.next().value?.key, 'b');
    await until(() => etcd.watches.length === 2);
    assert.is(etcd.watch.request.startRevision, etcd.revision + 1);
    assert.equal(troubles, []);
    etcd.tell({ '/r/c': '3' });
    await follower.reached(etcd.revision, LATE);
    assert.equal(told(view.changes(etcd.revision - 1, '')), [`update c@${etcd.revision}=3<2`]);
  },
  (etcd) => void etcd.change({ '/r/b': 'b' }),
);

row(
  'what cannot be loaded anew is tried again, and what was there before is served meanwhile',
  async ({ etcd, view, follower, troubles }) => {
    etcd.tell({ '/r/a': '1' });
    await follower.reached(etcd.revision, LATE);
    etcd.change({ '/r/a': '2' });
    etcd.compacted = etcd.revision;
    etcd.beforeRange = () => {
      throw away();
    };
    etcd.watch.listener.ended(compacted(etcd.compacted));
    await until(() => troubles.length > 0);
    assert.equal(troubles, [away().message]);
    assert.equal(view.all(), [`a@${etcd.revision - 1}=1`]);
    assert.is(etcd.watches.length, 1, 'no watch begins before that');
    etcd.beforeRange = () => {};
    await until(() => view.compactedRevision() === etcd.revision);
    await until(() => etcd.watches.length === 2);
    assert.equal(view.all(), [`a@${etcd.revision}=2`]);
  },
);

row('an etcd that is restored while the watch begins is found before anything of it is shown', async ({ etcd, view, troubles }) => {
  etcd.tell({ '/r/a': '1' });
  etcd.tell({ '/r/a': 'lost' });
  const lost = etcd.revision;
  etcd.watch.listener.ended(away());
  await until(() => etcd.watches.length === 2);
  etcd.restore(lost - 1);
  etcd.change({ '/r/b': 'other' });
  // the watch asks for what comes behind the lost revision, and gets it
  etcd.watch.listener.created(etcd.revision);
  etcd.tell({ '/r/c': 'other' });
  await until(() => troubles.some((reason) => reason.startsWith('ended: etcd had a change')));
  assert.equal(view.all(), [`a@${lost}=lost`]);
  assert.is(view.currentRevision(), lost);
});

row('a change at a revision that the watch has passed has all loaded anew', async ({ etcd, view, follower, troubles }) => {
  const events = [etcd.change({ '/r/a': '1' }), etcd.change({ '/r/b': '2' })];
  for (const each of events) etcd.watch.listener.events(each, etcd.revision);
  await follower.reached(etcd.revision, LATE);
  etcd.change({ '/r/c': '3' });
  // for the second time
  etcd.watch.listener.events(events[1] as (typeof events)[1], etcd.revision);
  await until(() => etcd.watches.length === 2);
  assert.equal(troubles, [`etcd tells of revision ${etcd.revision - 1} behind ${etcd.revision - 1}`]);
  assert.equal(view.all(), [`a@${etcd.revision - 2}=1`, `b@${etcd.revision - 1}=2`, `c@${etcd.revision}=3`]);
  assert.is(view.compactedRevision(), etcd.revision);
  assert.is(etcd.watch.request.startRevision, etcd.revision + 1);
});

row(
  'an etcd that is restored while all is loaded anew is found before anything of it is shown',
  async ({ etcd, view, follower, troubles }) => {
    etcd.tell({ '/r/a': '1' });
    etcd.tell({ '/r/a': 'lost' });
    await follower.reached(etcd.revision, LATE);
    const lost = etcd.revision;
    etcd.compacted = lost;
    etcd.beforeRange = ({ revision, keysOnly }) => {
      // once what was known before has been asked for
      if (revision !== undefined || keysOnly) return;
      etcd.beforeRange = () => {};
      etcd.restore(lost - 1);
      etcd.compacted = 1;
      for (const value of ['other', 'another']) etcd.change({ '/r/b': value });
    };
    etcd.watch.listener.ended(compacted(lost + 1));
    await until(() => troubles.some((reason) => reason.startsWith('ended: etcd had a change')));
    assert.equal(view.all(), [`a@${lost}=lost`]);
    assert.is(etcd.watches.length, 1);
  },
);

row('what a new watch tells waits until it is known whose it is, and goes with it', async ({ etcd, view, follower, troubles }) => {
  etcd.tell({ '/r/a': '1' });
  etcd.watch.listener.ended(away());
  await until(() => etcd.watches.length === 2);
  const asked = Promise.withResolvers<void>();
  etcd.beforeRange = () => asked.promise;
  etcd.watch.listener.created(etcd.revision);
  const events = etcd.change({ '/r/a': '2' });
  etcd.watch.listener.events(events, etcd.revision);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.is(view.currentRevision(), etcd.revision - 1);
  etcd.watch.listener.ended(away());
  etcd.beforeRange = () => {};
  await until(() => etcd.watches.length === 3);
  assert.is(etcd.watch.request.startRevision, etcd.revision);
  asked.resolve();
  etcd.watch.listener.created(etcd.revision);
  etcd.watch.listener.events(events, etcd.revision);
  await follower.reached(etcd.revision, LATE);
  assert.equal(view.all(), [`a@${etcd.revision}=2`]);
  assert.equal(troubles, [away().message, 'none']);
});

row('a watch whose answers wait too long is paused until they are made', async ({ etcd, view, codec, follower }) => {
  etcd.tell({ '/r/a': 'slow' });
  for (let i = 0; i < 60; i++) etcd.tell({ [`/r/${i}`]: '1' });
  assert.not(etcd.watch.isPaused);
  for (let i = 60; i < 100; i++) etcd.tell({ [`/r/${i}`]: '1' });
  assert.ok(etcd.watch.isPaused);
  codec.let('slow');
  await until(() => !etcd.watch.isPaused);
  assert.is(view.count({ start: '', end: '' }), 101);
  etcd.tell({ '/r/b': '2' });
  await follower.reached(etcd.revision, LATE);
  assert.is(view.currentRevision(), etcd.revision);
});

row('a watch that ends while it is paused is followed by one that is not', async ({ etcd, view, codec }) => {
  etcd.tell({ '/r/a': 'slow' });
  for (let i = 0; i < 80; i++) etcd.tell({ [`/r/${i}`]: '1' });
  assert.ok(etcd.watch.isPaused);
  etcd.watch.listener.ended(away());
  codec.let('slow');
  await until(() => etcd.watches.length === 2);
  assert.is(view.currentRevision(), etcd.revision);
  etcd.tell({ '/r/b': 'slow' });
  for (let i = 0; i < 80; i++) etcd.tell({ [`/r/${i}`]: '2' });
  assert.ok(etcd.watch.isPaused);
  codec.let('slow');
  await until(() => view.currentRevision() === etcd.revision);
});

follows.run();
