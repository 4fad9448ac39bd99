import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from '../asked-server.ts';

const test = suite('the parts of the control plane');
const server = await AskedServer.start();
test.after(() => server.stop());

const PATH = '/api/v1/componentstatuses';
const healthy = ({ conditions }: { conditions: { type: string; status: string }[] }): string | undefined => conditions[0]?.status;
test('are listed, each with what was found', async () => {
  const { status, body } = await server.get(PATH);
  const parts = body.items.map((each: { metadata: { name: string } }) => each.metadata.name);
  assert.equal([status, body.kind, parts], [200, 'ComponentStatusList', ['controller-manager', 'etcd-0', 'scheduler']]);
  assert.is(healthy(body.items[1]), 'True');
});
test('are found by their names', async () => {
  const { status, body } = await server.get(`${PATH}/etcd-0`);
  assert.equal([status, healthy(body), body.conditions[0].message], [200, 'True', 'ok']);
  assert.is((await server.get(`${PATH}/none`)).status, 404);
  assert.is((await server.get(`${PATH}/constructor`)).status, 404);
});
test('are selected by field, and refuse fields that are none', async () => {
  const { body } = await server.get(`${PATH}?fieldSelector=metadata.name%3Dscheduler`);
  assert.is(body.items.length, 1);
  assert.is((await server.get(`${PATH}?fieldSelector=a%3Db`)).status, 400);
});
test('are a table for who wants one', async () => {
  const { body } = await server.get(PATH, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
  assert.equal([body.kind, body.rows.length], ['Table', 3]);
});

test.run();
