/** What the thread for long requests counts is shown with what the serving thread counts. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
/** Characters that are more than the serving thread takes. */
const LONG = 700_000;

const test = suite('figures of long requests');
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags: ['--controllers=-*'] });
  client = new Client(server);
});
test.after(async () => {
  client.close();
  await server.stop();
});

/** The value of the only row of these labels; 0 where there is none. */
async function figure(name: string, labels: Record<string, string> = {}): Promise<number> {
  const { text } = await client.get('/metrics');
  const all = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const rows = text.split('\n').filter((each) => /^[^{ ]*/.exec(each)?.[0] === name && all.every((label) => each.includes(label)));
  assert.ok(rows.length < 2, rows.join('\n'));
  return Number(rows[0]?.slice(rows[0].lastIndexOf(' ')) ?? 0);
}

test('admission of a long body is counted as that of a short one, and the request once', async () => {
  const admitted = () =>
    figure('apiserver_admission_step_admission_duration_seconds_count', { operation: 'CREATE', type: 'validate', rejected: 'false' });
  const requests = () => figure('apiserver_request_total', { verb: 'POST', resource: 'configmaps', code: '201' });
  const before = { admitted: await admitted(), requests: await requests() };
  for (const [index, length] of [10, LONG, LONG].entries()) {
    const { status } = await client.post(MAPS, { metadata: { name: `map-${index}` }, data: { a: 'a'.repeat(length) } });
    assert.is(status, 201);
  }
  assert.is((await admitted()) - before.admitted, 3);
  assert.is((await requests()) - before.requests, 3);
});

const GROUP = 'figures.example.com';
const rule = (text: string) => [{ rule: text }];
const definition = {
  metadata: { name: `widgets.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              other: { type: 'string' },
              spec: {
                type: 'object',
                'x-kubernetes-validations': rule('self.a != self.b'),
                properties: {
                  a: { type: 'string', maxLength: LONG, 'x-kubernetes-validations': rule("self != ''") },
                  b: { type: 'string', maxLength: 100 },
                },
              },
            },
          },
        },
      },
    ],
  },
};

test('rules of definitions are counted when they are compiled, and values when rules are evaluated, on whichever thread', async () => {
  const count = (what: string) => figure(`apiserver_cel_${what}_duration_seconds_count`);
  const made = await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  assert.is(made.status, 201, made.text);
  assert.is(await count('compilation'), 2, 'of both schemas with rules, to see whether they are right');
  const widgets = `/apis/${GROUP}/v1/namespaces/default/widgets`;
  await eventually('widgets are served', async () => (await client.get(widgets)).status === 200);
  const make = async (name: string, a: string) => {
    const { status } = await client.post(widgets, { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name }, spec: { a, b: 'b' } });
    assert.is(status, 201);
  };
  await make('short', 'a');
  assert.is(await count('evaluation'), 3, 'the object, its spec, and a');
  assert.is(await count('compilation'), 4);
  await make('second', 'a');
  assert.is(await count('evaluation'), 6);
  assert.is(await count('compilation'), 4);
  await make('long', 'a'.repeat(LONG));
  assert.is(await count('evaluation'), 9);
  assert.is(await count('compilation'), 6, 'once more on the thread');
});

test.run();
