/** Changes of pods that are refused show the difference to what was sent, however it was sent. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('refused changes');
const PODS = '/api/v1/namespaces/default/pods';

let server: TestServer;
let client: Client;

test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags: ['--disable-admission-plugins=ServiceAccount'] });
  client = new Client(server);
  assert.is((await client.request('POST', PODS, { body: pod({ name: 'c', image: 'i:1' }) })).status, 201);
});
test.after(async () => {
  await server?.stop();
});

const pod = (container: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [container] } });

const container = { name: 'c', image: 'i:1', command: [], resources: { requests: { cpu: '0.1' } } };
const EXPECTED = [
  '- \t\t\tCommand:    nil,',
  '+ \t\t\tCommand:    []string{},',
  '- \t\t\t\tRequests: nil,',
  '+ \t\t\t\tRequests: core.ResourceList{s"cpu": {i: resource.int64Amount{value: 1, scale: -1}, Format: "DecimalSI"}},',
];

const JSON_PATCH = [
  { op: 'add', path: '/spec/containers/0/command', value: [] },
  { op: 'add', path: '/spec/containers/0/resources', value: container.resources },
];
const rows: readonly (readonly [name: string, method: string, type: string, body: unknown])[] = [
  ['an update', 'PUT', 'application/json', pod(container)],
  ['a merge patch', 'PATCH', 'application/merge-patch+json', { spec: { containers: [container] } }],
  ['a strategic patch', 'PATCH', 'application/strategic-merge-patch+json', { spec: { containers: [container] } }],
  ['a JSON patch', 'PATCH', 'application/json-patch+json', JSON_PATCH],
  ['an apply', 'PATCH', 'application/apply-patch+yaml', pod(container)],
];
for (const [name, method, type, body] of rows)
  test(`by ${name}`, async () => {
    const query = type.startsWith('application/apply') ? '?fieldManager=m&force=true' : '';
    const answer: Answer = await client.request(method, `${PODS}/p${query}`, { headers: { 'content-type': type }, body });
    assert.is(answer.status, 422, answer.text);
    const [cause] = answer.body.details.causes;
    assert.is(cause.field, 'spec');
    assert.equal(
      cause.message.split('\n').filter((line: string) => /^[-+] /.test(line)),
      EXPECTED,
    );
  });

test.run();
