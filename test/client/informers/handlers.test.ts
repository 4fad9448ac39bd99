/** What handlers of an informer are told, and in which order. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configmaps } from '../../../generated/client/core/v1/index.ts';
import { InformerStopped, informer } from '../../../generated/client/index.ts';
import { following, shown, TwoObjects, until } from './followed-informer.ts';
import { bookmark, event, listWatchServer } from './list-watch-server.ts';

const handlers = suite('handlers of an informer');
const two = new TwoObjects();
const _later: (text: string) => void = () => {};
handlers('that come later are told what there is first', () =>
  following(two.answers, async ({ informed, told }) => {
    await informed.synced();
    const second: string[] = [];
    const registration = informed.on((change) => second.push(shown(change)));
    await registration.synced();
    assert.equal(second, ['ADDED a1 list', 'ADDED b2 list']);
    two.send(event('MODIFIED', 'a', '6'));
    await until(() => second.length === 3);
    registration.remove();
    two.send(event('MODIFIED', 'a', '7'));
    await until(() => told.length === 4);
    assert.equal([second.at(-1), told.at(-1)], ['MODIFIED a6 watch', 'MODIFIED a7 watch']);
  }),
);
handlers('see what an object was before', () =>
  following(two.answers, async ({ informed }) => {
    await informed.synced();
    const seen: [string | undefined, string | undefined][] = [];
    await informed.on(({ previous, object }) => seen.push([previous?.metadata.resourceVersion, object.metadata.resourceVersion])).synced();
    two.send(event('MODIFIED', 'a', '6') + event('MODIFIED', 'a', '7') + event('DELETED', 'a', '8'));
    await until(() => seen.length === 5);
    assert.equal(seen.slice(2), [
      ['1', '6'],
      ['6', '7'],
      [undefined, '8'],
    ]);
  }),
);
handlers('that throw keep no other one from its changes', () =>
  following(two.answers, async ({ informed, errors, told }) => {
    await informed.synced();
    await informed
      .on(() => {
        throw new Error('broken');
      })
      .synced();
    two.send(event('MODIFIED', 'a', '6'));
    await until(() => told.length === 3 && errors.length === 3);
    assert.equal(errors.map(String), ['Error: broken', 'Error: broken', 'Error: broken']);
  }),
);
handlers('are told of all objects again where they want that', () =>
  following(two.answers, async ({ informed }) => {
    const seen: string[] = [];
    informed.on((change) => seen.push(shown(change)), { resync: 30 });
    await until(
      () => seen.length >= 6,
      () => seen,
    );
    assert.equal(seen.slice(0, 6), [
      'ADDED a1 list',
      'ADDED b2 list',
      'MODIFIED a1 resync',
      'MODIFIED b2 resync',
      'MODIFIED a1 resync',
      'MODIFIED b2 resync',
    ]);
  }),
);
handlers('are not told again before it is time, however long that is', () =>
  following(two.answers, async ({ informed }) => {
    const seen: string[] = [];
    informed.on((change) => seen.push(shown(change)), { resync: 30 * 86_400_000 });
    await informed.synced();
    await sleep(50);
    assert.equal(seen, ['ADDED a1 list', 'ADDED b2 list']);
  }),
);
handlers('of an informer that has ended are refused', () =>
  following(two.answers, async ({ informed }) => {
    await informed.synced();
    await informed.stop();
    assert.throws(
      () => informed.on(() => {}),
      (error: unknown) => error instanceof InformerStopped,
    );
    assert.is(informed.size, 2);
  }),
);
handlers('of many objects leave others their turn, and are told each change once', async () => {
  const count = 3_000;
  const text = Array.from({ length: count }, (_, index) => event('ADDED', `m${index}-`, '1')).join('');
  let later: (text: string) => void = () => {};
  await following(
    (_asked, response) => {
      response.write(text + bookmark('5', true));
      later = (more) => response.write(more);
    },
    async ({ informed }) => {
      await informed.synced();
      const seen = new Map<string, string[]>();
      let turns = 0;
      const timer = setImmediate(function again() {
        turns++;
        setImmediate(again).unref();
      }).unref();
      const registration = informed.on(({ key, type, object }) => {
        const end = performance.now() + 0.05;
        while (performance.now() < end);
        seen.set(key, [...(seen.get(key) ?? []), `${type} ${object.metadata.resourceVersion}`]);
      });
      // in the middle of telling it what there is
      later(
        event('MODIFIED', 'm0-', '6') +
          event('MODIFIED', `m${count - 1}-`, '7') +
          event('DELETED', `m${count - 2}-`, '8') +
          event('ADDED', 'new-', '9'),
      );
      await registration.synced();
      await until(() => seen.get('n/m0-')?.length === 2 && seen.has('n/new-'));
      clearImmediate(timer);
      assert.ok(turns > 5, `${turns} turns`);
      assert.equal(seen.get('n/m0-'), ['ADDED 1', 'MODIFIED 6']);
      // whichever came first
      const last = seen.get(`n/m${count - 1}-`)?.join();
      assert.ok(last === 'ADDED 7' || last === 'ADDED 1,MODIFIED 7', last);
      const deleted = seen.get(`n/m${count - 2}-`)?.join();
      assert.ok(deleted === undefined || deleted === 'ADDED 1,DELETED 8', deleted);
      assert.equal(seen.get('n/new-'), ['ADDED 9']);
      assert.is([...seen.values()].filter(([first]) => !first?.startsWith('ADDED')).length, 0);
    },
  );
});
handlers('are told once of an object that is made again while they begin', async () => {
  const objects = 5_000;
  let watch: { write(text: string): void } | undefined;
  const server = await listWatchServer((_, response) => {
    watch = response;
    const added = Array.from({ length: objects }, (_each, i) => event('ADDED', `m${i}`, String(i + 1)));
    response.write(added.join('') + bookmark(String(objects + 1), true));
  });
  const informed = informer(server.client.resource(configmaps));
  informed.start();
  await informed.synced();
  const told: string[] = [];
  const registration = informed.on(({ key, type, object }) => {
    // so long that others have a turn before all of them are told
    for (const until = performance.now() + 0.05; performance.now() < until; );
    if (key === 'n/m0') told.push(`${type} ${object.metadata.resourceVersion}`);
    if (key === 'n/m0' && told.length === 1) watch?.write(event('DELETED', 'm0', '9000') + event('ADDED', 'm0', '9001', 'another'));
  });
  await registration.synced();
  await until(() => told.length >= 3);
  await informed.stop();
  server.close();
  assert.equal(told, ['ADDED 1', 'DELETED 9000', 'ADDED 9001']);
});
handlers.run();
