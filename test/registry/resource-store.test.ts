/** Writers of one object at the same time. */
import { setImmediate as turn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { copyValue } from '../../runtime/schema/copy.ts';
import { TestCluster } from '../controllers/server.ts';

const test = suite('writers of one object');

const WRITERS = 32;

let cluster: TestCluster;
test.before(async () => {
  cluster = await TestCluster.create();
});
test.after(() => cluster.remove());

test('each change is made once, on what the one before it left', async () => {
  const store = await cluster.server.store(cluster.resource('v1', 'configmaps'));
  await cluster.create('v1', 'configmaps', { metadata: { name: 'counter', namespace: 'n' }, data: { count: '0' } });
  let made = 0;
  const count = async (old: ApiObject): Promise<ApiObject> => {
    made++;
    const object = copyValue(old);
    await turn();
    object.data.count = String(Number(old.data.count) + 1);
    return object;
  };
  const options = {
    context: cluster.server.ruleContext(false),
    admit: async () => {},
    target: 'object',
    retry: true,
    checkUid: false,
  } as const;
  const written = await Promise.all(Array.from({ length: WRITERS }, () => store.update('n', 'counter', count, options)));
  assert.is(made, WRITERS);
  assert.equal(
    written.map(({ object }) => object.data.count),
    written.map((_each, i) => String(i + 1)),
  );
});

test.run();
