/** Quotas through whole servers: what they count of their own and of definitions, what a configuration limits, quotas that are long, many writers. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import { Client, type Json } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const FLAGS = ['--disable-admission-plugins=ServiceAccount', '--feature-gates=InPlacePodVerticalScaling=true'];
const servers: TestServer[] = [];
const clients = new Map<Dialect, Client>();

const test = suite('quotas');
test.before(async () => {
  for (const dialect of ['kubernetes', 'cluster'] as const) {
    const server = await startServer({ dialect, flags: FLAGS });
    servers.push(server);
    clients.set(dialect, new Client(server));
  }
});
test.after(async () => {
  for (const server of servers) {
    await server.stop();
    assert.equal(server.faults(), []);
  }
});

/** Milliseconds. */
const PATIENCE = 30_000;

async function until(holds: () => Promise<boolean>, problem: () => string): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(problem());
    await sleep(20);
  }
}

/** A namespace with a quota that says what is used. */
class Limited {
  readonly client: Client;
  readonly path: string;
  #last: Json;

  private constructor(client: Client, name: string) {
    this.client = client;
    this.path = `/api/v1/namespaces/${name}`;
  }

  static async create(client: Client, name: string, hard: object, spec: object = {}): Promise<Limited> {
    const limited = new Limited(client, name);
    await client.post('/api/v1/namespaces', { metadata: { name } });
    // the config map that every namespace gets
    await until(
      async () => (await client.get(`${limited.path}/configmaps`)).body.items.length === 1,
      () => 'there is no config map',
    );
    const made = await client.post(`${limited.path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard, ...spec } });
    assert.ok(made.status < 300, made.text);
    assert.is(made.headers.warning, undefined);
    return limited;
  }

  async says(used: object): Promise<void> {
    await until(
      async () => {
        this.#last = (await this.client.get(`${this.path}/resourcequotas/q`)).body.status;
        return Object.entries(used).every(([name, amount]) => this.#last.used?.[name] === amount);
      },
      () => `the quota says ${JSON.stringify(this.#last).slice(0, 1_000)}`,
    );
  }

  async refuses(resource: string, object: object, message: RegExp): Promise<void> {
    const { status, text } = await this.client.post(`${this.path}/${resource}`, object);
    assert.is(status, 403, text);
    assert.match(text, message);
  }

  async takes(resource: string, object: object): Promise<Json> {
    const { status, text, body } = await this.client.post(`${this.path}/${resource}`, object);
    assert.ok(status < 300, text);
    return body;
  }
}

const pod = (name: string, cpu: string) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] },
});

for (const dialect of ['kubernetes', 'cluster'] as const) {
  const client = (): Client => clients.get(dialect) as Client;

  test(`${dialect}: what there is counts, is refused beyond the limits, and is given back`, async () => {
    const name = client().name('gold.storageclass.storage.${groupDomain}/requests.storage');
    const bindings = client().name('count/rolebindings.rbac.authorization.${groupDomain}');
    const limited = await Limited.create(client(), 'counted', { 'count/configmaps': '2', [name]: '2Gi', [bindings]: '0', services: '1' });
    await limited.says({ 'count/configmaps': '1', [name]: '0', [bindings]: '0', services: '0' });
    await limited.takes('configmaps', { metadata: { name: 'a' } });
    await limited.refuses(
      'configmaps',
      { metadata: { name: 'b' } },
      /configmaps \\?"b\\?" is forbidden: exceeded quota: q, requested: count\/configmaps=1, used: count\/configmaps=2, limited: count\/configmaps=2/,
    );
    const claim = (storage: string) => ({
      metadata: { name: 'c' },
      spec: { storageClassName: 'gold', accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    });
    await limited.refuses('persistentvolumeclaims', claim('3Gi'), /exceeded quota: q, requested: gold\.storageclass/);
    await limited.takes('persistentvolumeclaims', claim('1Gi'));
    await limited.says({ [name]: '1Gi' });
    const group = client().name('rbac.authorization.${groupDomain}');
    const binding = { metadata: { name: 'b' }, roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'view' }, subjects: [] };
    const refused = await client().post(`/apis/${group}/v1/namespaces/counted/rolebindings`, binding);
    assert.match(refused.text, `exceeded quota: q, requested: ${bindings}=1`);
    await client().delete(`${limited.path}/configmaps/a`);
    await limited.says({ 'count/configmaps': '1' });
    await limited.takes('configmaps', { metadata: { name: 'b' } });
  });

  test(`${dialect}: of 64 writers as many get through as there is room, and each gets what it was told`, async () => {
    const limited = await Limited.create(client(), 'contended', { 'count/configmaps': '31', secrets: '100' });
    await limited.says({ 'count/configmaps': '1', secrets: '0' });
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, (_, index) => client().post(`${limited.path}/configmaps`, { metadata: { name: `c${index}` } })),
    );
    assert.is(outcomes.filter(({ status }) => status < 300).length, 30);
    assert.ok(outcomes.every(({ status, text }) => status < 300 || (status === 403 && text.includes('exceeded quota: q'))));
    assert.is((await client().get(`${limited.path}/configmaps`)).body.items.length, 31);
    assert.is((await client().get(`${limited.path}/resourcequotas/q`)).body.status.used['count/configmaps'], '31');
  });
}

const kubernetes = (): Client => clients.get('kubernetes') as Client;

