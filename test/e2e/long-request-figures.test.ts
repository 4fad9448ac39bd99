/** What the thread for long requests counts is shown with what the serving thread counts. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../harness/client.ts';
import { startServer, type TestServer } from '../harness/server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
/** Characters that are more than the serving thread takes. */
const LONG = 700_000;

const test = suite('figures of long requests');
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({ dialect: 'cluster', flags: ['--controllers=-*'] });
  client = new Client(server);
});
test.after(async () => {
  client.close();
  await server.stop();
});

/** The value of the only row of these labels; 0 where there is none. */
async function figure(name: string, labels: Record<string, string>): Promise<number> {
  const { text } = await client.get('/metrics');
  const all = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const rows = text.split('\n').filter((each) => each.startsWith(`${name}{`) && all.every((label) => each.includes(label)));
  assert.ok(rows.length < 2, rows.join('\n'));
  return Number(rows[0]?.slice(rows[0].lastIndexOf(' ')) ?? 0);
}

test('admission of a long body is counted as that of a short one, and the request once', async () => {
  const admitted = () =>
    figure('apiserver_admission_step_admission_duration_seconds_count', { operation: 'CREATE', type: 'validate', rejected: 'false' });
  const requests = () => figure('apiserver_request_total', { verb: 'POST', resource: 'configmaps', code: '200' });
  const before = { admitted: await admitted(), requests: await requests() };
  for (const [index, length] of [10, LONG, LONG].entries()) {
    const { status } = await client.post(MAPS, { metadata: { name: `map-${index}` }, data: { a: 'a'.repeat(length) } });
    assert.is(status, 200);
  }
  assert.is((await admitted()) - before.admitted, 3);
  assert.is((await requests()) - before.requests, 3);
});

test.run();
