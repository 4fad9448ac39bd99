/** The service by which pods reach the server, where it leads to, and how other servers know its clients. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { StoredObject } from '../../runtime/registry/stored-objects/stored-object.ts';
import { reachableAddress } from '../../runtime/server/certificates/serving-names.ts';
import { type ClientAuthentication, clientAuthenticationMap } from '../../runtime/system-objects/client-authentication.ts';
import { keepObjects } from '../../runtime/system-objects/keep.ts';
import { countedServers, leasedServers, loneServer } from '../../runtime/system-objects/live-servers.ts';
import { type OwnPlace, ownEndpoints, ownService } from '../../runtime/system-objects/own-service.ts';
import type { SystemObject } from '../../runtime/system-objects/system-object.ts';
import { tokenTrackingMap } from '../../runtime/system-objects/token-tracking.ts';
import { keyPair } from '../certificates/made.ts';
import { eventually, TestCluster } from '../controllers/server.ts';
import { identity } from '../kinds/context.ts';

const test = suite('objects of the server itself');

const SERVICE = 'services/specs/default/kubernetes';
const ENDPOINTS = 'services/endpoints/default/kubernetes';
const SLICE = 'endpointslices/default/kubernetes';
const MAP = 'configmaps/kube-system/extension-apiserver-authentication';
const PLACE: OwnPlace & { readonly address: string } = { serviceAddress: '10.0.0.1', port: 6443, nodePort: 0, address: '192.0.2.1' };

async function withCluster(use: (cluster: TestCluster, stored: (key: string) => ApiObject | undefined) => Promise<void>): Promise<void> {
  const cluster = await TestCluster.create();
  const { storage } = cluster.server;
  try {
    await use(cluster, (key) => {
      const entry = storage.get(key);
      return entry && new StoredObject(entry.value).parse();
    });
  } finally {
    await cluster.remove();
  }
}

const objectsOf = ({ address, ...place }: typeof PLACE): SystemObject[] => [
  ownService(identity, place),
  ...ownEndpoints(identity, { addresses: [address], port: place.port, repairsPort: true }),
];

test('the service has the first address of its range, and leads to the server', () =>
  withCluster(async ({ server }, stored) => {
    const stop = keepObjects(server, { objects: () => objectsOf(PLACE), interval: 60_000 });
    await stop();
    const { spec, metadata } = stored(SERVICE) as ApiObject;
    assert.equal(metadata.labels, { component: 'apiserver', provider: 'kubernetes' });
    assert.equal(
      [spec.type, spec.clusterIP, spec.clusterIPs, spec.ipFamilyPolicy, spec.ports],
      ['ClusterIP', '10.0.0.1', ['10.0.0.1'], 'SingleStack', [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }]],
    );
    assert.is(await server.ruleContext(false).allocator.take({ uid: 'another' }).address('10.0.0.1'), 'taken');
    const endpoints = stored(ENDPOINTS) as ApiObject;
    assert.equal(endpoints.metadata.labels, { 'endpointslice.kubernetes.io/skip-mirror': 'true' });
    assert.equal(endpoints.subsets, [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }]);
    const slice = stored(SLICE) as ApiObject;
    assert.equal(slice.metadata.labels, { 'kubernetes.io/service-name': 'kubernetes' });
    assert.equal([slice.addressType, slice.endpoints], ['IPv4', [{ addresses: ['192.0.2.1'], conditions: { ready: true } }]]);
  }));

test('a server at another place changes them, one at the same place writes nothing', () =>
  withCluster(async ({ server }, stored) => {
    const { storage } = server;
    await keepObjects(server, { objects: () => objectsOf(PLACE), interval: 60_000 })();
    const revision = storage.currentRevision();
    await keepObjects(server, { objects: () => objectsOf(PLACE), interval: 60_000 })();
    assert.is(storage.currentRevision(), revision);
    await keepObjects(server, {
      objects: () => objectsOf({ ...PLACE, port: 7443, nodePort: 30_443, address: '2001:db8::1' }),
      interval: 60_000,
    })();
    const { spec } = stored(SERVICE) as ApiObject;
    assert.equal([spec.type, spec.clusterIP, spec.ports[0].targetPort, spec.ports[0].nodePort], ['NodePort', '10.0.0.1', 7443, 30_443]);
    assert.equal(stored(ENDPOINTS)?.subsets[0].addresses, [{ ip: '2001:db8::1' }]);
    assert.equal(stored(SLICE)?.addressType, 'IPv6', 'a slice of another family takes its place');
  }));

test('an address that another server has just taken for the same service is no fault', () =>
  withCluster(async ({ server }, stored) => {
    const told: object[] = [];
    const log = { error: (fields: object) => void told.push(fields) };
    const taking = server.ruleContext(false).allocator.take({ uid: 'another' });
    assert.is(await taking.address('10.0.0.1'), 'claimed');
    const stop = keepObjects({ ...server, log: { ...server.log, ...log } }, { objects: () => objectsOf(PLACE), interval: 60_000 });
    // by then it was looked at once: the second look comes 200 ms behind that
    await eventually(
      () => stored(ENDPOINTS) !== undefined,
      () => 'nothing was made',
    );
    await taking.giveBack();
    await stop();
    assert.is(stored(SERVICE)?.spec.clusterIP, '10.0.0.1');
    assert.equal(told, []);
  }));

/** @returns addresses and port of Endpoints, and those of the slice */
function leadsTo(stored: (key: string) => ApiObject | undefined): unknown {
  const [endpoints, slice] = [stored(ENDPOINTS), stored(SLICE)];
  return [
    (endpoints?.subsets ?? []).map(({ addresses, ports }: ApiObject) => [
      addresses.map(({ ip }: { readonly ip: string }) => ip),
      ports[0].port,
    ]),
    [(slice?.endpoints ?? []).map(({ addresses }: ApiObject) => addresses[0]), slice?.ports[0].port],
  ];
}

