/** Custom resources and their Scales as Tables, through a whole server. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import type { Json } from '../harness/client.ts';
import { eventually } from '../harness/eventually.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PARTS = '/apis/shop.example/v1/namespaces/default/parts';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const test = suite('tables of custom resources');
let server: EmbeddedServer;

const table = async (path: string): Promise<Json> => {
  const answer = await server.client.fetch(path, { headers: { accept: TABLE } });
  assert.is(answer.status, 200);
  return answer.json();
};

test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  await server.client.request('POST', DEFINITIONS, {
    metadata: { name: 'parts.shop.example' },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { plural: 'parts', kind: 'Part' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: OPEN, status: OPEN } } },
          additionalPrinterColumns: [
            { name: 'Last', type: 'string', jsonPath: '.spec.conditions[-1:].type' },
            { name: 'Unreadable', type: 'string', jsonPath: '.spec.conditions[' },
            { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          ],
        },
      ],
    },
  });
  await eventually('the resource is served', async () => (await server.client.fetch(PARTS)).status === 200);
  const spec = { size: 0, conditions: [{ type: 'Old' }, { type: 'New' }] };
  await server.client.request('POST', PARTS, { apiVersion: 'shop.example/v1', kind: 'Part', metadata: { name: 'a' }, spec });
});
test.after(() => server.stop());

test('a column that cannot be read ends the columns', async () => {
  for (const path of [PARTS, `${PARTS}/a`]) {
    const { columnDefinitions, rows } = await table(path);
    assert.equal(
      columnDefinitions.map(({ name }: Json) => name),
      ['Name', 'Last'],
    );
    assert.equal(
      rows.map(({ cells }: Json) => cells),
      [['a', 'New']],
    );
  }
});

test('a Scale has columns of its own, whose numbers may be missing', async () => {
  const { columnDefinitions, rows } = await table(`${PARTS}/a/scale`);
  assert.equal(
    columnDefinitions.map(({ name, type, format }: Json) => [name, type, format]),
    [
      ['Name', 'string', 'name'],
      ['Desired', 'integer', ''],
      ['Available', 'integer', ''],
      ['Age', 'date', ''],
    ],
  );
  assert.is(columnDefinitions[1].description, 'Number of desired replicas');
  assert.equal(rows[0].cells.slice(0, 3), ['a', null, 0]);
});

test.run();
