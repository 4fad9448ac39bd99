/** What transactions say of themselves while their member is killed again and again is what is found afterwards. */
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EtcdError } from '../../../../runtime/storage/etcd/client/etcd-client.ts';
import { startEtcd } from '../../../harness/etcd.ts';

const KILLS = 4;
const WRITERS = 16;
/** Milliseconds for a call, and for longer than calls wait. */
const TIMEOUT = 500;
const LONGER = 700;
/** For what is found in the end. */
const PATIENCE = 10_000;

const etcd = await startEtcd();
const killed = suite('a member of etcd that is killed');
killed.after(() => etcd.stop());
killed('transactions that succeeded are there, and such as are certainly not done are not', async () => {
  const client = etcd.client(TIMEOUT);
  const [done, refused, unknown]: [string[], string[], string[]] = [[], [], []];
  let count = 0;
  let ended = false;
  const write = async (): Promise<void> => {
    while (!ended) {
      const key = `/k/${String(count++).padStart(6, '0')}`;
      try {
        const { succeeded } = await client.transaction({
          compare: [{ key, modRevision: 0 }],
          success: [{ op: 'put', key, value: Buffer.from(key) }],
          failure: [],
        });
        // one that was sent twice would find its own key
        assert.ok(succeeded, `${key} was there`);
        done.push(key);
      } catch (error) {
        const { code, outcomeUnknown } = error as EtcdError;
        assert.ok(code !== undefined, (error as Error).stack);
        (outcomeUnknown ? unknown : refused).push(key);
      }
    }
  };
  const writers = Array.from({ length: WRITERS }, write);
  for (let i = 0; i < KILLS; i++) {
    await delay(200);
    await etcd.kill();
    // every other time for longer than calls wait
    await delay(i % 2 === 0 ? 100 : LONGER);
    await etcd.restart();
  }
  await delay(100);
  ended = true;
  await Promise.all(writers);
  client.close();
  const reader = etcd.client(PATIENCE);
  const { kvs } = await reader.range({ key: '/k/', end: '/k0', keysOnly: true });
  reader.close();
  const found = new Set(kvs.map(({ key }) => key.toString()));
  assert.equal(
    done.filter((key) => !found.has(key)),
    [],
  );
  assert.equal(
    refused.filter((key) => found.has(key)),
    [],
  );
  assert.ok(done.length > 30 && refused.length > 0 && unknown.length > 0, `${done.length} ${refused.length} ${unknown.length}`);
});
killed.run();
