/** An aggregated server of several processes, in the dialect `cluster`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LAMPS_GROUP, startAggregatedServer } from '../../harness/aggregated-server.ts';
import { Client } from '../../harness/client.ts';
import { startServer } from '../../harness/server.ts';

const delegating = await startServer({ dialect: 'cluster' });
const aggregated = await startAggregatedServer(delegating, { flags: ['--workers=2'] });
const LAMPS = `/apis/${LAMPS_GROUP}/v1/namespaces/default/lamps`;

const test = suite('an aggregated server of several processes');
test('knows the users of the other server in each of them, which have the same objects', async () => {
  const writes = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name) => {
      // each on a connection of its own, so that all processes get some
      const client = new Client(aggregated, delegating.tokens.admin);
      const { status, text } = await client.post(LAMPS, { apiVersion: `${LAMPS_GROUP}/v1`, kind: 'Lamp', metadata: { name } });
      client.close();
      return [status, text];
    }),
  );
  assert.ok(
    writes.every(([status]) => status === 200),
    JSON.stringify(writes),
  );
  const { body } = await new Client(aggregated, delegating.tokens.admin).get(LAMPS);
  assert.equal(
    body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    ['a', 'b', 'c', 'd'],
  );
  const refused = await new Client(aggregated, delegating.tokens.alice).get(LAMPS);
  assert.is(refused.status, 403);
  assert.match(refused.body.message, 'User "alice" cannot list resource "lamps"');
});
test('ends cleanly', async () => {
  assert.equal(aggregated.faults(), []);
  assert.is(await aggregated.stop(), 0);
  assert.is(await delegating.stop(), 0);
});
test.run();