test('a pod that is resized may want no more than there is', async () => {
  const limited = await Limited.create(kubernetes(), 'resized', { 'requests.cpu': '1' });
  await limited.says({ 'requests.cpu': '0' });
  await limited.takes('pods', pod('p', '300m'));
  const resize = (cpu: string) =>
    kubernetes().patch(
      `${limited.path}/pods/p/resize`,
      { spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] } },
      'application/strategic-merge-patch',
    );
  const grown = await resize('900m');
  assert.is(grown.status, 200, grown.text);
  await limited.says({ 'requests.cpu': '900m' });
  const refused = await resize('1100m');
  assert.is(refused.status, 403);
  assert.match(refused.text, 'exceeded quota: q, requested: requests.cpu=200m, used: requests.cpu=900m, limited: requests.cpu=1');
  assert.is((await resize('200m')).status, 200);
  await limited.says({ 'requests.cpu': '200m' });
});

test('custom resources are counted as soon as they are defined', async () => {
  const limited = await Limited.create(kubernetes(), 'custom', { 'count/toys.quota.example': '1', configmaps: '1' });
  await limited.says({ configmaps: '1' });
  assert.is((await kubernetes().get(`${limited.path}/resourcequotas/q`)).body.status.used['count/toys.quota.example'], undefined);
  const schema = { openAPIV3Schema: { type: 'object' } };
  const definition = {
    metadata: { name: 'toys.quota.example' },
    spec: {
      group: 'quota.example',
      scope: 'Namespaced',
      names: { plural: 'toys', kind: 'Toy' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
  await kubernetes().post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  await limited.says({ 'count/toys.quota.example': '0' });
  const create = (name: string) =>
    kubernetes().post('/apis/quota.example/v1/namespaces/custom/toys', { apiVersion: 'quota.example/v1', kind: 'Toy', metadata: { name } });
  assert.is((await create('a')).status, 201);
  assert.match((await create('b')).text, 'exceeded quota: q, requested: count/toys.quota.example=1');
  await kubernetes().delete('/apis/quota.example/v1/namespaces/custom/toys/a');
  await limited.says({ 'count/toys.quota.example': '0' });
});

test('a quota of thousands of limits, which another thread works on, is counted and holds', async () => {
  const hard = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`count/kinds${index}.quota.example`, '9007199254740993']));
  const limited = await Limited.create(kubernetes(), 'long', { ...hard, configmaps: '2' });
  await limited.says({ configmaps: '1' });
  await limited.takes('configmaps', { metadata: { name: 'a' } });
  await limited.refuses('configmaps', { metadata: { name: 'b' } }, /exceeded quota: q, requested: configmaps=1, used: configmaps=2/);
  await limited.says({ configmaps: '2' });
  await kubernetes().delete(`${limited.path}/configmaps/a`);
  await limited.says({ configmaps: '1' });
  const [root] = (await kubernetes().get(`${limited.path}/configmaps`)).body.items;
  await kubernetes().delete(`${limited.path}/configmaps/${root.metadata.name}`);
  const isMadeAgain = async () => {
    const { status, body } = await kubernetes().get(`${limited.path}/configmaps/${root.metadata.name}`);
    return status === 200 && body.metadata.uid !== root.metadata.uid;
  };
  await until(isMadeAgain, () => 'a controller did not make its config map again');
});

const CONFIGURED: readonly (readonly [apiVersion: string, kind: string])[] = [
  ['apiserver.config.k8s.io/v1', 'ResourceQuotaConfiguration'],
  ['resourcequota.admission.k8s.io/v1beta1', 'Configuration'],
  ['resourcequota.admission.k8s.io/v1alpha1', 'Configuration'],
];
for (const [apiVersion, kind] of CONFIGURED)
  test(`${kind} of ${apiVersion} says which priority classes need a quota`, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'quotas-'));
    const file = path.join(folder, 'admission.yaml');
    const scope = { scopeName: 'PriorityClass', operator: 'In', values: ['high'] };
    const configuration = { apiVersion, kind, limitedResources: [{ resource: 'pods', matchScopes: [scope] }] };
    const plugins = [{ name: 'ResourceQuota', configuration }];
    await writeFile(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }));
    const server = await startServer({ dialect: 'kubernetes', flags: [...FLAGS, `--admission-control-config-file=${file}`] });
    try {
      const client = new Client(server);
      await client.post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'high' }, value: 1 });
      const important = { ...pod('p', '1'), spec: { ...pod('p', '1').spec, priorityClassName: 'high' } };
      const refused = await client.post('/api/v1/namespaces/default/pods', important);
      assert.is(refused.status, 500);
      assert.is(refused.body.message, 'insufficient quota to match these scopes: [{PriorityClass In [high]}]');
      assert.is((await client.post('/api/v1/namespaces/default/pods', pod('q', '1'))).status, 201);
      const covered = await Limited.create(client, 'covered', { pods: '1' }, { scopeSelector: { matchExpressions: [scope] } });
      await covered.says({ pods: '0' });
      await covered.takes('pods', important);
      await covered.refuses('pods', { ...important, metadata: { name: 'r' } }, /exceeded quota: q/);
    } finally {
      await server.stop();
      await rm(folder, { recursive: true });
    }
  });

test('a configuration that names no resource is refused at the start', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quotas-'));
  const file = path.join(folder, 'admission.yaml');
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'ResourceQuotaConfiguration',
    limitedResources: [{ apiGroup: 'apps' }],
  };
  const plugins = [{ name: 'ResourceQuota', configuration }];
  await writeFile(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }));
  const problem = await startServer({ dialect: 'kubernetes', flags: [`--admission-control-config-file=${file}`] }).then(
    async (server) => `started: ${await server.stop()}`,
    (error) => String(error),
  );
  assert.match(problem, 'limitedResources[0].resource: Required value');
  await rm(folder, { recursive: true });
});

test.run();
