import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Allocations, Allocator, Owner, Taking } from '../../../../runtime/contract/allocation.ts';
import type { UpdateContext } from '../../../../runtime/contract/kind-rules.ts';
import type { ApiObject } from '../../../../runtime/contract/object.ts';
import { StatusError } from '../../../../runtime/status/status.ts';
import { lines, ruleContext } from '../../context.ts';
import { loadKind, rowOf } from '../../kind.ts';

const test = suite('services');
const services = await loadKind('v1', 'Service');
const { rules } = services;

/** 10.0.0.1 to 10.0.0.99 and ports 30000 to 30099 (or fewer), given out in order. */
class Ranges implements Allocator {
  readonly addressRanges = new Map([['IPv4', '10.0.0.0/25']] as const);
  readonly prefixes = [];
  readonly portRange = '30000-30099';
  readonly held = new Map<string | number, string>();
  readonly #size: number;

  constructor(size = 99) {
    this.#size = size;
  }

  take({ uid: owner = '' }: Owner): Taking {
    const taken: (string | number)[] = [];
    const claim = (value: string | number): 'claimed' | 'taken' => {
      const holder = this.held.get(value);
      if (holder === undefined) taken.push(value);
      this.held.set(value, holder ?? owner);
      return holder === undefined || holder === owner ? 'claimed' : 'taken';
    };
    const any = <T extends string | number>(value: (index: number) => T): T | undefined => {
      const values = Array.from({ length: this.#size }, (_, i) => value(i));
      return values.find((each) => !this.held.has(each) && claim(each) === 'claimed');
    };
    return {
      anyAddress: async () => any((i) => `10.0.0.${i + 1}`),
      address: async (address) => (address.startsWith('10.0.0.') ? claim(address) : 'outside'),
      anyPort: async () => any((i) => 30_000 + i),
      port: async (port) => (port >= 30_000 && port < 30_100 ? claim(port) : 'outside'),
      giveBack: async () => {
        for (const value of taken.splice(0)) this.held.delete(value);
      },
    };
  }
  async release({ uid: owner }: Owner, { addresses, ports }: Allocations) {
    for (const value of [...addresses, ...ports]) if (this.held.get(value) === owner) this.held.delete(value);
  }
  record(owner: Owner): Taking {
    return this.take(owner);
  }
  outside(address: string): string {
    return `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${this.addressRanges.get('IPv4')}`;
  }
  keysOf({ addresses, ports }: Allocations) {
    return [...addresses, ...ports.map(String)];
  }
}

const contextWith = (allocator: Allocator, dryRun = false): UpdateContext => ({ ...ruleContext(), allocator, dryRun });
const service = (spec: object, metadata: object = {}): ApiObject =>
  services.decode({ metadata: { name: 's', namespace: 'n', uid: 'u', ...metadata }, spec }).object;
const ports = [{ port: 80 }];

async function created(spec: object, allocator = new Ranges(), metadata: object = {}): Promise<ApiObject> {
  const object = service(spec, metadata);
  const context = contextWith(allocator);
  await rules.prepareForCreate?.(object, context);
  assert.equal(lines(rules.validate?.(object, context)), []);
  return object;
}

async function updated(old: ApiObject, spec: object, allocator: Allocator): Promise<ApiObject> {
  const object = service(spec);
  object.metadata.resourceVersion = '1';
  const context = contextWith(allocator);
  await rules.prepareForUpdate?.(object, old, context);
  assert.equal(lines([...(rules.validate?.(object, context) ?? []), ...(rules.validateUpdate?.(object, old, context) ?? [])]), []);
  await rules.afterUpdate?.(object, old, context);
  return object;
}

const defaults: [string, object, object][] = [
  ['a cluster address', { ports }, { type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' }],
  ['a balancer', { ports, type: 'LoadBalancer' }, { externalTrafficPolicy: 'Cluster', allocateLoadBalancerNodePorts: true }],
  ['external addresses', { ports, externalIPs: ['1.2.3.4'] }, { externalTrafficPolicy: 'Cluster' }],
  ['affinity', { ports, sessionAffinity: 'ClientIP' }, { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } }],
  [
    'affinity to nothing',
    { ports, sessionAffinity: 'None', sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } } },
    { sessionAffinityConfig: undefined },
  ],
  ['a name', { type: 'ExternalName', externalName: 'a.b' }, { internalTrafficPolicy: undefined }],
  ['ports', { ports }, { ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }] }],
];
for (const [name, spec, expected] of defaults)
  test(`defaults: ${name}`, () => {
    const object = service(spec);
    for (const [member, value] of Object.entries(expected)) assert.equal(object.spec[member], value, member);
  });

