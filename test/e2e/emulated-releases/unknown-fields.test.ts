/** Definitions of v1beta1 keep unknown fields unless they say otherwise: their objects then keep all that was sent, wherever it stands. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../../harness/eventually.ts';
import { withServer } from './server.ts';

const test = suite('definitions that keep unknown fields');
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions';
const TOYS = '/apis/example.com/v1/namespaces/default/toys';
const either = { anyOf: [{ type: 'object', properties: { colour: { type: 'string' } } }, { type: 'string' }] };
const list = { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } };
const definition = {
  metadata: { name: 'toys.example.com' },
  spec: {
    group: 'example.com',
    version: 'v1',
    scope: 'Namespaced',
    names: { plural: 'toys', singular: 'toy', kind: 'Toy', listKind: 'ToyList' },
    validation: { openAPIV3Schema: { type: 'object', properties: { spec: either, list } } },
  },
};
const members = { spec: { colour: 'red', size: 1, none: null }, list: [{ a: 'x', b: [{ c: 1 }] }], other: { d: null } };
const toy = (name: string) => ({ apiVersion: 'example.com/v1', kind: 'Toy', metadata: { name }, ...members });

test('leave out nothing of what is created and applied', () =>
  withServer('1.20', {}, async (server) => {
    await server.call('POST', DEFINITIONS, definition);
    await eventually('toys are served', async () => (await server.call('GET', TOYS)).status === 200);
    const isTold = async () => {
      const { conditions } = (await server.call('GET', `${DEFINITIONS}/toys.example.com`)).body.status;
      return conditions.some(({ type, reason }: Record<string, string>) => type === 'NonStructuralSchema' && reason === 'Violations');
    };
    await eventually('the definition is said to be none that is structural', isTold);
    const created = await server.call('POST', TOYS, toy('a'));
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const applied = await server.call('PATCH', `${TOYS}/b?fieldManager=me`, toy('b'), apply);
    for (const { status, body, warnings } of [created, applied]) {
      const { spec, list: items, other } = body;
      assert.equal([status, { spec, list: items, other }, warnings], [201, members, []], JSON.stringify(body));
    }
  }));
test('may have a group of the project itself without an approval, where v1 needs one', () =>
  withServer('1.20', {}, async (server) => {
    const group = 'toys.k8s.io';
    const own = { metadata: { name: `toys.${group}` }, spec: { ...definition.spec, group } };
    assert.is((await server.call('POST', DEFINITIONS, own)).status, 201);
    const NEWER = DEFINITIONS.replace('v1beta1', 'v1');
    const { body } = await server.call('GET', `${NEWER}/${own.metadata.name}`);
    assert.is((await server.call('DELETE', `${NEWER}/${own.metadata.name}`)).status, 200);
    const { names, scope } = body.spec;
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    await eventually('it is gone', async () => (await server.call('GET', `${NEWER}/${own.metadata.name}`)).status === 404);
    const refused = await server.call('POST', NEWER, { metadata: own.metadata, spec: { group, names, scope, versions } });
    assert.is(refused.status, 422, JSON.stringify(refused.body));
    assert.match(refused.body.message, /api-approved\.kubernetes\.io/);
  }));
test.run();
