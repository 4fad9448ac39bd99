/** Addresses of services that come out of ServiceCIDR objects, each of which an IPAddress object holds. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import { type Answer, Client, type Json } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { refusedStart, startServer, type TestServer } from '../../harness/server.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const BASE = ['--disable-admission-plugins=ServiceAccount', '--service-cluster-ip-range=10.0.0.0/24,fd00::/112'];

class Cluster {
  readonly client: Client;
  readonly addresses: string;
  readonly cidrs: string;
  readonly server: TestServer;

  private constructor(server: TestServer) {
    this.server = server;
    this.client = new Client(server);
    const group = `/apis/${this.client.name('networking.${groupDomain}')}/v1beta1`;
    this.addresses = `${group}/ipaddresses`;
    this.cidrs = `${group}/servicecidrs`;
  }

  static async start(dialect: Dialect, gates: string, directory?: string): Promise<Cluster> {
    const group = dialect === 'kubernetes' ? 'networking.k8s.io' : 'networking.cluster.io';
    const flags = [...BASE, `--runtime-config=${group}/v1beta1=true`, `--feature-gates=${gates}`];
    return new Cluster(await startServer({ dialect, flags, ...(directory !== undefined && { directory }) }));
  }

  create(name: string, spec: object = {}, query = ''): Promise<Answer> {
    return this.client.post(`${SERVICES}${query}`, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
  }

  async held(): Promise<Record<string, string>> {
    const { body } = await this.client.get(this.addresses);
    return Object.fromEntries(body.items.map(({ metadata, spec }: Json) => [metadata.name, spec.parentRef.name]));
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.server.stop();
  }
}

for (const dialect of ['kubernetes', 'cluster'] as const) {
  const test = suite(`addresses by objects: ${dialect}`);
  const own = dialect;
  let cluster: Cluster;
  let before: Record<string, string>;
  test.before(async () => {
    cluster = await Cluster.start(dialect, 'MultiCIDRServiceAllocator=true');
    await eventually('the service of the server itself', async () => (await cluster.client.get(`${SERVICES}/${own}`)).status === 200);
    before = await cluster.held();
  });
  test.after(() => cluster?.stop());

  test('the range that flags name is an object that is ready', async () => {
    await eventually(
      'a condition',
      async () => (await cluster.client.get(`${cluster.cidrs}/${own}`)).body.status?.conditions?.length === 1,
    );
    const { body } = await cluster.client.get(`${cluster.cidrs}/${own}`);
    assert.equal(body.spec.cidrs, ['10.0.0.0/24', 'fd00::/112']);
    const [{ lastTransitionTime: _, ...condition }] = body.status.conditions;
    assert.equal(condition, { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes default Service CIDR is ready' });
    assert.ok(
      body.metadata.managedFields.some(
        ({ manager, operation }: Json) => operation === 'Apply' && manager === `${own}-service-cidr-controller`,
      ),
    );
    assert.equal(before, { '10.0.0.1': own });
  });

  test('each address has an object while its service has it', async () => {
    const { body, status, text } = await cluster.create('both', { ipFamilyPolicy: 'RequireDualStack', clusterIP: '10.0.0.7' });
    assert.ok(status < 300, text);
    const [four, six] = body.spec.clusterIPs;
    assert.equal(await cluster.held(), { ...before, [four]: 'both', [six]: 'both' });
    const object = (await cluster.client.get(`${cluster.addresses}/${six}`)).body;
    const { client } = cluster;
    assert.equal(object.metadata.labels, {
      [client.name('ipaddress.${labelDomain}/ip-family')]: 'IPv6',
      [client.name('ipaddress.${labelDomain}/managed-by')]: client.name('ipallocator.${groupDomain}'),
    });
    assert.equal(object.spec, { parentRef: { resource: 'services', namespace: 'default', name: 'both' } });
    assert.is(object.metadata.managedFields[0].manager, 'kube-apiserver');
    const refused = await cluster.create('other', { clusterIP: '10.0.0.7' });
    assert.match(refused.text, 'failed to allocate IP 10.0.0.7: provided IP is already allocated');
    assert.is(
      (await client.patch(`${SERVICES}/both`, { spec: { ipFamilyPolicy: 'SingleStack', clusterIPs: [four], ipFamilies: ['IPv4'] } }))
        .status,
      200,
    );
    assert.equal(await cluster.held(), { ...before, [four]: 'both' });
    assert.is((await client.patch(`${SERVICES}/both`, { spec: { ipFamilyPolicy: 'PreferDualStack' } })).status, 200);
    assert.is(Object.keys(await cluster.held()).length, Object.keys(before).length + 2);
    await client.patch(`${SERVICES}/both`, { spec: { type: 'ExternalName', externalName: 'a.example.com' } });
    assert.equal(await cluster.held(), before);
    await client.patch(`${SERVICES}/both`, { spec: { type: 'ClusterIP', externalName: null } });
    assert.is(Object.values(await cluster.held()).includes('both'), true);
    assert.is((await client.delete(`${SERVICES}/both`)).status, 200);
    assert.equal(await cluster.held(), before);
  });

  test('what is not stored holds nothing, and a dry run shows nothing to those who watch', async () => {
    const { client } = cluster;
    const { resourceVersion } = (await client.get(cluster.addresses)).body.metadata;
    const watch = await client.watch(`${cluster.addresses}?watch=1&resourceVersion=${resourceVersion}`);
    const dry = await cluster.create('dry', {}, '?dryRun=All');
    assert.ok(dry.body.spec.clusterIP.startsWith('10.0.0.'), dry.text);
    assert.is((await cluster.create('wrong', { sessionAffinity: 'Never' })).status, 422);
    const { body } = await cluster.create('real');
    let seen = '';
    while (seen !== 'ADDED real') {
      const { type, object } = await watch.next();
      seen = `${type} ${object.spec.parentRef.name}`;
      assert.not.match(seen, 'dry');
    }
    watch.close();
    await client.delete(`${SERVICES}/real`);
    const generated = await client.post(SERVICES, { metadata: { generateName: 'g-' }, spec: { ports: [{ port: 80 }] } });
    assert.is((await cluster.held())[generated.body.spec.clusterIP], generated.body.metadata.name);
    await client.delete(`${SERVICES}/${generated.body.metadata.name}`);
    assert.ok(body.spec.clusterIP);
    assert.equal(await cluster.held(), before);
  });

  test('a range that is added is used, and not any longer when it is said not to be ready or goes', async () => {
    const { client } = cluster;
    const outside = await cluster.create('a', { clusterIP: '10.9.0.9' });
    assert.match(outside.text, 'failed to allocate IP 10.9.0.9: the provided network does not match the current range');
    assert.ok((await client.post(cluster.cidrs, { metadata: { name: 'more' }, spec: { cidrs: ['10.9.0.0/28'] } })).status < 300);
    assert.ok((await cluster.create('a', { clusterIP: '10.9.0.9' })).status < 300);
    const rows = [
      'allocated_ips{cidr="10.9.0.0/28"} 1',
      'available_ips{cidr="10.9.0.0/28"} 13',
      'allocation_duration_seconds_count{cidr="10.9.0.0/28"} 1',
    ];
    let figures = '';
    // what takes long to count is told to the next one who asks
    await eventually('the figures of the range', async () => {
      figures = (await client.get('/metrics')).text;
      return rows.every((row) => figures.includes(`kube_apiserver_clusterip_allocator_${row}\n`));
    });
    assert.match(figures, /^kube_apiserver_clusterip_allocator_allocated_ips\{cidr="10\.0\.0\.0\/24"\} \d+$/m);
    assert.is((await cluster.held())['10.9.0.9'], 'a');
    const broadcast = await cluster.create('b', { clusterIP: '10.9.0.15' });
    assert.is(broadcast.status, 422);
    const conditions = [{ type: 'Ready', status: 'False', reason: 'r', message: 'm', lastTransitionTime: '2024-01-01T00:00:00Z' }];
    assert.is((await client.patch(`${cluster.cidrs}/more/status`, { status: { conditions } })).status, 200);
    assert.is((await cluster.create('b', { clusterIP: '10.9.0.8' })).status, 422);
    assert.is((await client.delete(`${cluster.cidrs}/more`)).status, 200);
    assert.is((await cluster.create('b', { clusterIP: '10.9.0.8' })).status, 422);
    await client.delete(`${SERVICES}/a`);
    assert.equal(await cluster.held(), before, 'what a range had that is gone is given back as well');
  });

  test('a full range is told, and what another kind of object holds is not given out', async () => {
    const { client } = cluster;
    const parentRef = { group: 'gateway.example.com', resource: 'gateways', name: 'g', namespace: 'default' };
    const name = '10.0.0.200';
    const address = await client.post(cluster.addresses, { metadata: { name }, spec: { parentRef } });
    assert.ok(address.status < 300, address.text);
    assert.match((await cluster.create('c', { clusterIP: name })).text, 'provided IP is already allocated');
    const made = await Promise.all(Array.from({ length: 252 }, (_, i) => cluster.create(`s-${i}`)));
    assert.is(new Set(made.map(({ body }) => body.spec.clusterIP)).size, 252);
    const full = await cluster.create('full');
    assert.is(full.status, 500);
    assert.match(full.text, 'failed to allocate a serviceIP: range is full');
    await Promise.all(made.map(({ body }) => client.delete(`${SERVICES}/${body.metadata.name}`)));
    await client.delete(`${cluster.addresses}/${name}`);
    assert.equal(await cluster.held(), before);
  });

  test('an object that somebody removes is made again, with an event', async () => {
    const { client } = cluster;
    await cluster.create('kept', { clusterIP: '10.0.0.9' });
    const { uid } = (await client.get(`${cluster.addresses}/10.0.0.9`)).body.metadata;
    await client.delete(`${cluster.addresses}/10.0.0.9`);
    await client.patch(`${SERVICES}/kept`, { metadata: { labels: { a: 'b' } } });
    await eventually('a new object', async () => {
      const { status, body } = await client.get(`${cluster.addresses}/10.0.0.9`);
      return status === 200 && body.metadata.uid !== uid;
    });
    await eventually('an event', async () => {
      const { items } = (await client.get('/api/v1/namespaces/default/events')).body;
      return items.some(
        ({ reason, message }: Json) =>
          reason === 'ClusterIPNotAllocated' && message === 'Cluster IP [IPv4]: 10.0.0.9 is not allocated; repairing',
      );
    });
    await client.delete(`${SERVICES}/kept`);
    assert.equal(await cluster.held(), before);
  });

  test('the gate may be opened, and closed again, over what there is', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'service-cidrs-'));
    const with_ = async <T>(gates: string, use: (c: Cluster) => Promise<T>): Promise<T> => {
      const started = await Cluster.start(dialect, gates, directory);
      try {
        return await use(started);
      } finally {
        await started.stop();
      }
    };
    try {
      await with_('MultiCIDRServiceAllocator=false', async (off) => {
        await off.create('old', { clusterIP: '10.0.0.20' });
        assert.equal(await off.held(), {});
        assert.is((await off.client.get(`${off.cidrs}/${own}`)).status, 404);
      });
      for (const gates of ['MultiCIDRServiceAllocator=true', 'MultiCIDRServiceAllocator=true,DisableAllocatorDualWrite=true'])
        await with_(gates, async (on) => {
          assert.is((await on.held())['10.0.0.20'], 'old');
          await eventually('an event of the start', async () => {
            const { items } = (await on.client.get('/api/v1/namespaces/default/events')).body;
            return items.some(({ reason, involvedObject }: Json) => reason === 'ClusterIPNotAllocated' && involvedObject.name === 'old');
          });
          assert.match((await on.create('thief', { clusterIP: '10.0.0.20' })).text, 'provided IP is already allocated');
          const fresh = await on.create(`new-${gates.length}`, { clusterIP: `10.0.0.${gates.length}` });
          assert.ok(fresh.status < 300, fresh.text);
        });
      await with_('MultiCIDRServiceAllocator=false', async (off) => {
        for (const last of [20, 'MultiCIDRServiceAllocator=true'.length])
          assert.match((await off.create('thief', { clusterIP: `10.0.0.${last}` })).text, 'provided IP is already allocated');
      });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test('a server that does not serve the objects says which flag is missing', async () => {
    const { message } = await refusedStart({ dialect, flags: [...BASE, '--feature-gates=MultiCIDRServiceAllocator=true'] });
    assert.match(message, '--runtime-config=networking.');
  });

  test.run();
}
