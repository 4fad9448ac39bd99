/** The subresource `scale` of custom resources: what its writes leave to defaults, and in which forms it is had. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer, MERGE } from '../endpoints/handlers/asked-server.ts';
import { eventually } from '../harness/eventually.ts';

const test = suite('the scale of custom resources');
const OARS = '/apis/boats.example/v1/namespaces/default/oars';
const spec = { type: 'object', properties: { replicas: { type: 'integer' }, side: { type: 'string', default: 'left' } } };
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

let server: AskedServer;
test.before(async () => {
  server = await AskedServer.start();
  await server.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'oars.boats.example' },
    spec: {
      group: 'boats.example',
      scope: 'Namespaced',
      names: { plural: 'oars', singular: 'oar', kind: 'Oar', listKind: 'OarList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
          subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        },
      ],
    },
  });
  await eventually('oars are served', async () => (await server.get(OARS)).status === 200);
});
test.after(() => server.stop());

test('a part that a write of the number has made has its defaults', async () => {
  await server.post(OARS, { apiVersion: 'boats.example/v1', kind: 'Oar', metadata: { name: 'a', labels: { a: 'b' } } });
  assert.is((await server.get(`${OARS}/a`)).body.spec, undefined);
  assert.is((await server.ask('PATCH', `${OARS}/a/scale`, { body: { spec: { replicas: 2 } }, type: MERGE })).status, 200);
  const { body } = await server.get(`${OARS}/a`);
  assert.equal(body.spec, { replicas: 2, side: 'left' });
  const owned = body.metadata.managedFields.map(({ fieldsV1 }: { fieldsV1: object }) => fieldsV1);
  assert.equal(owned, [{ 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } }], 'nobody owns a default');
  const { body: unchanged } = await server.ask('PATCH', `${OARS}/a`, { body: {}, type: MERGE });
  assert.equal(unchanged, body);
});

/** What the scale is answered in, by the Accept header. */
const FORMS: readonly (readonly [accept: string, status: number, contentType: string])[] = [
  ['application/json', 200, 'application/json'],
  ['application/*', 200, 'application/json'],
  ['*', 200, 'application/json'],
  [PROTOBUF, 406, PROTOBUF],
  [`${PROTOBUF},application/json`, 200, 'application/json'],
  ['text/html', 406, 'application/json'],
];
for (const [accept, status, contentType] of FORMS)
  test(`as ${accept}`, async () => {
    await server.post(OARS, { apiVersion: 'boats.example/v1', kind: 'Oar', metadata: { name: 'b' }, spec: { replicas: 1 } });
    const answer = await server.get(`${OARS}/b/scale`, { accept });
    assert.equal([answer.status, answer.headers.get('content-type')], [status, contentType]);
    if (accept === 'text/html') assert.match(answer.body.message, /^only the following media types are accepted: /);
  });

test.run();
