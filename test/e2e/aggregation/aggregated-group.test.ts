/** A group of one cluster-apiserver behind the address of another one, which runs in several processes: who asks, what is served, and what kubectl makes of it. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import { Authorities } from '../../aggregation/aggregated-server.ts';
import { LAMPS_GROUP, startAggregatedServer } from '../../harness/aggregated-server.ts';
import { Client, type Json } from '../../harness/client.ts';
import { findKubectl, Kubectl } from '../../harness/kubectl.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const WORKERS = 2;
const LAMPS = `/apis/${LAMPS_GROUP}/v1/namespaces/default/lamps`;

async function ok(answering: Promise<{ status: number; text: string; body: Json }>): Promise<Json> {
  const { status, text, body } = await answering;
  assert.ok(status < 300, `${status} ${text}`);
  return body;
}

/** The two servers, and clients of the one in front. */
class Cluster {
  readonly front: TestServer;
  readonly admin: Client;
  readonly alice: Client;
  readonly #authorities: Authorities;
  behind: TestServer | undefined;

  private constructor(front: TestServer, authorities: Authorities) {
    this.front = front;
    this.admin = new Client(front);
    this.alice = new Client(front, front.tokens.alice);
    this.#authorities = authorities;
  }

  static async start(dialect: Dialect): Promise<Cluster> {
    const authorities = new Authorities();
    const front = await startServer({
      dialect,
      flags: [
        ...authorities.flags,
        `--workers=${WORKERS}`,
        // one of the two reaches services by their addresses, the other by their endpoints
        `--enable-aggregator-routing=${dialect === 'cluster'}`,
        `--requestheader-client-ca-file=${authorities.proxies.certificateFile}`,
        '--requestheader-allowed-names=front-proxy-client',
        '--requestheader-username-headers=X-Remote-User',
        '--requestheader-group-headers=X-Remote-Group',
        '--requestheader-extra-headers-prefix=X-Remote-Extra-',
        '--service-cluster-ip-range=10.99.0.0/16',
        '--disable-admission-plugins=ServiceAccount',
      ],
      preload: path.join(import.meta.dirname, '../../harness/pod-network.ts'),
    });
    return new Cluster(front, authorities);
  }

  get apiServices(): string {
    return this.admin.name('/apis/apiregistration.${groupDomain}/v1/apiservices');
  }

  /** Starts the server behind, and has the group led to it. */
  async register(): Promise<void> {
    const serving = this.#authorities.ssl.leaf({
      subject: '/CN=lights',
      issuer: this.#authorities.servers,
      host: 'lights.default.svc',
      usage: 'serverAuth',
    });
    this.behind = await startAggregatedServer(this.front, {
      flags: [`--tls-cert-file=${serving.certificateFile}`, `--tls-private-key-file=${serving.keyFile}`],
    });
    const ports = [{ name: 'https', port: this.behind.port }];
    const named = { metadata: { name: 'lights' } };
    await ok(this.admin.post('/api/v1/namespaces/default/services', { ...named, spec: { ports } }));
    await ok(this.admin.post('/api/v1/namespaces/default/endpoints', { ...named, subsets: [{ addresses: [{ ip: '10.99.7.7' }], ports }] }));
    for (const [version, versionPriority] of [
      ['v1', 20],
      ['v1beta1', 10],
    ] as const) {
      const service = { namespace: 'default', name: 'lights', port: this.behind.port };
      const spec = {
        group: LAMPS_GROUP,
        version,
        groupPriorityMinimum: 1500,
        versionPriority,
        service,
        caBundle: this.#authorities.caBundle,
      };
      await ok(this.admin.post(this.apiServices, { metadata: { name: `${version}.${LAMPS_GROUP}` }, spec }));
    }
    for (const version of ['v1', 'v1beta1']) await this.available(`${version}.${LAMPS_GROUP}`, 'Passed');
  }

  async available(name: string, reason: string): Promise<void> {
    for (let i = 0; ; i++) {
      const { status } = await ok(this.admin.get(`${this.apiServices}/${name}`));
      if (status?.conditions?.[0]?.reason === reason) return;
      assert.ok(i < 300, JSON.stringify(status));
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    this.admin.close();
    this.alice.close();
    if (this.behind !== undefined) assert.is(await this.behind.stop(), 0);
    assert.equal(this.front.faults(), []);
    assert.is(await this.front.stop(), 0);
  }
}

