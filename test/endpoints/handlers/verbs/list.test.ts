import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from '../asked-server.ts';

const test = suite('GET of a collection');
const server = await AskedServer.start();
test.after(() => server.stop());
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = {}) => ({ metadata: { name }, data });

test.before(async () => {
  for (let i = 0; i < 5; i++) await server.post(MAPS, { metadata: { name: `m${i}`, labels: { odd: String(i % 2 === 1) } } });
});
const names = (body: { items: { metadata: { name: string } }[] }): string[] => body.items.map(({ metadata }) => metadata.name);
test('has all objects in the order of their names', async () => {
  const { status, body } = await server.get(MAPS);
  assert.equal([status, body.kind, body.apiVersion], [200, 'ConfigMapList', 'v1']);
  assert.equal(names(body), ['kube-root-ca.crt', 'm0', 'm1', 'm2', 'm3', 'm4']);
});
test('comes in pages of one snapshot', async () => {
  const first = await server.get(`${MAPS}?limit=2`);
  assert.equal([names(first.body), first.body.metadata.remainingItemCount], [['kube-root-ca.crt', 'm0'], 4]);
  await server.post(MAPS, map('m00'));
  const next = await server.get(`${MAPS}?limit=2&continue=${first.body.metadata.continue}`);
  assert.equal(names(next.body), ['m1', 'm2']);
  await server.ask('DELETE', `${MAPS}/m00`);
});
const selections: readonly [query: string, names: readonly string[]][] = [
  ['labelSelector=odd%3Dtrue', ['m1', 'm3']],
  ['labelSelector=odd', ['m0', 'm1', 'm2', 'm3', 'm4']],
  ['labelSelector=odd%20notin%20(true)', ['kube-root-ca.crt', 'm0', 'm2', 'm4']],
  ['fieldSelector=metadata.name%3Dm2', ['m2']],
  ['fieldSelector=metadata.namespace%3Dnone', []],
];
for (const [query, selected] of selections)
  test(`selects by ${decodeURIComponent(query)}`, async () => assert.equal(names((await server.get(`${MAPS}?${query}`)).body), selected));
const refusals: readonly [query: string, status: number][] = [
  ['limit=x', 400],
  ['continue=x', 400],
  ['labelSelector=a%3D%3D%3Db', 400],
  ['fieldSelector=data.a%3Db', 400],
  ['resourceVersion=x', 400],
  ['resourceVersionMatch=Exact', 422],
  // of a future that no store reaches
  ['resourceVersion=18446744073709551615&timeout=100ms', 504],
  ['resourceVersion=18446744073709551615&resourceVersionMatch=Exact', 410],
  ['resourceVersion=18446744073709551616', 400],
];
for (const [query, status] of refusals)
  test(`refuses ${query}`, async () => assert.is((await server.get(`${MAPS}?${query}`)).status, status));

test.run();
