/** How much of the past the processes of a server over etcd keep, each of which has it in its memory. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { eventually } from '../../harness/eventually.ts';
import { answered, configMap, startOver, stopAll } from './over-etcd.ts';

const test = suite('the past in processes over etcd');

const etcd = await startEtcd();
const over = await startOver(etcd, ['--workers=2', '--history-window=1s', '--controllers=-*']);
test.after(() => stopAll(etcd, over));

/** New connections, which processes take in turn. */
const CONNECTIONS = 6;
const CONFIGMAPS = '/api/v1/namespaces/kube-public/configmaps';

async function statuses(path: string): Promise<number[]> {
  const clients = Array.from({ length: CONNECTIONS }, () => new Client(over.server));
  try {
    return (await Promise.all(clients.map((client) => client.get(path)))).map(({ status }) => status);
  } finally {
    for (const client of clients) client.close();
  }
}

test('each of them forgets what is older than the window', async () => {
  const { metadata } = await answered(201, over.client.post(CONFIGMAPS, configMap('old')));
  const then = `${CONFIGMAPS}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`;
  assert.equal(new Set(await statuses(then)), new Set([200]));
  let i = 0;
  await eventually('nobody knows the past', async () => {
    await answered(200, over.client.patch(`${CONFIGMAPS}/old`, { data: { i: String(i++) } }));
    return (await statuses(then)).every((status) => status === 410);
  });
});

test.run();
