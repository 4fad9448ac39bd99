import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer, refusal } from '../asked-server.ts';

const test = suite('GET of one object');
const server = await AskedServer.start();
test.after(() => server.stop());
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = {}) => ({ metadata: { name }, data });

test.before(() => server.post(MAPS, map('one', { a: 'b' })).then(() => undefined));
test('gives what is stored, and the same bytes each time', async () => {
  const [one, again] = [await server.get(`${MAPS}/one`), await server.get(`${MAPS}/one`)];
  assert.equal([one.status, one.body.data], [200, { a: 'b' }]);
  assert.equal(again.body, one.body);
});
const forms: readonly [accept: string, kind: string][] = [
  ['application/json', 'ConfigMap'],
  ['application/json;as=Table;g=meta.k8s.io;v=v1', 'Table'],
  ['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', 'PartialObjectMetadata'],
];
for (const [accept, kind] of forms)
  test(`has the form ${kind}`, async () => {
    const { status, body } = await server.get(`${MAPS}/one`, { accept });
    assert.equal([status, body.kind], [200, kind]);
  });
test('is indented for who wants to read it', async () => {
  const pretty = await server.embedded.client.fetch(`${MAPS}/one?pretty=true`);
  assert.match(await pretty.text(), /^{\n {2}"kind": "ConfigMap",\n/);
});
test('waits for a revision that it names, and knows none of the future', async () => {
  const { body } = await server.get(`${MAPS}/one`);
  assert.is((await server.get(`${MAPS}/one?resourceVersion=${body.metadata.resourceVersion}`)).status, 200);
  const future = await server.get(`${MAPS}/one?resourceVersion=999999999&timeout=100ms`);
  assert.is(future.status, 504);
});
test('knows none of a future that no store reaches', async () => {
  const future = await server.get(`${MAPS}/one?resourceVersion=18446744073709551615&timeout=100ms`);
  assert.is(future.status, 504);
});
test('refuses what is not there, and what is no revision', async () => {
  assert.equal(refusal(await server.get(`${MAPS}/none`)), [404, 'NotFound', 'configmaps "none" not found']);
  assert.is((await server.get(`${MAPS}/one?resourceVersion=x`)).status, 400);
  assert.is((await server.get(`${MAPS}/one`, { accept: 'image/png' })).status, 406);
});

test.run();
