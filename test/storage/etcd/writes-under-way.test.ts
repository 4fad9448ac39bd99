/** Writes of a store whose etcd is in the test's hands: what comes first, and what never comes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Conflict, StorageFull, StorageUnreachable } from '../../../runtime/storage/errors.ts';
import type { TransactionResult } from '../../../runtime/storage/etcd/client/etcd-client.ts';
import { EtcdError } from '../../../runtime/storage/etcd/client/etcd-error.ts';
import { type EtcdStorage, openEtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import { all, bytes, rejection, told } from '../contract/store.ts';
import { away, type Changes, compacted, HeldEtcd, until } from './held-etcd.ts';
import { plainValues } from './plain-values.ts';

/** Milliseconds for which a store waits until what etcd has is here, where a row is about that, and some more. */
const CATCHING_UP = 1_000;
const MORE = 3_000;

interface Held {
  readonly etcd: HeldEtcd;
  readonly storage: EtcdStorage;
  readonly troubles: string[];
  /** settles the transaction that waits longest */
  answer(result: TransactionResult | EtcdError): void;
  /** resolves when so many transactions wait */
  asked(count?: number): Promise<void>;
}

const writes = suite('writes under way');

/** @param catchingUp milliseconds; absent: more than any row waits */
function row(title: string, body: (held: Held) => Promise<void>, catchingUp?: number): void {
  writes(title, async () => {
    const etcd = new HeldEtcd();
    const waiting: PromiseWithResolvers<TransactionResult>[] = [];
    etcd.transaction = () => {
      const transaction = Promise.withResolvers<TransactionResult>();
      waiting.push(transaction);
      return transaction.promise;
    };
    const troubles: string[] = [];
    const storage = await openEtcdStorage({
      client: etcd.client,
      prefix: '/r',
      codec: plainValues,
      onTrouble: (reason) => void troubles.push(reason?.message ?? 'none'),
      watchdog: { timeout: 1_000_000, sizeInterval: 0 },
      ...(catchingUp !== undefined && { catchingUp }),
    });
    const held: Held = {
      etcd,
      storage,
      troubles,
      answer(result) {
        const transaction = waiting.shift();
        if (result instanceof EtcdError) transaction?.reject(result);
        else transaction?.resolve(result);
      },
      asked: (count = 1) => until(() => waiting.length >= count),
    };
    try {
      await body(held);
    } finally {
      await storage.close();
    }
    assert.ok(etcd.isClosed);
  });
}

const done = (revision: number): TransactionResult => ({ succeeded: true, revision, responses: [{ op: 'put' }] });

/** etcd has another revision of the key than the one that was expected. */
const refused = (etcd: HeldEtcd, modRevision: number): TransactionResult => {
  const kv = { key: Buffer.alloc(0), value: Buffer.alloc(0), createRevision: 1, modRevision, version: 1, lease: 0n };
  return { succeeded: false, revision: etcd.revision, responses: [{ op: 'range', kvs: [kv], more: false, count: 1 }] };
};

/** What a promise has come to, without waiting for it. */
function noted<T>(promise: Promise<T>): { state: 'waiting' | 'done' | 'failed' } {
  const note: { state: 'waiting' | 'done' | 'failed' } = { state: 'waiting' };
  promise.then(
    () => (note.state = 'done'),
    () => (note.state = 'failed'),
  );
  return note;
}

const pause = (milliseconds = 20) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function create({ etcd, storage, asked, answer }: Held, key: string, changes: Changes = { [`/r/${key}`]: '1' }): Promise<number> {
  const written = storage.create(key, bytes('1'));
  await asked();
  etcd.tell(changes);
  answer(done(etcd.revision));
  return written;
}

row('what was written is here before its answer', async (held) => {
  const { etcd, storage, asked, answer } = held;
  const written = storage.create('a', bytes('1'));
  const note = noted(written);
  await asked();
  etcd.tell({ '/r/a': '1' });
  await pause();
  assert.is(note.state, 'waiting');
  assert.equal(all(storage), [`a@${etcd.revision}=1`]);
  answer(done(etcd.revision));
  assert.is(await written, etcd.revision);
});

