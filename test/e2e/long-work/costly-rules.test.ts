/** Rules that cost as much as they may keep nobody waiting but the one who writes such an object. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { startServer } from '../../harness/server.ts';
import { assertShortTurns, TURN_MONITOR } from '../../harness/turns.ts';

const COSTLY = 'self.all(a, self.all(b, a + b >= 0))';
/** Items of which a rule costs nearly what one evaluation may. */
const ITEMS = 300;

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sums.rules.example.com' },
  spec: {
    group: 'rules.example.com',
    names: { plural: 'sums', kind: 'Sum' },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              numbers: {
                type: 'array',
                maxItems: ITEMS,
                items: { type: 'integer' },
                'x-kubernetes-validations': Array.from({ length: 8 }, () => ({ rule: COSTLY })),
              },
            },
          },
        },
      },
    ],
  },
};

const test = suite('costly rules');
test('keep nobody waiting', async () => {
  const server = await startServer({ dialect: 'kubernetes', preload: TURN_MONITOR });
  const client = new Client(server);
  try {
    assert.is((await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)).status, 201);
    await eventually('sums are served', async () => (await client.get('/apis/rules.example.com/v1/sums')).status === 200);
    const sum = (name: string, first: number) => ({
      apiVersion: 'rules.example.com/v1',
      kind: 'Sum',
      metadata: { name },
      numbers: [first, ...Array.from({ length: ITEMS - 1 }, (_, index) => index)],
    });
    const write = (name: string, first: number) =>
      client.request('POST', '/apis/rules.example.com/v1/sums', { body: sum(name, first), timeout: 60_000 });
    // the kind is loaded, and its rules are compiled
    assert.is((await write('first', 0)).status, 201);
    await assertShortTurns(server, async () => {
      const answers = await Promise.all([write('right', 1), write('wrong', -1)]);
      assert.equal(
        answers.map(({ status }) => status),
        [201, 422],
      );
    });
  } finally {
    client.close();
    await server.stop();
  }
});
test.run();
