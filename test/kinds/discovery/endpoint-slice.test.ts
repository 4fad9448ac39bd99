import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { lines, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('endpoint slices');
const slice = await loadKind('discovery.k8s.io/v1', 'EndpointSlice');
const beta = await loadKind('discovery.k8s.io/v1beta1', 'EndpointSlice');

const make = (members: object): ApiObject =>
  slice.decode({ metadata: { name: 'x', namespace: 'n' }, addressType: 'IPv4', endpoints: [], ...members }).object;
const endpoint = (members: object) => ({ endpoints: [{ addresses: ['10.1.2.3'], ...members }] });
const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `z${index}` }));

const rows: [string, object, string[]][] = [
  ['an endpoint', endpoint({}), []],
  ['no address', endpoint({ addresses: [] }), ['endpoints[0].addresses: Required value: must contain at least 1 address']],
  [
    'no address at all',
    endpoint({ addresses: ['x'] }),
    [
      'endpoints[0].addresses[0]: Invalid value: "x": must be a valid IPv4 address',
      'endpoints[0].addresses[0]: Invalid value: "x": must be a valid IP address',
    ],
  ],
  [
    'a loopback address',
    endpoint({ addresses: ['127.0.0.1'] }),
    ['endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  ],
  ['a name', { addressType: 'FQDN', ...endpoint({ addresses: ['a.example.com.'] }) }, []],
  [
    'a name of one part',
    { addressType: 'FQDN', ...endpoint({ addresses: ['a'] }) },
    ['endpoints[0].addresses[0]: Invalid value: "a": should be a domain with at least two segments separated by dots'],
  ],
  ['too many zones', endpoint({ hints: { forZones: many(9) } }), ['endpoints[0].hints.forZones: Too many: 9: must have at most 8 items']],
  ['a port of any number', { ports: [{ port: 0 }] }, []],
  ['two ports without names', { ports: [{ port: 1 }, { port: 2 }] }, ['ports[1].name: Duplicate value: ""']],
  [
    'an empty protocol',
    { ports: [{ protocol: '' }] },
    ['ports[0].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"'],
  ],
  ['a protocol', { ports: [{ protocol: 'X' }] }, ['ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"']],
];
for (const [name, members, expected] of rows)
  test(name, () => assert.equal(lines(slice.rules.validate?.(make(members), ruleContext())), expected));

test('the type cannot change', () => {
  const changed = lines(slice.rules.validateUpdate?.(make({ addressType: 'FQDN' }), make({}), ruleContext()));
  assert.equal(changed, ['addressType: Invalid value: "FQDN": field is immutable']);
});

test('topology goes from endpoints that change, and its node becomes a field', () => {
  const deprecatedTopology = { 'kubernetes.io/hostname': 'n' };
  const old = make(endpoint({ deprecatedTopology }));
  const same = make(endpoint({ deprecatedTopology }));
  slice.rules.prepareForUpdate?.(same, old, ruleContext());
  assert.equal(same.endpoints, old.endpoints);
  const changed = make(endpoint({ deprecatedTopology, zone: 'z' }));
  slice.rules.prepareForUpdate?.(changed, old, ruleContext());
  assert.is(changed.endpoints[0].deprecatedTopology, undefined);
  assert.is(changed.endpoints[0].nodeName, 'n');
  const created = make(endpoint({ deprecatedTopology }));
  slice.rules.prepareForCreate?.(created, ruleContext());
  assert.is(created.endpoints[0].nodeName, undefined);
});

test('topology that is sent and dropped counts as a change', () => {
  const old = make(endpoint({}));
  old.metadata.generation = 3;
  const changed = make(endpoint({ deprecatedTopology: { a: 'b' } }));
  slice.rules.prepareForUpdate?.(changed, old, ruleContext());
  assert.equal(changed.endpoints, old.endpoints);
  assert.is(changed.metadata.generation, 4);
});

test('cells', async () => {
  const addresses = ['1', '2', '3', '4', '5'];
  const cells = await rowOf(make({ ...endpoint({ addresses }), ports: [{ name: 'a' }, { port: 80 }, {}] }), 0);
  assert.equal(cells.slice(1, 4), ['IPv4', 'a,80,', '1,2,3 + 2 more...']);
  assert.equal((await rowOf(make({}), 0)).slice(2, 4), ['<unset>', '<unset>']);
});

test('the beta version has zone and node among its topology', () => {
  const topology = { a: 'b', 'kubernetes.io/hostname': 'n', 'topology.kubernetes.io/zone': 'z' };
  const object = beta.decode({ metadata: { name: 'x' }, addressType: 'IPv4', ...endpoint({ nodeName: 'n', topology }) }).object;
  const hub = beta.toHub(object);
  assert.equal(
    { ...hub.endpoints[0] },
    { addresses: ['10.1.2.3'], conditions: {}, deprecatedTopology: { a: 'b' }, nodeName: 'n', zone: 'z' },
  );
  assert.equal({ ...beta.fromHub(hub).endpoints[0].topology }, topology);
});

test('a node label that is not the node of the field stays in the topology of the beta version', () => {
  const topology = { 'kubernetes.io/hostname': 'other' };
  const object = beta.decode({ metadata: { name: 'x' }, addressType: 'IPv4', ...endpoint({ nodeName: 'n', topology }) }).object;
  const hub = beta.toHub(object);
  assert.equal({ ...hub.endpoints[0] }, { addresses: ['10.1.2.3'], conditions: {}, deprecatedTopology: topology, nodeName: 'n' });
  const { nodeName, topology: back } = beta.fromHub(hub).endpoints[0];
  assert.equal([nodeName, { ...back }], ['n', topology]);
});

test.run();