row('the answer is here before what was written, which is waited for', async ({ etcd, storage, asked, answer }) => {
  const written = storage.create('a', bytes('1'));
  const note = noted(written);
  await asked();
  const events = etcd.change({ '/r/a': '1' });
  answer(done(etcd.revision));
  await pause();
  assert.is(note.state, 'waiting');
  etcd.watch.listener.events(events, etcd.revision);
  assert.is(await written, etcd.revision);
  assert.equal(all(storage), [`a@${etcd.revision}=1`]);
});

row('the watch is compacted away between the answer and what was written: it is among what is loaded anew', async (held) => {
  const { etcd, storage, asked, answer } = held;
  const text = `"r":"${'?'.repeat(17)}`;
  const value = { bytes: Buffer.from(text), revisionOffset: 5 };
  const written = storage.create('a', value);
  await asked();
  etcd.change({ '/r/a': text });
  const { revision } = etcd;
  etcd.change({ '/r/b': '2' });
  etcd.compacted = etcd.revision;
  answer(done(revision));
  etcd.watch.listener.ended(compacted(etcd.compacted));
  assert.is(await written, revision);
  assert.is(value.bytes.toString().trim(), `"r":"${revision}"`);
  assert.is(storage.get('a')?.value.toString().trim(), `"r":"${revision}"`);
  assert.is(storage.compactedRevision(), etcd.revision);
});

row('the watch ends between the answer and what was written: the next one tells it', async ({ etcd, storage, asked, answer }) => {
  const written = storage.create('a', bytes('1'));
  await asked();
  const events = etcd.change({ '/r/a': '1' });
  etcd.watch.listener.ended(away());
  answer(done(etcd.revision));
  await until(() => etcd.watches.length === 2);
  assert.is(etcd.watch.request.startRevision, etcd.revision);
  etcd.watch.listener.events(events, etcd.revision);
  assert.is(await written, etcd.revision);
});

row('a conflict is told when the revision that it names is here', async (held) => {
  const { etcd, storage, asked, answer } = held;
  const first = await create(held, 'a');
  const written = storage.update('a', first, bytes('2'));
  const note = noted(written);
  await asked();
  const events = etcd.change({ '/r/a': 'of another' });
  etcd.change({ '/other': '1' });
  answer(refused(etcd, etcd.revision - 1));
  await pause();
  assert.is(note.state, 'waiting');
  etcd.watch.listener.events(events, etcd.revision);
  await pause();
  // the store is told that nothing of what came since is missing
  assert.is(note.state, 'waiting');
  etcd.watch.listener.progress(etcd.revision);
  const error = (await rejection(written)) as Conflict;
  assert.instance(error, Conflict);
  assert.is(error.actualRevision, storage.revisionOf('a'));
});

row('a write of which nobody knows whether it was made is shown when it comes', async ({ etcd, storage, asked, answer }) => {
  const written = storage.create('a', bytes('1'));
  await asked();
  answer(new EtcdError('DEADLINE_EXCEEDED', 'too late'));
  const error = (await rejection(written)) as StorageUnreachable;
  assert.instance(error, StorageUnreachable);
  assert.ok(error.outcomeUnknown);
  etcd.tell({ '/r/a': '1' });
  await until(() => storage.currentRevision() === etcd.revision);
  assert.equal(told(storage.changes(1, '')), [`create a@${etcd.revision}=1`]);
});

const noSpace = () => new EtcdError('RESOURCE_EXHAUSTED', 'etcdserver: mvcc: database space exceeded');

row('a write that etcd has made, though it says that it is full, is made', async ({ etcd, storage, asked, answer }) => {
  const written = storage.create('a', bytes('1'));
  await asked();
  etcd.tell({ '/r/a': '1' });
  answer(noSpace());
  assert.is(await written, etcd.revision);
});

