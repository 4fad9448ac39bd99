/** What a delete answers: the object that is gone, or a status that says so. An object that finalizers hold is always answered. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('what deletes answer');

let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags: ['--disable-admission-plugins=ServiceAccount'] });
  client = new Client(server);
});
test.after(async () => void (await server?.stop()));

const containers = [{ name: 'c', image: 'i' }];
const replicated = { spec: { template: { metadata: { labels: { a: 'b' } }, spec: { containers } } } };
const rows: readonly [resource: string, body: object, policy: string, kind: string][] = [
  ['configmaps', {}, 'Background', 'Status'],
  ['podtemplates', { template: { spec: { containers } } }, 'Background', 'PodTemplate'],
  ['replicationcontrollers', replicated, 'Background', 'Status'],
  ['replicationcontrollers', replicated, 'Foreground', 'ReplicationController'],
];
for (const [index, [resource, body, policy, kind]] of rows.entries())
  test(`${resource}, ${policy}: ${kind}`, async () => {
    const url = `/api/v1/namespaces/default/${resource}`;
    const name = `a${index}`;
    assert.is((await client.post(url, { metadata: { name }, ...body })).status, 201);
    const answer = await client.delete(`${url}/${name}?propagationPolicy=${policy}`);
    assert.equal([answer.status, answer.body.kind], [200, kind]);
  });

test.run();