for (const dialect of ['kubernetes', 'cluster'] as const) {
  const test = suite(`a group of another server, dialect ${dialect}`);
  let cluster: Cluster;
  test.before(async () => {
    cluster = await Cluster.start(dialect);
    await cluster.register();
  });
  test.after(() => cluster.stop());

  test('has its objects made and read by who may, in whatever process they arrive', async () => {
    const { admin, alice } = cluster;
    const apiVersion = `${LAMPS_GROUP}/v1`;
    const refused = await alice.post(LAMPS, { apiVersion, kind: 'Lamp', metadata: { name: 'hall' } });
    assert.is(refused.status, 403);
    const rbac = admin.name('/apis/rbac.authorization.${groupDomain}/v1/namespaces/default');
    const group = admin.name('rbac.authorization.${groupDomain}');
    await ok(
      admin.post(`${rbac}/roles`, {
        metadata: { name: 'lamps' },
        rules: [{ apiGroups: [LAMPS_GROUP], resources: ['lamps'], verbs: ['*'] }],
      }),
    );
    const subjects = [{ kind: 'Group', apiGroup: group, name: 'dev' }];
    await ok(
      admin.post(`${rbac}/rolebindings`, {
        metadata: { name: 'lamps' },
        roleRef: { apiGroup: group, kind: 'Role', name: 'lamps' },
        subjects,
      }),
    );
    const made = await ok(alice.post(LAMPS, { apiVersion, kind: 'Lamp', metadata: { name: 'hall' }, spec: {} }));
    assert.equal(made.spec, { colour: 'White' });
    const clients = Array.from({ length: 2 * WORKERS }, () => new Client(cluster.front));
    for (const client of clients) {
      assert.is((await ok(client.get(`${LAMPS}/hall`))).metadata.uid, made.metadata.uid);
      client.close();
    }
    const elsewhere = await admin.post(LAMPS.replace('default', 'cellar'), { apiVersion, kind: 'Lamp', metadata: { name: 'x' } });
    assert.equal([elsewhere.status, elsewhere.body.message], [404, 'namespaces "cellar" not found']);
  });

  test('is watched, changed and deleted as a group of the server itself', async () => {
    const { admin } = cluster;
    const watch = await admin.watch(`${LAMPS}?watch=1`);
    assert.equal((await watch.next()).type, 'ADDED');
    await ok(admin.patch(`${LAMPS}/hall`, { spec: { colour: 'Amber' } }));
    const { type, object } = await watch.next();
    assert.equal([type, (object as Json).spec.colour], ['MODIFIED', 'Amber']);
    const wrong = await admin.patch(`${LAMPS}/hall`, { spec: { colour: 'Blue' } });
    assert.is(wrong.status, 422);
    const older = await ok(admin.get(`${LAMPS.replace('/v1/', '/v1beta1/')}/hall`));
    assert.is(older.apiVersion, `${LAMPS_GROUP}/v1beta1`);
    const table = await ok(admin.get(LAMPS, { accept: admin.name('application/json;as=Table;v=v1;g=meta.${groupDomain}') }));
    assert.is(table.kind, 'Table');
    await ok(admin.delete(`${LAMPS}/hall`));
    assert.is((await watch.next()).type, 'DELETED');
    watch.close();
  });

  test('is told of by all documents', async () => {
    const { admin } = cluster;
    const { items } = await ok(
      admin.get('/apis', { accept: admin.name('application/json;g=apidiscovery.${groupDomain};v=v2;as=APIGroupDiscoveryList') }),
    );
    const { versions } = items.find(({ metadata }: Json) => metadata.name === LAMPS_GROUP);
    assert.equal(
      versions.map(({ version, freshness, resources }: Json) => [version, freshness, resources.map((each: Json) => each.resource)]),
      [
        ['v1', 'Current', ['lamps']],
        ['v1beta1', 'Current', ['lamps']],
      ],
    );
    const { paths } = JSON.parse((await admin.get('/openapi/v3')).text);
    const document = await ok(admin.get(paths[`apis/${LAMPS_GROUP}/v1`].serverRelativeURL));
    assert.ok(LAMPS.replace('default', '{namespace}') in document.paths);
    const swagger = await ok(admin.get('/openapi/v2'));
    assert.ok(LAMPS.replace('default', '{namespace}') in swagger.paths);
    const kinds = Object.values<Json>(swagger.definitions).flatMap((each) => each['x-kubernetes-group-version-kind'] ?? []);
    assert.ok(kinds.some((each) => each.group === LAMPS_GROUP && each.kind === 'Lamp'));
  });

  if (dialect === 'kubernetes')
    test('is one among others for kubectl', async () => {
      const program = await findKubectl();
      if (program === undefined) return console.log('SKIPPED: kubectl 1.32 is not on PATH');
      const kubectl = await Kubectl.create(program, cluster.front);
      assert.match(await kubectl.run(`api-resources --api-group=${LAMPS_GROUP}`), /lamps +lp +lights\.example\.com\/v1 +true +Lamp/);
      assert.match(await kubectl.run('explain lamps.spec'), /colour\s+<string>/);
      const lamp = { apiVersion: `${LAMPS_GROUP}/v1`, kind: 'Lamp', metadata: { name: 'desk' }, spec: { colour: 'Amber' } };
      assert.match(await kubectl.run('apply -f -', lamp), /lamp.lights.example.com\/desk created/);
      assert.match(await kubectl.run('apply --server-side -f -', { ...lamp, metadata: { name: 'stairs' } }), /stairs serverside-applied/);
      assert.match(await kubectl.run('get lp'), /NAME +COLOUR\s+desk +Amber\s+stairs +Amber/);
      assert.match(await kubectl.run('get apiservices'), /v1\.lights\.example\.com +default\/lights +True/);
      const watching = kubectl.start('get lamps -w --output-watch-events');
      const lines = watching.stdout?.setEncoding('utf8') as AsyncIterable<string>;
      let seen = '';
      let deleted: Promise<string> | undefined;
      for await (const text of lines) {
        seen += text;
        if (seen.includes('stairs')) deleted ??= kubectl.run('delete lamp stairs');
        if (/DELETED +stairs/.test(seen)) break;
      }
      watching.kill('SIGKILL');
      assert.match(seen, /ADDED +stairs[\s\S]*DELETED +stairs/);
      assert.match((await deleted) ?? '', /deleted/);
    });

  test('is unavailable without its server, and nothing else is', async () => {
    const { admin, behind } = cluster;
    const endpoints = '/api/v1/namespaces/default/endpoints/lights';
    assert.is(await behind?.stop(), 0);
    cluster.behind = undefined;
    // a change of the endpoints has it looked at
    await ok(admin.patch(endpoints, { metadata: { annotations: { now: 'gone' } } }));
    await cluster.available(`v1.${LAMPS_GROUP}`, 'FailedDiscoveryCheck');
    const { status } = await ok(admin.get(`${cluster.apiServices}/v1.${LAMPS_GROUP}`));
    assert.match(
      status.conditions[0].message,
      /^failing or missing response from https:\/\/10\.99\.\S+: Get "https:.*": dial tcp .*: connect: connection refused$/,
    );
    const refused = await admin.get(LAMPS);
    assert.equal([refused.status, refused.text], [503, 'service unavailable\n']);
    assert.is((await admin.get('/api/v1/namespaces')).status, 200);
  });
  test.run();
}