test('the service leads to all servers of its store, and the port stays that of the first one', () =>
  withCluster(async ({ server }, stored) => {
    const keep = (addresses: readonly string[], port: number, repairsPort = false) =>
      keepObjects(server, { objects: async () => ownEndpoints(identity, { addresses, port, repairsPort }), interval: 60_000 })();
    await keep(['192.0.2.1'], 6443, true);
    await keep(['192.0.2.1', '192.0.2.2'], 7443);
    assert.equal(leadsTo(stored), [[[['192.0.2.1', '192.0.2.2'], 6443]], [['192.0.2.1', '192.0.2.2'], 6443]]);
    await keep(['192.0.2.2'], 7443, true);
    assert.equal(leadsTo(stored), [[[['192.0.2.2'], 7443]], [['192.0.2.2'], 7443]]);
    await keep([], 7443);
    assert.equal(leadsTo(stored), [[], [[], 7443]]);
  }));

for (const [what, listed, count, renewed, left] of [
  ['the first one', undefined, 2, ['192.0.2.5'], []],
  ['one that comes', ['192.0.2.3'], 2, ['192.0.2.3', '192.0.2.5'], ['192.0.2.3']],
  ['one that is there already', ['192.0.2.5', '192.0.2.9'], 2, ['192.0.2.5', '192.0.2.9'], ['192.0.2.9']],
  ['one too many, of which the one behind goes', ['192.0.2.3', '192.0.2.9'], 2, ['192.0.2.3', '192.0.2.5'], ['192.0.2.3', '192.0.2.9']],
  [
    'one too many before it, of which the first goes',
    ['192.0.2.1', '192.0.2.3'],
    2,
    ['192.0.2.3', '192.0.2.5'],
    ['192.0.2.1', '192.0.2.3'],
  ],
  ['fewer than there were', ['192.0.2.1', '192.0.2.3', '192.0.2.5'], 1, ['192.0.2.5'], ['192.0.2.1', '192.0.2.3']],
] as const)
  test(`servers that are counted: ${what}`, async () => {
    const subsets = listed && [{ addresses: listed.map((ip) => ({ ip })) }];
    const servers = countedServers('192.0.2.5', count, () => subsets && ({ metadata: {}, subsets } as unknown as ApiObject));
    assert.equal(await servers.renew(), renewed);
    assert.equal(await servers.leave(), left);
  });

test('servers that hold leases know one another, whoever has made them', () =>
  withCluster(async ({ server }) => {
    const [one, two] = [leasedServers(server, '192.0.2.1'), leasedServers(server, '192.0.2.2')];
    assert.equal(await two.renew(), ['192.0.2.2']);
    assert.equal(await one.renew(), ['192.0.2.1', '192.0.2.2']);
    await Promise.all([one.renew(), leasedServers(server, '192.0.2.1').renew()]);
    const entry = server.storage.get('masterleases/192.0.2.1');
    assert.is(entry && new StoredObject(entry.value).parse().metadata.generation, 3, 'each renewal is a change');
    assert.equal(await one.leave(), ['192.0.2.2']);
    assert.is(await two.leave(), undefined, 'what leads to the last one stays');
    assert.is(server.storage.get('masterleases/192.0.2.2'), undefined);
  }));

