/** Numbers of replicas within a member that is null, where none can be set, and within one that is absent and gets its defaults when it is stored, as in 1.32. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { eventually } from '../harness/eventually.ts';

const test = suite('the scale of a custom resource whose spec is null or absent');
const SAILS = '/apis/boats.example/v1/namespaces/default/sails';
const RIG = { type: 'object', default: {}, properties: { masts: { type: 'integer', default: 1 } } };
const part = {
  type: 'object',
  nullable: true,
  properties: { replicas: { type: 'integer' }, colour: { type: 'string', default: 'red' }, rig: RIG },
};

let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  await server.client.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'sails.boats.example' },
    spec: {
      group: 'boats.example',
      scope: 'Namespaced',
      names: { plural: 'sails', singular: 'sail', kind: 'Sail', listKind: 'SailList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: part, status: part } } },
          subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        },
      ],
    },
  });
  await eventually('sails are served', async () => (await server.client.fetch(SAILS)).ok);
  await server.client.request('POST', SAILS, { apiVersion: 'boats.example/v1', kind: 'Sail', metadata: { name: 'a' }, spec: null });
});
test.after(() => server.stop());

async function ask(method: string, type: string, body?: object, query = '', name = 'a'): Promise<[status: number, message: string]> {
  const answer = await server.client.fetch(`${SAILS}/${name}/scale${query}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: { 'content-type': type },
  });
  return [answer.status, ((await answer.json()) as { message: string }).message];
}

const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 2 } };
const REFUSED = [500, 'value cannot be set because .spec is not a map[string]interface{}'];

test('has no number', async () => {
  const message = 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist';
  assert.equal(await ask('GET', 'application/json'), [500, message]);
});
test('takes none by PUT', async () => assert.equal(await ask('PUT', 'application/json', scale), REFUSED));
test('takes none by a patch', async () => assert.equal(await ask('PATCH', 'application/merge-patch+json', scale), REFUSED));
test('takes none by apply', async () =>
  assert.equal(await ask('PATCH', 'application/apply-patch+yaml', scale, '?fieldManager=me&force=true'), REFUSED));

test('is the first that an absent spec has, beside its defaults', async () => {
  const written = { replicas: 2, colour: 'red', rig: { masts: 1 } };
  for (const [name, method, type, query] of [
    ['b', 'PUT', 'application/json', '?fieldManager=me'],
    ['c', 'PATCH', 'application/merge-patch+json', '?fieldManager=me'],
    ['d', 'PATCH', 'application/apply-patch+yaml', '?fieldManager=me&force=true'],
  ] as const) {
    await server.client.request('POST', SAILS, { apiVersion: 'boats.example/v1', kind: 'Sail', metadata: { name } });
    const [status] = await ask(method, type, { ...scale, metadata: { name } }, query, name);
    assert.is(status, 200, name);
    const { spec } = (await (await server.client.fetch(`${SAILS}/${name}`)).json()) as { spec: object };
    assert.equal(spec, written, name);
  }
});
test.run();
