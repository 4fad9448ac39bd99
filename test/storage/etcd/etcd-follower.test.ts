/** What is made here of what the watch of an etcd tells that is in the test's hands. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionCompacted, ValueDamaged } from '../../../runtime/storage/errors.ts';
import { EtcdFollower } from '../../../runtime/storage/etcd/etcd-follower.ts';
import { KeyNames } from '../../../runtime/storage/etcd/key-names.ts';
import { OwnWrites } from '../../../runtime/storage/etcd/own-writes.ts';
import type { ReadValue, ValueCodec } from '../../../runtime/storage/etcd/value-codec.ts';
import { MemoryData } from '../../../runtime/storage/memory/memory-data.ts';
import { MemoryView } from '../../../runtime/storage/memory/memory-view.ts';
import { rejection, shown, thrown, told } from '../contract/store.ts';
import { away, compacted, event, HeldEtcd, until } from './held-etcd.ts';
import { plainValues } from './plain-values.ts';

/** The view of a store, without its writes. */
class View extends MemoryView {
  announced = 0;

  replace(data: MemoryData): void {
    this.replaceData(data);
  }

  advanced(): void {
    this.announced++;
    this.announce();
  }

  all(): string[] {
    return shown(this.range({ start: '', end: '' }));
  }
}

/** Values that begin with `slow` are read when the test says so, by their text; others that begin with `bad` cannot be read. */
class HeldCodec implements ValueCodec {
  readonly toEtcd = plainValues.toEtcd;
  readonly #held = new Map<string, (value: ReadValue | Promise<ReadValue>) => void>();

  fromEtcd(key: string, value: Uint8Array): ReadValue | Promise<ReadValue> {
    const text = Buffer.from(value).toString();
    if (text.startsWith('slow')) return new Promise((resolve) => this.#held.set(text, resolve));
    if (text.startsWith('bad')) throw new Error(`${key} cannot be read`);
    return plainValues.fromEtcd(key, value) as ReadValue;
  }

  get waiting(): string[] {
    return [...this.#held.keys()];
  }

  /** @param problem why it cannot be read; absent: it can */
  let(text: string, problem?: string): void {
    const failed = problem === undefined ? undefined : Promise.reject<ReadValue>(new Error(problem));
    this.#held.get(text)?.(failed ?? { bytes: Buffer.from(text), revisionOffset: -1 });
    this.#held.delete(text);
  }
}

interface Followed {
  readonly etcd: HeldEtcd;
  readonly view: View;
  readonly codec: HeldCodec;
  readonly follower: EtcdFollower;
  readonly ownWrites: OwnWrites;
  /** reasons; `none` says that etcd can be followed again */
  readonly troubles: string[];
}

/** Milliseconds in which what is told comes. */
const LATE = 10_000;

const follows = suite('following etcd');

/** @param prepare what is there when it begins */
function row(title: string, body: (followed: Followed) => Promise<void>, prepare: (etcd: HeldEtcd) => void = () => {}): void {
  follows(title, async () => {
    const etcd = new HeldEtcd();
    prepare(etcd);
    etcd.compacted = etcd.revision;
    const [view, codec, ownWrites] = [new View(new MemoryData()), new HeldCodec(), new OwnWrites()];
    const troubles: string[] = [];
    const follower = await EtcdFollower.start({
      client: etcd.client,
      names: new KeyNames('/r'),
      codec,
      ownWrites,
      replaced: (data) => view.replace(data),
      advanced: () => view.advanced(),
      onTrouble: (reason) => void troubles.push(reason?.message ?? 'none'),
      onEnd: (reason) => void troubles.push(`ended: ${reason.message}`),
    });
    try {
      await body({ etcd, view, codec, follower, ownWrites, troubles });
    } finally {
      await follower.stop();
    }
  });
}

const turn = () => new Promise(setImmediate);

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

row('a watch that ends is begun again behind the last revision, and told once', async ({ etcd, view, follower, troubles }) => {
  etcd.watch.listener.created(etcd.revision);
  etcd.tell({ '/r/a': '1' });
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
    await until(() => etcd.watches.length === 2);
    assert.equal(troubles, [away().message]);
    assert.equal(view.all(), [`a@${etcd.revision - 1}=1`]);
    etcd.beforeRange = () => {};
    etcd.watch.listener.ended(compacted(etcd.compacted));
    await until(() => view.compactedRevision() === etcd.revision);
    assert.equal(view.all(), [`a@${etcd.revision}=2`]);
  },
);

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
    replaced() {},
    advanced() {},
    onTrouble() {},
    onEnd() {},
  };
  assert.is(((await rejection(EtcdFollower.start({ client: etcd.client, ...parts }))) as Error).message, away().message);
  assert.is(etcd.watches.length, 0);
});

follows.run();
