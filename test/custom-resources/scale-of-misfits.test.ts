/** Scales of objects whose definition does not know the number, or was told later where it stands than the objects were written. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { eventually } from '../harness/eventually.ts';

const test = suite('scales of objects that do not fit their paths');
const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/kites.sky.example';
const KITES = '/apis/sky.example/v1/namespaces/default/kites';
const ANY = { nullable: true, 'x-kubernetes-preserve-unknown-fields': true };
const spec = { type: 'object', properties: { known: { type: 'integer' }, any: ANY } };
const version = {
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: { type: 'object', ...ANY } } } },
};
const scaled = (specReplicasPath: string) => ({
  ...version,
  subresources: { scale: { specReplicasPath, statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' } },
});

let server: EmbeddedServer;
async function ask(method: string, path: string, body?: object): Promise<readonly [number, Answer]> {
  const answer = await server.client.fetch(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
  });
  return [answer.status, (await answer.json()) as Answer];
}
interface Answer {
  readonly message: string;
  readonly reason?: string;
  readonly metadata: { readonly generation?: number };
  readonly spec: object;
  readonly status: object;
}

const OBJECTS: Readonly<Record<string, object>> = {
  text: { spec: { any: '3' } },
  none: { spec: { any: null } },
  within: { spec: { any: { deep: 1 } } },
  selector: { spec: { any: 1 }, status: { selector: {} } },
  long: { spec: { any: 4_294_967_298 }, status: { replicas: 2_147_483_648 } },
  plain: { spec: { known: 1 } },
};

const scaleAt = (path: string) => ask('PATCH', DEFINITION, { spec: { versions: [scaled(path)] } });

test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  await server.client.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'kites.sky.example' },
    spec: { group: 'sky.example', scope: 'Namespaced', names: { plural: 'kites', kind: 'Kite' }, versions: [version] },
  });
  await eventually('kites are served', async () => (await server.client.fetch(KITES)).ok);
  for (const [name, members] of Object.entries(OBJECTS))
    await server.client.request('POST', KITES, { apiVersion: 'sky.example/v1', kind: 'Kite', metadata: { name }, ...members });
  await scaleAt('.spec.any');
  await eventually('objects have scales', async () => (await ask('GET', `${KITES}/long/scale`))[0] === 200);
});
test.after(() => server.stop());

for (const [name, problem] of [
  ['text', '.spec.any accessor error: 3 is of the type string, expected int64'],
  ['none', '.spec.any accessor error: <nil> is of the type <nil>, expected int64'],
  ['within', '.spec.any accessor error: map[deep:1] is of the type map[string]interface {}, expected int64'],
  ['selector', '.status.selector accessor error: map[] is of the type map[string]interface {}, expected string'],
] as const)
  test(`what is no number or selector is an error: ${name}`, async () => {
    for (const [method, body] of [['GET'], ['PATCH', { spec: { replicas: 2 } }]] as const) {
      const [status, { message, reason }] = await ask(method, `${KITES}/${name}/scale`, body);
      assert.equal([status, message, reason], [500, problem, undefined]);
    }
  });

test('of long numbers 32 bits are shown', async () => {
  const [, { spec, status }] = await ask('GET', `${KITES}/long/scale`);
  assert.equal([spec, status], [{ replicas: 2 }, { replicas: -2_147_483_648 }]);
});

test('a number that the definition does not know is not stored', async () => {
  await scaleAt('.spec.unknown');
  const path = `${KITES}/plain/scale`;
  await eventually('the path counts', async () => (await ask('GET', path))[1].message?.includes('.spec.unknown'));
  const [status, scale] = await ask('PATCH', path, { spec: { replicas: 2 } });
  assert.equal([status, scale.spec], [200, {}]);
  const [, kite] = await ask('GET', `${KITES}/plain`);
  assert.equal([kite.spec, kite.metadata.generation], [{ known: 1 }, 2]);
  const [refused, { message }] = await ask('PATCH', path, { spec: { replicas: -1 } });
  assert.equal([refused, message.endsWith('.spec.unknown: Invalid value: -1: should be a non-negative integer')], [422, true]);
});

test.run();