row(
  'a write that etcd has not made, as it is full, is refused: another value, and the same one of before, are none of it',
  async (held) => {
    const { etcd, storage, asked, answer } = held;
    const first = await create(held, 'same');
    const refusals = ['absent', 'other', 'same'].map((key) => rejection(storage.create(key, bytes('1'))));
    refusals.push(rejection(storage.update('same', first, bytes('2'))), rejection(storage.delete('same', first, bytes('2'))));
    await asked(5);
    etcd.tell({ '/r/other': '2' });
    for (const _ of refusals) answer(noSpace());
    for (const error of await Promise.all(refusals)) assert.instance(error, StorageFull);
  },
);

row('who shares bytes with another server keeps the revision of each', async ({ etcd, storage, asked, answer }) => {
  const text = `"r":"${'?'.repeat(17)}`;
  const value = { bytes: Buffer.from(text), revisionOffset: 5 };
  const written = storage.create('a', value);
  await asked();
  const before = etcd.revision;
  for (const change of [text, null, text, 'other', text]) etcd.tell({ '/r/a': change });
  answer(done(before + 3));
  assert.is(await written, before + 3);
  assert.is(value.bytes.toString().trim(), `"r":"${before + 3}"`);
  await until(() => storage.currentRevision() === etcd.revision);
  for (const at of [1, 3, 5])
    assert.is(
      storage
        .get('a', before + at)
        ?.value.toString()
        .trim(),
      `"r":"${before + at}"`,
    );
});

row(
  'what does not come here in time is told, and closing waits no longer',
  async (held) => {
    const { etcd, storage, asked, answer } = held;
    const first = await create(held, 'a');
    const begun = performance.now();
    const [written, conflict] = [storage.update('a', first, bytes('2')), storage.update('a', first, bytes('3'))];
    const waiting = [rejection(written), rejection(conflict)];
    await asked(2);
    etcd.change({ '/r/a': '2' });
    answer(done(etcd.revision));
    answer(refused(etcd, etcd.revision));
    await pause();
    const closed = storage.close();
    const errors = (await Promise.all(waiting)) as StorageUnreachable[];
    for (const error of errors) assert.instance(error, StorageUnreachable);
    assert.equal(
      errors.map(({ outcomeUnknown }) => outcomeUnknown),
      [true, false],
    );
    await closed;
    const took = performance.now() - begun;
    assert.ok(took < CATCHING_UP + MORE, `it took ${took} ms`);
  },
  CATCHING_UP,
);

row(
  'a barrier fails in time where what etcd has does not come here',
  async ({ etcd, storage }) => {
    etcd.change({ '/r/a': '1' });
    const begun = performance.now();
    assert.instance(await rejection(storage.barrier()), StorageUnreachable);
    const took = performance.now() - begun;
    assert.ok(took > CATCHING_UP - 100 && took < CATCHING_UP + MORE, `it took ${took} ms`);
    const passed = storage.barrier();
    await pause();
    etcd.watch.listener.progress(etcd.revision);
    await passed;
  },
  CATCHING_UP,
);

row('a barrier that is asked while the store closes fails', async ({ etcd, storage }) => {
  const answering = Promise.withResolvers<void>();
  etcd.beforeRange = () => answering.promise;
  etcd.change({ '/r/a': '1' });
  const begun = performance.now();
  const passed = rejection(storage.barrier());
  const closed = storage.close();
  await pause();
  answering.resolve();
  assert.instance(await passed, Error);
  await closed;
  assert.ok(performance.now() - begun < 1_000);
});

row('why etcd cannot be followed is told, and that it can again', async ({ etcd, storage, troubles }) => {
  etcd.watch.listener.created(etcd.revision);
  assert.is(storage.problem(), undefined);
  etcd.watch.listener.ended(away());
  await until(() => etcd.watches.length === 2);
  assert.is(storage.problem(), away().message);
  etcd.watch.listener.created(etcd.revision);
  await until(() => storage.problem() === undefined);
  assert.equal(troubles, [away().message, 'none']);
});

// timers of the store keep no process alive
const alive = setInterval(() => {}, 1_000);
writes.after(() => clearInterval(alive));

writes.run();