test('a server that nobody else serves the store of keeps its place', async () => {
  const server = loneServer('192.0.2.1');
  assert.equal(await server.renew(), ['192.0.2.1']);
  assert.is(await server.leave(), undefined);
});

test('what is deleted comes back', () =>
  withCluster(async (cluster) => {
    const { storage } = cluster.server;
    const stop = keepObjects(cluster.server, { objects: () => objectsOf(PLACE), interval: 20 });
    try {
      for (const [apiVersion, resource, key] of [
        ['v1', 'services', SERVICE],
        ['v1', 'endpoints', ENDPOINTS],
        ['discovery.k8s.io/v1', 'endpointslices', SLICE],
      ] as const) {
        await eventually(
          () => storage.get(key) !== undefined,
          () => `${key} is not there`,
        );
        const before = storage.get(key)?.revision ?? 0;
        await cluster.delete(apiVersion, resource, { namespace: 'default', name: 'kubernetes' });
        await eventually(
          () => (storage.get(key)?.revision ?? 0) > before,
          () => `${key} is not there again`,
        );
      }
    } finally {
      await stop();
    }
  }));

test('what is in the way of one object is said once, and again when it is another; others are kept', () =>
  withCluster(async (cluster, stored) => {
    const { server } = cluster;
    const said: string[] = [];
    server.log.error = (about: object) => said.push(`${(about as { object: string }).object}: ${(about as { err: Error }).err.message}`);
    const taken = { metadata: { name: 'user', namespace: 'default' }, spec: { clusterIP: '10.0.0.1', ports: [{ port: 80 }] } };
    await cluster.create('v1', 'services', taken);
    let rounds = 0;
    let place = PLACE;
    const objects = () => {
      rounds++;
      return objectsOf(place);
    };
    const stop = keepObjects(server, { objects, interval: 5 });
    const afterRounds = async (count: number): Promise<void> => {
      const wanted = rounds + count;
      await eventually(
        () => rounds >= wanted,
        () => 'there are no more rounds',
      );
    };
    try {
      await afterRounds(5);
      const refusal = (address: string, reason: string) =>
        `services/default/kubernetes: Service "kubernetes" is invalid: spec.clusterIPs: Invalid value: []string{"${address}"}: failed to allocate IP ${address}: ${reason}`;
      const first = refusal('10.0.0.1', 'provided IP is already allocated');
      assert.equal(said, [first]);
      assert.is.not(stored(ENDPOINTS), undefined);
      place = { ...PLACE, serviceAddress: '10.9.9.1' };
      await afterRounds(5);
      assert.equal(said, [
        first,
        refusal('10.9.9.1', 'the provided IP (10.9.9.1) is not in the valid range. The range of valid IPs is 10.0.0.0/24'),
      ]);
      place = PLACE;
      await cluster.delete('v1', 'services', { namespace: 'default', name: 'user' });
      await eventually(
        () => stored(SERVICE) !== undefined,
        () => 'the service is not there',
      );
    } finally {
      await stop();
    }
    assert.is(stored(SERVICE)?.spec.clusterIP, '10.0.0.1');
  }));

test('where it cannot be said which objects there are to be, that is said once, and asked again', () =>
  withCluster(async ({ server }, stored) => {
    const said: string[] = [];
    server.log.error = (about: object) => said.push(String((about as { err: Error }).err.message));
    let rounds = 0;
    const objects = () => {
      if (rounds++ < 3) throw new Error('not yet');
      return objectsOf(PLACE);
    };
    const stop = keepObjects(server, { objects, interval: 5 });
    await eventually(
      () => stored(SERVICE) !== undefined,
      () => 'the service is not there',
    );
    await stop();
    assert.equal(said, ['not yet']);
  }));

