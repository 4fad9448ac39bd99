import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer, MERGE } from '../asked-server.ts';

const test = suite('DELETE');
const server = await AskedServer.start();
test.after(() => server.stop());
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = {}) => ({ metadata: { name }, data });

test('of one object answers that it is done', async () => {
  await server.post(MAPS, map('a'));
  const { status, body } = await server.ask('DELETE', `${MAPS}/a`);
  assert.equal([status, body.kind, body.status, body.details.name], [200, 'Status', 'Success', 'a']);
  assert.is((await server.get(`${MAPS}/a`)).status, 404);
});
test('waits for finalizers, and says that it has begun', async () => {
  await server.post(MAPS, { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
  const { status, body } = await server.ask('DELETE', `${MAPS}/held`);
  assert.equal([status, body.kind, typeof body.metadata.deletionTimestamp], [200, 'ConfigMap', 'string']);
  assert.is((await server.get(`${MAPS}/held`)).status, 200);
  await server.ask('PATCH', `${MAPS}/held`, { body: { metadata: { finalizers: null } }, type: MERGE });
  assert.is((await server.get(`${MAPS}/held`)).status, 404);
});
test('keeps to the preconditions of the client', async () => {
  const { body: made } = await server.post(MAPS, map('b'));
  const withUid = (uid: string) => server.ask('DELETE', `${MAPS}/b`, { body: { preconditions: { uid } } });
  assert.is((await withUid('other')).status, 409);
  assert.is((await withUid(made.metadata.uid)).status, 200);
});
test('removes nothing in a dry run', async () => {
  await server.post(MAPS, map('c'));
  assert.is((await server.ask('DELETE', `${MAPS}/c?dryRun=All`)).status, 200);
  assert.is((await server.get(`${MAPS}/c`)).status, 200);
});
for (const [resource, spec] of [
  ['resourcequotas', {}],
  ['pods', { containers: [{ name: 'a', image: 'b' }] }],
] as const)
  test(`of ${resource} answers the object, whose version is that of the removal`, async () => {
    const path = `/api/v1/namespaces/default/${resource}`;
    const { body: made } = await server.post(path, { metadata: { name: 'gone' }, spec });
    const dry = await server.ask('DELETE', `${path}/gone?dryRun=All&gracePeriodSeconds=0`);
    assert.equal([dry.status, dry.body.metadata.resourceVersion], [200, made.metadata.resourceVersion]);
    const { status, body } = await server.ask('DELETE', `${path}/gone?gracePeriodSeconds=0`);
    assert.equal([status, body.metadata.uid], [200, made.metadata.uid]);
    const { body: next } = await server.post(MAPS, { metadata: { generateName: 'next-' } });
    const [before, removal, after] = [made, body, next].map(({ metadata }) => Number(metadata.resourceVersion)) as [number, number, number];
    assert.ok(before < removal && removal < after, `${before}, ${removal}, ${after}`);
  });
test('of a collection removes what is selected, and answers with what was there', async () => {
  for (const name of ['d', 'e']) await server.post(MAPS, { metadata: { name, labels: { go: 'yes' } } });
  const { status, body } = await server.ask('DELETE', `${MAPS}?labelSelector=go%3Dyes`);
  assert.equal([status, body.kind, body.items.length], [200, 'ConfigMapList', 2]);
  const { body: left } = await server.get(`${MAPS}?labelSelector=go`);
  assert.equal(left.items, []);
  assert.is((await server.get(`${MAPS}/c`)).status, 200);
});
const refusals: readonly [what: string, path: string, body: unknown, status: number][] = [
  ['what is not there', `${MAPS}/none`, undefined, 404],
  ['two ways for dependents', `${MAPS}/c`, { orphanDependents: true, propagationPolicy: 'Foreground' }, 422],
  ['a way that is none', `${MAPS}/c`, { propagationPolicy: 'Sideways' }, 422],
  ['a selector that is none', `${MAPS}?labelSelector=a%3D%3D%3Db`, undefined, 400],
];
for (const [what, path, body, status] of refusals)
  test(`refuses ${what}`, async () => assert.is((await server.ask('DELETE', path, body === undefined ? {} : { body })).status, status));

/** Bodies that are no options, at an object and at a collection. */
const NO_OPTIONS: readonly (readonly [body: object, message: string])[] = [
  [{ gracePeriodSeconds: '0' }, 'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64'],
  [
    { kind: 'Pod', apiVersion: 'v1' },
    'no kind "Pod" is registered for version "v1" in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"',
  ],
  [
    { kind: 'Options' },
    'no kind "Options" is registered for version "meta.k8s.io/v1" in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"',
  ],
];
for (const [body, message] of NO_OPTIONS)
  test(`of ${JSON.stringify(body)} says what is wrong`, async () => {
    for (const path of [`${MAPS}/c`, MAPS]) {
      const answer = await server.ask('DELETE', path, { body });
      assert.equal([answer.status, answer.body.reason, answer.body.message], [400, 'BadRequest', message]);
    }
  });
test('of what is no protobuf says so', async () => {
  const type = 'application/vnd.kubernetes.protobuf';
  for (const path of [`${MAPS}/c`, MAPS]) {
    const { status, body } = await server.ask('DELETE', path, { body: Buffer.from('k8s\0\x0a\xff', 'latin1'), type });
    assert.equal([status, body.reason], [400, 'BadRequest']);
  }
});

test.run();
