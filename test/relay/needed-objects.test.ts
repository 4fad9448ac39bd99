import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { neededObject } from '../../runtime/relay/needed-objects.ts';
import { outcomeOf, serverWith } from './backend.ts';

const test = suite('objects that a relay needs');

const server = serverWith({ 'nodes//n1': { spec: {} } });
test('are found', async () => assert.is((await neededObject(server, 'nodes', '', 'n1', 'nodes')).metadata.name, 'n1'));
test('are missed by the name of what was asked for', async () => {
  assert.is(await outcomeOf(neededObject(server, 'nodes', '', 'gone', 'pods')), '404: pods "gone" not found');
  assert.is(await outcomeOf(neededObject(server, 'endpoints', 'a', 'web', 'services')), '404: services "web" not found');
});
test('of resources that are not served are a fault of the server', async () => {
  const none = { ...server, registry: { current: { resource: () => undefined } } } as unknown as typeof server;
  assert.is(await outcomeOf(neededObject(none, 'pods', 'a', 'x', 'pods')), 'Error: pods are not served');
});

test.run();