const certificate = (name: string): string => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;
const PROXIES = {
  authorities: certificate('BBBB'),
  allowedNames: ['a'],
  usernameHeaders: ['X-Remote-User'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
};
const OURS: ClientAuthentication = { clientAuthorities: certificate('AAAA'), proxies: PROXIES };

test('the map has authorities and header names, as lists of JSON', () =>
  withCluster(async ({ server }, stored) => {
    await keepObjects(server, { objects: () => [clientAuthenticationMap(identity, OURS)], interval: 60_000 })();
    assert.equal(stored(MAP)?.data, {
      'client-ca-file': certificate('AAAA'),
      'requestheader-allowed-names': '["a"]',
      'requestheader-client-ca-file': certificate('BBBB'),
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    });
  }));
test('it has the headers of uids where a proxy may name them', () => {
  const { members } = clientAuthenticationMap(identity, { ...OURS, proxies: { ...PROXIES, uidHeaders: ['X-Remote-Uid'] } });
  assert.is((members.data as Record<string, string>)['requestheader-uid-headers'], '["X-Remote-Uid"]');
});
test('without proxies it says nothing of them', () => {
  const { members } = clientAuthenticationMap(identity, { clientAuthorities: certificate('AAAA') });
  assert.equal(members, { data: { 'client-ca-file': certificate('AAAA') } });
});
test('what another server wrote stays, but for what is no authority any longer', () => {
  const { repair } = clientAuthenticationMap(identity, OURS);
  const data = { 'client-ca-file': certificate('CCCC'), 'requestheader-allowed-names': '["b","a"]', more: 'x' };
  const wanted = repair?.({ kind: 'ConfigMap', apiVersion: 'v1', metadata: {}, data });
  if (typeof wanted !== 'object') throw new Error('nothing is repaired');
  assert.equal(
    [wanted.data.more, wanted.data['client-ca-file'], wanted.data['requestheader-allowed-names']],
    ['x', certificate('AAAA'), '["b","a"]'],
  );
  assert.is(repair?.(wanted), undefined, 'once is enough');
});
test('servers with authorities of their own leave each other theirs', async () => {
  const [one, two] = (await Promise.all([keyPair(), keyPair()])).map(({ certificate: clientAuthorities }) =>
    clientAuthenticationMap(identity, { clientAuthorities }),
  ) as [SystemObject, SystemObject];
  const both = two.repair?.({ kind: 'ConfigMap', apiVersion: 'v1', metadata: {}, data: one.members.data });
  if (typeof both !== 'object') throw new Error('nothing is repaired');
  assert.is(both.data['client-ca-file'].match(/BEGIN CERTIFICATE/g).length, 2);
  assert.is(one.repair?.(both), undefined);
  assert.is(two.repair?.(both), undefined);
});
test('lists that are none are written anew', () => {
  const { repair } = clientAuthenticationMap(identity, OURS);
  const wanted = repair?.({ kind: 'ConfigMap', apiVersion: 'v1', metadata: {}, data: { 'requestheader-allowed-names': '{' } });
  assert.is(typeof wanted === 'object' && wanted.data['requestheader-allowed-names'], '["a"]');
});

const since: [what: string, stored: object | undefined, expected: string | undefined][] = [
  ['nothing', undefined, '2026-01-02'],
  ['a date', { since: '2025-05-06' }, undefined],
  ['no date', { since: 'yesterday', more: 'x' }, '2026-01-02'],
  ['a day that no month has', { since: '2025-13-40' }, '2026-01-02'],
  ['a day that this month does not have', { since: '2025-02-30' }, '2026-01-02'],
];
for (const [what, data, expected] of since)
  test(`where ${what} says since when tokens are watched`, () => {
    const wanted = tokenTrackingMap(identity, Date.parse('2026-01-02T23:00:00Z'));
    const repaired = wanted.repair?.({ kind: 'ConfigMap', apiVersion: 'v1', metadata: {}, ...(data && { data }) });
    assert.is(typeof repaired === 'object' ? repaired.data.since : undefined, expected);
    assert.is(wanted.metadata.name, 'kube-apiserver-legacy-service-account-token-tracking');
  });

const addresses: [given: string, bound: string, reachable: string | undefined][] = [
  ['192.0.2.1', '127.0.0.1', '192.0.2.1'],
  ['', '192.0.2.2', '192.0.2.2'],
  ['0.0.0.0', '192.0.2.2', '192.0.2.2'],
  ['', '127.0.0.1', undefined],
  ['', '::1', undefined],
  ['127.1.2.3', '192.0.2.2', undefined],
  ['', 'localhost', undefined],
];
for (const [given, bound, reachable] of addresses)
  test(`reachable at ${reachable} where ${bound} is bound to and "${given}" given`, () =>
    assert.is(reachableAddress(given, bound), reachable));

test.run();
