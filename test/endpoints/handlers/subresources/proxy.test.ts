import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer, MERGE } from '../asked-server.ts';

const test = suite('requests that are passed on');
const server = await AskedServer.start();
test.after(() => server.stop());
const PODS = '/api/v1/namespaces/default/pods';
const pod = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'x' }], ...spec } });

const ENDPOINTS = '/api/v1/namespaces/default/endpoints';
const SERVICES = '/api/v1/namespaces/default/services';
test.before(async () => {
  for (const name of ['waiting', 'up']) await server.post(PODS, pod(name));
  const status = { podIP: '10.9.9.9', podIPs: [{ ip: '10.9.9.9' }] };
  await server.ask('PATCH', `${PODS}/up/status`, { body: { status }, type: MERGE });
  for (const name of ['web', 'idle', 'new']) await server.post(SERVICES, { metadata: { name }, spec: { ports: [{ port: 80 }] } });
  const subsets = [{ addresses: [{ ip: '10.9.9.9' }], ports: [{ port: 80 }] }];
  await server.post(ENDPOINTS, { metadata: { name: 'web' }, subsets });
  await server.post(ENDPOINTS, { metadata: { name: 'idle' } });
});
test('lead to the path with a slash, without a body', async () => {
  const answer = await server.embedded.client.fetch(`${PODS}/up/proxy?a=b`, { redirect: 'manual' });
  assert.equal([answer.status, answer.headers.get('location'), await answer.text()], [301, `${PODS}/up/proxy/?a=b`, '']);
});
const rows: readonly [path: string, status: number, message: RegExp][] = [
  [`${PODS}/none/proxy/`, 404, /^pods "none" not found$/],
  [`${PODS}/waiting/proxy/`, 400, /address not allowed|does not have|pod not/],
  [`${SERVICES}/none/proxy/`, 404, /^services "none" not found$/],
  [`${SERVICES}/new/proxy/`, 404, /^services "new" not found$/],
  [`${SERVICES}/idle/proxy/`, 503, /no endpoints available for service "idle"/],
  [`${SERVICES}/web:99/proxy/`, 503, /no service port 99 found for service "web"/],
  ['/api/v1/nodes/none/proxy/', 404, /^nodes "none" not found$/],
  [`${PODS}/a:b:c:d/proxy/`, 400, /invalid pod request "a:b:c:d"/],
];
for (const [path, status, message] of rows)
  test(`${path} is ${status}`, async () => {
    const answer = await server.get(path);
    assert.is(answer.status, status);
    assert.match(answer.body.message, message);
  });
test('may have any method', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
    assert.is((await server.ask(method, `${SERVICES}/none/proxy/x`)).status, 404, method);
});

test.run();
