/** Holders of leases that a server elects among candidates, as programs see it that are candidates. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import { Client, type Json } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { refusedStart, startServer, type TestServer } from '../../harness/server.ts';

const GATE = '--feature-gates=CoordinatedLeaderElection=true';
const QUICK = ['lease-duration=3s', 'renew-deadline=2s', 'retry-period=200ms'].map((flag) => `--coordinated-leadership-${flag}`);
/** Milliseconds between two looks of a candidate. */
const PERIOD = 200;

const group = (dialect: Dialect): string => (dialect === 'kubernetes' ? 'coordination.k8s.io' : 'coordination.cluster.io');
const now = (): string => new Date().toISOString().replace('Z', '000Z');

const leasesOf = (client: Client, namespace = 'default'): string =>
  client.name(`/apis/coordination.\${groupDomain}/v1/namespaces/${namespace}/leases`);
const candidatesOf = (client: Client): string =>
  client.name('/apis/coordination.${groupDomain}/v1alpha2/namespaces/default/leasecandidates');
const leaseOf = async (client: Client, name: string): Promise<Json> => (await client.get(`${leasesOf(client)}/${name}`)).body.spec ?? {};

/** A program that is a candidate: answers when it is asked, renews the lease that it holds, and gives it up for a better one. */
class Candidate {
  readonly #client: Client;
  readonly #name: string;
  readonly #lease: string;
  readonly #timer: NodeJS.Timeout;
  #work: Promise<void> = Promise.resolve();

  private constructor(client: Client, name: string, lease: string) {
    this.#client = client;
    this.#name = name;
    this.#lease = lease;
    this.#timer = setInterval(() => {
      this.#work = this.#work.then(() => this.#look());
    }, PERIOD);
  }

  static async announce(client: Client, name: string, version: string, leaseName: string): Promise<Candidate> {
    const spec = { leaseName, binaryVersion: version, emulationVersion: version, strategy: 'OldestEmulationVersion', renewTime: now() };
    const { status, text } = await client.post(candidatesOf(client), { metadata: { name }, spec });
    assert.ok(status < 300, text);
    return new Candidate(client, name, leaseName);
  }

  async #look(): Promise<void> {
    const candidate = `${candidatesOf(this.#client)}/${this.#name}`;
    const { body } = await this.#client.get(candidate);
    if (body.spec?.pingTime > body.spec?.renewTime)
      await this.#client.put(candidate, { ...body, spec: { ...body.spec, renewTime: now() } });
    const lease = `${leasesOf(this.#client)}/${this.#lease}`;
    const { body: held } = await this.#client.get(lease);
    if (held.spec?.holderIdentity !== this.#name) return;
    const isBetter = (held.spec.preferredHolder ?? this.#name) !== this.#name;
    const spec = isBetter ? { ...held.spec, holderIdentity: '', leaseDurationSeconds: 1 } : { ...held.spec, renewTime: now() };
    await this.#client.put(lease, { ...held, spec });
  }

  /** It is seen no more. */
  async vanish(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }
}

