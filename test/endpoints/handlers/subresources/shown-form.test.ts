import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer, MERGE } from '../asked-server.ts';

const test = suite('forms in which subresources show objects');
const server = await AskedServer.start('kubernetes', { 'emulated-release': '1.20', 'feature-gates': { EphemeralContainers: true } });
test.after(() => server.stop());

const NAMESPACE = 'namespaces/default';
const containers = [{ name: 'main', image: 'x' }];
const spec = { selector: { app: 'x' }, template: { metadata: { labels: { app: 'x' } }, spec: { containers } } };
test.before(async () => {
  await server.post(`/api/v1/${NAMESPACE}/pods`, { metadata: { name: 'web' }, spec: { automountServiceAccountToken: false, containers } });
  await server.post(`/api/v1/${NAMESPACE}/replicationcontrollers`, { metadata: { name: 'web' }, spec });
});

for (const [what, path, change] of [
  ['members of the object', `/api/v1/${NAMESPACE}/pods/web/ephemeralcontainers`, { ephemeralContainers: [{ name: 'a', image: 'y' }] }],
  ['its number of replicas', `/api/v1/${NAMESPACE}/replicationcontrollers/web/scale`, { spec: { replicas: 3 } }],
] as const) {
  test(`${what}: writes at the same time are all seen by one after the other`, async () => {
    const { body: before } = await server.get(path);
    const answers = await Promise.all([1, 2, 3, 4].map(() => server.ask('PATCH', path, { body: change, type: MERGE })));
    assert.equal(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    const { body: after } = await server.get(path);
    assert.equal([after.metadata.uid, after.kind], [before.metadata.uid, before.kind]);
    assert.is.not(after.metadata.resourceVersion, before.metadata.resourceVersion);
  });
  test(`${what}: a patch of another name, and a PUT without one, are refused`, async () => {
    assert.is((await server.ask('PATCH', path, { body: { metadata: { name: 'other' } }, type: MERGE })).status, 400);
    assert.is((await server.ask('PUT', path, { body: change })).status, 400);
  });
  test(`${what}: cannot be exported, deleted or created`, async () => {
    assert.is((await server.get(`${path}?export=true`)).status, 400);
    for (const method of ['DELETE', 'POST']) assert.is((await server.ask(method, path, { body: {} })).status, 405);
  });
}

test.run();
