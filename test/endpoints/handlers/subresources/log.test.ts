import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from '../asked-server.ts';

const test = suite('logs of pods');
const server = await AskedServer.start();
test.after(() => server.stop());
const PODS = '/api/v1/namespaces/default/pods';
const pod = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'x' }], ...spec } });

test.before(async () => {
  await server.post(PODS, pod('waiting'));
  await server.post(PODS, pod('lost', { nodeName: 'gone' }));
  await server.post(PODS, { metadata: { name: 'two' }, spec: { containers: ['a', 'b'].map((name) => ({ name, image: 'x' })) } });
});
test('of a pod that nobody has run yet are no content', async () => {
  const { status, body } = await server.get(`${PODS}/waiting/log`);
  assert.equal([status, body], [204, '']);
});
const refusals: readonly [path: string, status: number, message: RegExp][] = [
  ['none/log', 404, /^pods "none" not found$/],
  ['lost/log', 404, /^pods "gone" not found$/],
  ['two/log', 400, /^a container name must be specified for pod two, choose one of: \[a b\]$/],
  ['two/log?container=c', 400, /^container c is not valid for pod two$/],
  ['waiting/log?tailLines=-1', 422, /tailLines: Invalid value: -1/],
  ['waiting/log?sinceSeconds=x', 400, /strconv.ParseInt/],
];
for (const [path, status, message] of refusals)
  test(`${path} is ${status}`, async () => {
    const answer = await server.get(`${PODS}/${path}`);
    assert.is(answer.status, status);
    assert.match(answer.body.message, message);
  });
test('options of an earlier release are held against the same rules', async () => {
  const earlier = await AskedServer.start('kubernetes', { 'emulated-release': '1.20' });
  try {
    const { status, body } = await earlier.get(`${PODS}/none/log?tailLines=-1&limitBytes=0`);
    const tail = 'tailLines: Invalid value: -1: must be greater than or equal to 0';
    const message = `PodLogOptions "none" is invalid: [${tail}, limitBytes: Invalid value: 0: must be greater than 0]`;
    assert.equal([status, body.message, body.details.causes.length], [422, message, 2]);
  } finally {
    await earlier.stop();
  }
});
const forms = 'application/json, application/yaml, application/vnd\\.\\w+\\.protobuf';
const accepts: readonly [accept: string, status: number, message?: RegExp][] = [
  ['*/*', 204],
  ['application/json, */*', 204],
  ['application/yaml', 204],
  ['text/plain, */*', 204],
  ['text/plain', 406, new RegExp(`^only the following media types are accepted: ${forms}$`)],
  ['application/json;as=Table;v=v1;g=meta.k8s.io', 406, new RegExp(`^only the following media types are accepted: ${forms}$`)],
  ['text/html', 406, new RegExp(`^406: Not Acceptable\n\nAvailable representations: text/plain, ${forms}$`)],
];
for (const [accept, status, message] of accepts)
  test(`asked for as ${accept} are ${status}`, async () => {
    const answer = await server.get(`${PODS}/waiting/log`, { accept });
    assert.is(answer.status, status);
    if (message !== undefined) assert.match(answer.body.message ?? answer.body, message);
  });
test('are read, and nothing else', async () => assert.is((await server.ask('DELETE', `${PODS}/waiting/log`)).status, 405));

test.run();