for (const dialect of ['kubernetes', 'cluster'] as const) {
  const test = suite(`elections among candidates: ${dialect}`);
  let server: TestServer;
  let client: Client;
  const candidates: Candidate[] = [];
  const announce = async (...of: [name: string, version: string, lease: string]): Promise<Candidate> => {
    const candidate = await Candidate.announce(client, ...of);
    candidates.push(candidate);
    return candidate;
  };
  const holds = (name: string, lease: string) =>
    eventually(`${name} as the holder`, async () => (await leaseOf(client, lease)).holderIdentity === name);

  test.before(async () => {
    server = await startServer({ dialect, flags: [GATE, ...QUICK, `--runtime-config=${group(dialect)}/v1alpha2=true`, '--workers=2'] });
    client = new Client(server);
  });
  test.after(async () => {
    await Promise.all(candidates.map((candidate) => candidate.vanish()));
    client?.close();
    await server?.stop();
  });

  test('the server that elects is elected itself, by a lease of its own', async () => {
    const place = client.name(`${leasesOf(client, '${systemNamespace}')}/leader-election-controller`);
    await eventually('the lease', async () => (await client.get(place)).status === 200);
    const { spec } = (await client.get(place)).body;
    assert.is(spec.leaseDurationSeconds, 3);
    assert.ok(spec.holderIdentity !== '');
  });

  test('one of two is elected, and when it vanishes the other one', async () => {
    const first = await announce('a', '1.31.0', 'one');
    await holds('a', 'one');
    await announce('b', '1.32.0', 'one');
    await first.vanish();
    await holds('b', 'one');
    assert.is((await leaseOf(client, 'one')).strategy, 'OldestEmulationVersion');
  });

  test('the holder gives the lease up for one that emulates an older version', async () => {
    await announce('newer', '1.32.0', 'two');
    await holds('newer', 'two');
    await announce('older', '1.31.0', 'two');
    await holds('older', 'two');
    assert.is((await leaseOf(client, 'two')).preferredHolder, undefined);
  });

  test.run();
}

const without = suite('elections among candidates: without them');

without('the gate is closed: fields of leases are dropped, stay where they are, and nobody is elected', async () => {
  const flags = ['--runtime-config=coordination.k8s.io/v1alpha2=true'];
  const server = await startServer({ dialect: 'kubernetes', flags });
  const client = new Client(server);
  const candidate = await Candidate.announce(client, 'a', '1.32.0', 'l');
  try {
    const place = leasesOf(client);
    const spec = { holderIdentity: 'x', strategy: 'OldestEmulationVersion', preferredHolder: 'y' };
    assert.equal((await client.post(place, { metadata: { name: 'own' }, spec })).body.spec, { holderIdentity: 'x' });
    const { body } = await client.get(`${place}/own`);
    assert.equal((await client.put(`${place}/own`, { ...body, spec })).body.spec, { holderIdentity: 'x' });
    assert.is((await client.get(`${leasesOf(client, 'kube-system')}/leader-election-controller`)).status, 404);
    assert.is((await client.get(`${place}/l`)).status, 404);
  } finally {
    await candidate.vanish();
    client.close();
    await server.stop();
  }
});

without('what a lease has of them from a time when the gate was open stays, and goes where it is left out', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'gate-'));
  const spec = { holderIdentity: 'x', strategy: 'OldestEmulationVersion', preferredHolder: 'y' };
  try {
    const open = await startServer({ dialect: 'kubernetes', flags: [GATE], directory });
    const before = new Client(open);
    await before.post(leasesOf(before), { metadata: { name: 'own' }, spec });
    before.close();
    await open.stop();
    const closed = await startServer({ dialect: 'kubernetes', directory });
    const client = new Client(closed);
    const own = `${leasesOf(client)}/own`;
    const put = async (edited: object): Promise<Json> =>
      (await client.put(own, { ...(await client.get(own)).body, spec: edited })).body.spec;
    assert.equal((await client.get(own)).body.spec, spec);
    assert.equal(await put({ ...spec, preferredHolder: 'z' }), { ...spec, preferredHolder: 'z' });
    const { preferredHolder: _, ...less } = spec;
    assert.equal(await put(less), less);
    assert.equal(await put(spec), less);
    client.close();
    await closed.stop();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

without('the candidates are not served: the log says so', async () => {
  const server = await startServer({ dialect: 'kubernetes', flags: [GATE] });
  try {
    await eventually('the warning', () => server.log().includes('add --runtime-config=coordination.k8s.io/v1alpha2=true'));
  } finally {
    await server.stop();
  }
});

without('times that do not fit together end the start, whether the gate is open or not', async () => {
  const error = await refusedStart({ dialect: 'kubernetes', flags: ['--coordinated-leadership-retry-period=10s'] });
  assert.match(error.message, '--coordinated-leadership-renew-deadline must be greater than --coordinated-leadership-retry-period');
});

without.run();
