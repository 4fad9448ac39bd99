import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodeAgent, unverified } from '../../runtime/relay/node-agents.ts';
import { outcomeOf, serverWith } from './backend.ts';

const test = suite('places of node agents');

const addresses = [
  { type: 'InternalIP', address: '10.0.0.1' },
  { type: 'Hostname', address: 'host' },
];
const rows: readonly [name: string, node: object, place: string][] = [
  ['the most wanted type', { status: { addresses } }, 'host:10250'],
  ['the next one', { status: { addresses: addresses.slice(0, 1) } }, '10.0.0.1:10250'],
  [
    'the label of a node that reports no name',
    { metadata: { labels: { 'kubernetes.io/hostname': 'label' } }, status: { addresses: [] } },
    'label:10250',
  ],
  ['the port that the node reports', { status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 7 } } } }, 'host:7'],
];
for (const [name, node, place] of rows)
  test(`have ${name}`, async () => {
    const { host, port } = await nodeAgent(serverWith({ 'nodes//n': node }), 'n', 'nodes');
    assert.is(`${host}:${port}`, place);
  });
test('are told to be without an address of a wanted type', async () => {
  const server = serverWith({ 'nodes//n': { status: { addresses: [{ type: 'Other', address: '10.1.1.1' }] } } });
  assert.match(
    await outcomeOf(nodeAgent(server, 'n', 'nodes')),
    /no preferred addresses found; known addresses: \[\{Other 10\.1\.1\.1\}\]$/,
  );
});
test('of nodes that are not there are missed by what was asked for', async () =>
  assert.is(await outcomeOf(nodeAgent(serverWith({}), 'gone', 'pods')), '404: pods "gone" not found'));
test('may be believed whatever certificate they show', () => {
  const agent = { host: 'a', port: 1, tls: { authority: 'x', certificate: 'y' } };
  assert.equal(unverified(agent), { host: 'a', port: 1, tls: { authority: undefined, certificate: 'y' } });
});

test.run();