const made: [string, object, object][] = [
  ['an address', { ports }, { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }],
  ['the address it names', { ports, clusterIP: '10.0.0.7' }, { clusterIPs: ['10.0.0.7'] }],
  [
    'no address, endpoints by selector',
    { ports, clusterIP: 'None', selector: { a: 'b' } },
    { clusterIPs: ['None'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
  ],
  ['no address, endpoints by hand', { ports, clusterIP: 'None' }, { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }],
  ['both families where there are', { ports, ipFamilyPolicy: 'PreferDualStack' }, { ipFamilies: ['IPv4'], clusterIPs: ['10.0.0.1'] }],
  ['a name', { type: 'ExternalName', externalName: 'a.b' }, { clusterIP: undefined, ipFamilies: undefined }],
  [
    'a name, with a policy for traffic from inside',
    { type: 'ExternalName', externalName: 'a.b', internalTrafficPolicy: 'Cluster' },
    { internalTrafficPolicy: undefined },
  ],
];
for (const [name, spec, expected] of made)
  test(`create: ${name}`, async () => {
    const object = await created(spec);
    for (const [member, value] of Object.entries(expected)) assert.equal(object.spec[member], value, member);
  });

test('an alias has no policy for traffic from inside: updates drop one that is sent, and reads one that was stored', async () => {
  const alias = { type: 'ExternalName', externalName: 'a.b' };
  const changed = await updated(await created(alias), { ...alias, internalTrafficPolicy: 'Local' }, new Ranges());
  assert.is(changed.spec.internalTrafficPolicy, undefined);
  const stored = service({ ...alias, internalTrafficPolicy: 'Cluster' });
  rules.completeStored?.(stored, ruleContext());
  assert.is(stored.spec.internalTrafficPolicy, undefined);
});

test('node ports: one for all protocols of a port, one more for the health of a balancer', async () => {
  const both = [
    { name: 't', port: 53 },
    { name: 'u', port: 53, protocol: 'UDP' },
    { name: 'v', port: 54 },
  ];
  const object = await created({ ports: both, type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
  assert.equal(
    object.spec.ports.map(({ nodePort }: { nodePort: number }) => nodePort),
    [30_000, 30_000, 30_001],
  );
  assert.is(object.spec.healthCheckNodePort, 30_002);
});

test('a balancer may do without node ports', async () => {
  const object = await created({ ports, type: 'LoadBalancer', allocateLoadBalancerNodePorts: false });
  assert.is(object.spec.ports[0].nodePort, undefined);
});

const refused: [string, object, string][] = [
  [
    'an address of another',
    { ports, clusterIP: '10.0.0.1' },
    'spec.clusterIPs: Invalid value: []string{"10.0.0.1"}: failed to allocate IP 10.0.0.1: provided IP is already allocated',
  ],
  [
    'an address from outside',
    { ports, clusterIP: '192.0.2.1' },
    'spec.clusterIPs: Invalid value: []string{"192.0.2.1"}: failed to allocate IP 192.0.2.1: the provided IP (192.0.2.1) is not in the valid range. The range of valid IPs is 10.0.0.0/25',
  ],
  ['no address at all', { ports, clusterIP: 'abc' }, 'spec.clusterIPs[0]: Invalid value: "abc": must be a valid IP address'],
  [
    'a port from outside',
    { ports: [{ port: 80, nodePort: 80 }], type: 'NodePort' },
    'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-30099',
  ],
  [
    'a port of another',
    { ports: [{ port: 80, nodePort: 30_000 }], type: 'NodePort' },
    'spec.ports[0].nodePort: Invalid value: 30000: provided port is already allocated',
  ],
  [
    'one port for two of other numbers',
    {
      ports: [
        { name: 'a', port: 80, nodePort: 30_001 },
        { name: 'b', port: 81, protocol: 'UDP', nodePort: 30_001 },
      ],
      type: 'NodePort',
    },
    'spec.ports[1].nodePort: Invalid value: 30001: provided port is already allocated',
  ],
  [
    'another port than the one that is shared, where it is in use',
    {
      ports: [
        { name: 'a', port: 80, nodePort: 30_001 },
        { name: 'b', port: 81, nodePort: 30_002 },
        { name: 'c', port: 80, protocol: 'UDP', nodePort: 30_002 },
      ],
      type: 'NodePort',
    },
    'spec.ports[2].nodePort: Invalid value: 30002: provided port is already allocated',
  ],
  [
    'a port for health that one of its ports has',
    { ports: [{ port: 80, nodePort: 30_001 }], type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_001 },
    'failed to allocate requested HealthCheck NodePort 30001: provided port is already allocated',
  ],
  [
    'two families',
    { ports, ipFamilyPolicy: 'RequireDualStack' },
    'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  ],
  ['the other family', { ports, ipFamilies: ['IPv6'] }, 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
  [
    'one family with two',
    { ports, ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4', 'IPv6'] },
    "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
  ],
];
for (const [name, spec, expected] of refused)
  test(`create refuses ${name}, and takes nothing`, async () => {
    const allocator = new Ranges();
    await created({ ports, type: 'NodePort' }, allocator, { uid: 'other' });
    const before = [...allocator.held];
    try {
      await rules.prepareForCreate?.(service(spec), contextWith(allocator));
      assert.unreachable();
    } catch (error) {
      assert.instance(error, StatusError);
      assert.ok((error as StatusError).message.includes(expected), (error as StatusError).message);
    }
    assert.equal([...allocator.held], before);
  });

const balancer = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
const full: [string, size: number, object, message: string][] = [
  ['an address', 0, { ports }, 'failed to allocate a serviceIP: range is full'],
  ['a port', 1, { ports: [{ port: 80 }, { port: 81 }], type: 'NodePort' }, 'failed to allocate a nodePort: range is full'],
  ['a port for health', 1, { ports, ...balancer }, 'failed to allocate a HealthCheck NodePort 0: range is full'],
  [
    'the port for health that it names',
    2,
    { ports, ...balancer, healthCheckNodePort: 30_099 },
    'failed to allocate requested HealthCheck NodePort 30099: provided port is already allocated',
  ],
];
for (const [name, size, spec, message] of full)
  for (const dryRun of [false, true])
    test(`create that does not get ${name} says so, and takes nothing${dryRun ? ', dry run' : ''}`, async () => {
      const allocator = new Ranges(size);
      await allocator.take({ uid: 'other' }).port(30_099);
      try {
        await rules.prepareForCreate?.(service(spec), contextWith(allocator, dryRun));
        assert.unreachable();
      } catch (error) {
        assert.instance(error, StatusError);
        const { reason, code, message: told } = (error as StatusError).status;
        assert.equal([reason, code, told], ['InternalError', 500, `Internal error occurred: ${message}`]);
      }
      assert.equal([...allocator.held], [[30_099, 'other']]);
    });

test('a dry run takes nothing', async () => {
  const allocator = new Ranges();
  const object = service({ ports, type: 'NodePort' });
  await rules.prepareForCreate?.(object, contextWith(allocator, true));
  assert.is(object.spec.clusterIP, '10.0.0.1');
  assert.is(allocator.held.size, 0);
});

test('a service that is no longer reached from outside has no policy for that', async () => {
  const allocator = new Ranges();
  const old = await created({ ports, externalIPs: ['1.2.3.4'] }, allocator);
  assert.is(old.spec.externalTrafficPolicy, 'Cluster');
  const object = await updated(old, { ...old.spec, externalIPs: [] }, allocator);
  assert.is(object.spec.externalTrafficPolicy, undefined);
});

test('an update that leaves out what was allocated keeps it', async () => {
  const allocator = new Ranges();
  const old = await created({ ports, type: 'NodePort' }, allocator);
  const object = await updated(old, { ports: [{ port: 90 }], type: 'NodePort' }, allocator);
  assert.is(object.spec.clusterIP, old.spec.clusterIP);
  assert.is(object.spec.ports[0].nodePort, old.spec.ports[0].nodePort);
});

test('a change of type drops what the new one does not use, and gives it back', async () => {
  const allocator = new Ranges();
  const old = await created({ ports, type: 'LoadBalancer', externalTrafficPolicy: 'Local', loadBalancerClass: 'a/b' }, allocator);
  assert.is(allocator.held.size, 3);
  const plain = await updated(old, { ...old.spec, type: 'ClusterIP' }, allocator);
  for (const member of ['externalTrafficPolicy', 'healthCheckNodePort', 'allocateLoadBalancerNodePorts', 'loadBalancerClass'])
    assert.is(plain.spec[member], undefined, member);
  assert.is(plain.spec.ports[0].nodePort, undefined);
  assert.equal([...allocator.held.keys()], ['10.0.0.1']);
  const named = await updated(plain, { ...plain.spec, type: 'ExternalName', externalName: 'a.b' }, allocator);
  assert.equal([named.spec.clusterIP, named.spec.ipFamilies, named.spec.internalTrafficPolicy], [undefined, undefined, undefined]);
  assert.is(allocator.held.size, 0);
  const again = await updated(named, { ports, type: 'ClusterIP' }, allocator);
  assert.is(again.spec.clusterIP, '10.0.0.1');
  await rules.afterDelete?.(again, contextWith(allocator));
  assert.is(allocator.held.size, 0);
});

const sharing: [string, { nodePort?: number; protocol?: string; port?: number }[], (number | undefined)[] | string][] = [
  ['each port gets one of its own, also for one number', [{}, { protocol: 'UDP' }], [30_000, 30_001]],
  ['one may be named for ports of any numbers', [{ nodePort: 30_005 }, { port: 81, protocol: 'UDP', nodePort: 30_005 }], [30_005, 30_005]],
  ['not for two of one protocol', [{ nodePort: 30_005 }, { port: 81, nodePort: 30_005 }], 'duplicate nodePort: {TCP 30005}'],
];
for (const [name, wanted, expected] of sharing)
  test(`node ports of a change: ${name}`, async () => {
    const allocator = new Ranges();
    const old = await created({ ports }, allocator);
    const changed = wanted.map((port, index) => ({ name: `p${index}`, port: 80, ...port }));
    const object = service({ ...old.spec, type: 'NodePort', ports: changed });
    const outcome = await Promise.resolve(rules.prepareForUpdate?.(object, old, contextWith(allocator))).then(
      () => object.spec.ports.map(({ nodePort }: { nodePort?: number }) => nodePort),
      (error: Error) => error.message,
    );
    assert.equal(outcome, expected);
  });

test('a change of the port for health is refused, whether another one has the new port or not', async () => {
  const allocator = new Ranges();
  const old = await created({ ports, ...balancer }, allocator);
  await allocator.take({ uid: 'other' }).port(30_050);
  const object = service({ ...old.spec, healthCheckNodePort: 30_050 });
  const context = contextWith(allocator);
  await rules.prepareForUpdate?.(object, old, context);
  assert.equal(lines(rules.validateUpdate?.(object, old, context)), ['spec.healthCheckNodePort: Forbidden: field is immutable']);
});

test('what a failed change took goes back, what the service had stays', async () => {
  const allocator = new Ranges();
  const old = await created({ ports }, allocator);
  const object = service({ ...old.spec, type: 'NodePort' });
  await rules.prepareForUpdate?.(object, old, contextWith(allocator));
  assert.is(allocator.held.size, 2);
  await rules.afterFailure?.(object, old, contextWith(allocator));
  assert.equal([...allocator.held.keys()], ['10.0.0.1']);
});

test('what a failed change took goes back, what another one took at the same time stays', async () => {
  const allocator = new Ranges();
  const context = contextWith(allocator);
  const old = await created({ ports }, allocator);
  const [first, second] = [service({ ...old.spec, type: 'NodePort' }), service({ ...old.spec, type: 'NodePort' })];
  await rules.prepareForUpdate?.(first, old, context);
  await rules.prepareForUpdate?.(second, old, context);
  await rules.afterUpdate?.(first, old, context);
  await rules.afterFailure?.(second, old, context);
  assert.equal([...allocator.held.keys()], ['10.0.0.1', first.spec.ports[0].nodePort]);
});

test('an address stays', async () => {
  const allocator = new Ranges();
  const old = await created({ ports }, allocator);
  const object = service({ ...old.spec, clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'] });
  await rules.prepareForUpdate?.(object, old, contextWith(allocator));
  assert.equal(lines(rules.validateUpdate?.(object, old, contextWith(allocator))), [
    'spec.clusterIPs[0]: Invalid value: []string{"10.0.0.9"}: may not change once set',
  ]);
});

const invalid: [string, object, string[]][] = [
  ['no ports', { ports: [] }, ['spec.ports: Required value']],
  [
    'two ports without names',
    { ports: [{ port: 1 }, { port: 2 }] },
    ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
  ],
  [
    'one port twice',
    {
      ports: [
        { name: 'a', port: 1 },
        { name: 'b', port: 1 },
      ],
    },
    [
      'spec.ports[1]: Duplicate value: core.ServicePort{Name:"", Protocol:"TCP", AppProtocol:(*string)(nil), Port:1, ' +
        'TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}',
    ],
  ],
  ['a name for nothing', { type: 'ExternalName' }, ['spec.externalName: Required value']],
  [
    'a node port that the type does not have',
    { ports: [{ port: 1, nodePort: 30_001 }] },
    ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  ],
  [
    'a balancer of another type',
    { ports, loadBalancerClass: 'a/b', loadBalancerSourceRanges: ['x'] },
    [
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
  ],
  [
    'external addresses of the node itself',
    { ports, externalIPs: ['127.0.0.1', '169.254.1.1', '0.0.0.0'] },
    [
      'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'spec.externalIPs[1]: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
      'spec.externalIPs[2]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
    ],
  ],
  [
    'affinity of too long',
    { ports, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } } },
    ['spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400'],
  ],
  [
    'distribution',
    { ports, trafficDistribution: 'X' },
    ['spec.trafficDistribution: Unsupported value: "X": supported values: "PreferClose"'],
  ],
];
for (const [name, spec, expected] of invalid)
  test(`validates ${name}`, async () => {
    const object = service(spec);
    const context = contextWith(new Ranges());
    await rules.prepareForCreate?.(object, context);
    assert.equal(lines(rules.validate?.(object, context)), expected);
  });

const cells: [string, object, object, [string, string, string]][] = [
  ['without an address', { ports, clusterIP: 'None', clusterIPs: ['None'] }, {}, ['None', '<none>', '80/TCP']],
  [
    'of nodes',
    { ports: [{ port: 80, nodePort: 30_000 }], type: 'NodePort', clusterIPs: ['10.0.0.1'] },
    {},
    ['10.0.0.1', '<none>', '80:30000/TCP'],
  ],
  ['that waits for a balancer', { ports, type: 'LoadBalancer' }, {}, ['<none>', '<pending>', '80/TCP']],
  [
    'with balancers',
    { ports, type: 'LoadBalancer', externalIPs: ['1.1.1.1'] },
    { loadBalancer: { ingress: [{ hostname: 'b' }, { ip: '2.2.2.2' }] } },
    ['<none>', '2.2.2.2,b,1.1.1.1', '80/TCP'],
  ],
  ['with a name', { type: 'ExternalName', externalName: 'a.b' }, {}, ['<none>', 'a.b', '<none>']],
];
for (const [name, spec, status, expected] of cells)
  test(`cells: one ${name}`, async () => assert.equal((await rowOf({ ...service(spec), status }, 0)).slice(2, 5), expected));

test('a balancer reports where it is', () => {
  const object = service({ ports, type: 'LoadBalancer' });
  object.status = { loadBalancer: { ingress: [{ ip: 'x', ipMode: 'VIP' }, { hostname: '1.2.3.4' }] } };
  const old = service({ ports, type: 'LoadBalancer' });
  assert.equal(lines(rules.validateStatusUpdate?.(object, old, ruleContext())), [
    'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    'status.loadBalancer.ingress[1].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
  ]);
});

test.run();
