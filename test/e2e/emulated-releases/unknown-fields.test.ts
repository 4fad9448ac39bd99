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
    const created = await server.call('POST', TOYS, toy('a'));
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const applied = await server.call('PATCH', `${TOYS}/b?fieldManager=me`, toy('b'), apply);
    for (const { status, body, warnings } of [created, applied]) {
      const { spec, list: items, other } = body;
      assert.equal([status, { spec, list: items, other }, warnings], [201, members, []], JSON.stringify(body));
    }
  }));
test.run();
