/**
 * Of the servers of one etcd one runs the controllers. Each of them would publish the certificates of its own authority, so the ConfigMap in each namespace says
 * who has written it.
 */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../harness/client.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { refusedStart } from '../../harness/server.ts';
import type { Watch } from '../../harness/watch.ts';
import { answered, eventually, overEtcd, type ServerOver, startOver, stopAll } from './over-etcd.ts';

const test = suite('leader election among servers');

const etcd = await startEtcd();
test.after(() => stopAll(etcd));

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-apiserver-controllers';
const NAMESPACES = '/api/v1/namespaces';
const CERTIFICATES = 'kube-root-ca.crt';
/** Milliseconds of patience. */
const LONG = 40_000;

/** A lease that ends soon, though none that a busy machine loses, and one that does not end while a test goes on. */
const SHORT = ['--leader-elect-lease-duration=8s', '--leader-elect-renew-deadline=6s', '--leader-elect-retry-period=200ms'];
const LASTING = ['--leader-elect-lease-duration=600s', '--leader-elect-renew-deadline=500s', '--leader-elect-retry-period=200ms'];

let prefixes = 0;

/** @param body gets two servers of which the first leads */
async function withTwo(
  flags: readonly string[],
  body: (leader: ServerOver, other: ServerOver, writers: Writers) => Promise<void>,
): Promise<void> {
  const all = ['-v=1', `--etcd-prefix=/p${++prefixes}`, ...flags];
  const leader = await startOver(etcd, all);
  await leads(leader);
  const other = await startOver(etcd, all);
  const writers = await Writers.follow(other, { leader, other });
  try {
    await body(leader, other, writers);
  } finally {
    writers.stop();
    for (const { server, client } of [leader, other]) {
      client.close();
      await server.kill();
    }
  }
}

const leads = ({ client }: ServerOver): Promise<string> =>
  eventually(
    async () => (await client.get('/metrics')).text,
    (text) => text.includes('leader_election_master_status{name="kube-apiserver-controllers"} 1'),
    LONG,
  );
const specOf = async ({ client }: ServerOver): Promise<Json> => (await answered(200, client.get(LEASE))).spec;
const isTold = ({ server }: ServerOver, text: string): Promise<string> =>
  eventually(
    async () => server.log(),
    (log) => log.includes(text),
    LONG,
  );
const linesOf = ({ server }: ServerOver, text: string): string[] =>
  server
    .log()
    .split('\n')
    .filter((line) => line.includes(text));
const linesWith = (of: ServerOver, text: string): number => linesOf(of, text).length;

/** Who has written the certificates, by the namespace, in order. */
class Writers {
  readonly of = new Map<string, string[]>();
  readonly #watch: Watch;

  private constructor(watch: Watch, names: ReadonlyMap<string, string>) {
    this.#watch = watch;
    void this.#read(names);
  }

  static async follow(from: ServerOver, servers: Readonly<Record<string, ServerOver>>): Promise<Writers> {
    const names = new Map(Object.entries(servers).map(([name, each]) => [authorityOf(each), name]));
    return new Writers(await from.client.watch(`/api/v1/configmaps?watch=1&fieldSelector=metadata.name=${CERTIFICATES}`), names);
  }

  async #read(names: ReadonlyMap<string, string>): Promise<void> {
    for await (const { object } of this.#watch) {
      const { namespace } = object.metadata;
      const name = names.get(object.data['ca.crt'].trim()) ?? 'unknown';
      const before = this.of.get(namespace) ?? [];
      this.of.set(namespace, before.at(-1) === name ? before : [...before, name]);
    }
  }

  async until(namespace: string, name: string): Promise<void> {
    await eventually(
      async () => this.of.get(namespace) ?? [],
      (written) => written.at(-1) === name,
      LONG,
    );
  }

  stop(): void {
    this.#watch.close();
  }
}

function authorityOf({ server }: ServerOver): string {
  const [, data = ''] = /"?certificate-authority-data"?: *"?([\w+/=]+)/.exec(readFileSync(server.kubeconfig, 'utf8')) ?? [];
  return Buffer.from(data, 'base64').toString().trim();
}

const makeNamespace = ({ client }: ServerOver, name: string): Promise<Json> =>
  answered(201, client.post(NAMESPACES, { metadata: { name } }));

test('one does the work, whichever is asked, and both say who', () =>
  withTwo(LASTING, async (leader, other, writers) => {
    await makeNamespace(leader, 'a');
    await makeNamespace(other, 'b');
    await writers.until('a', 'leader');
    await writers.until('b', 'leader');
    await isTold(leader, 'this server leads');
    await isTold(other, 'another server leads');
    assert.equal(
      [...writers.of.values()].flat().filter((name) => name !== 'leader'),
      [],
    );
    const { holderIdentity, leaseDurationSeconds, leaseTransitions } = await specOf(other);
    assert.match(holderIdentity, /^.+_[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    assert.equal([leaseDurationSeconds, leaseTransitions], [600, 0]);
    assert.match((await other.client.get('/metrics')).text, 'leader_election_master_status{name="kube-apiserver-controllers"} 0');
    // what each server does for itself
    const { items } = await answered(
      200,
      other.client.get(`${LEASE.replace(/\/[^/]+$/, '')}?labelSelector=apiserver.kubernetes.io/identity`),
    );
    assert.is(items.length, 1);
  }));

for (const [what, flags] of [
  ['one process', []],
  ['two workers', ['--workers=2']],
  ['the API of an earlier release', ['--emulated-release=1.25']],
] as const)
  test(`one that ends gives the lease up, so that another takes over at once: ${what}`, () =>
    withTwo([...LASTING, ...flags], async (leader, other, writers) => {
      await writers.until('default', 'leader');
      leader.client.close();
      await leader.server.stop();
      await leads(other);
      await writers.until('default', 'other');
      assert.is((await specOf(other)).leaseTransitions, 1);
      await isTold(other, 'this server leads');
      assert.equal([linesWith(leader, 'leads no longer'), linesWith(other, 'this server leads')], [0, 1]);
      assert.equal(other.server.faults(), []);
    }));

test('a worker that dies is replaced in the lease of its server as well', () =>
  withTwo([...LASTING, '--workers=2'], async (leader, other, writers) => {
    await writers.until('default', 'leader');
    const leading = (): number[] => linesOf(leader, 'this server leads').map((line) => JSON.parse(line).pid);
    const [first = 0] = leading();
    process.kill(first, 'SIGKILL');
    await eventually(
      async () => leading(),
      ([, next = first]) => next !== first,
      LONG,
    );
    await makeNamespace(other, 'a');
    await writers.until('a', 'leader');
    assert.equal([(await specOf(other)).leaseTransitions, linesWith(other, 'this server leads')], [0, 0]);
  }));

test('an object that takes long is changed by whoever leads', () =>
  withTwo(LASTING, async (leader, other) => {
    const path = `${NAMESPACES}/default/configmaps`;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '8f1c2a52-6f0e-4c4f-9d3c-0d1a3b5c7e90' };
    // so many values are read by a thread of their own
    const data = Object.fromEntries(Array.from({ length: 6_000 }, (_, i) => [`key-${i}`, 'x']));
    for (const finalizers of [[], ['example.com/kept']]) {
      const metadata = { name: `long-${finalizers.length}`, finalizers, ownerReferences: [owner] };
      await answered(201, other.client.post(path, { metadata, data }));
    }
    await eventually(
      () => other.client.get(`${path}/long-0`),
      ({ status }) => status === 404,
    );
    await eventually(
      async () => (await other.client.get(`${path}/long-1`)).body.metadata,
      ({ deletionTimestamp }) => deletionTimestamp !== undefined,
    );
    assert.equal(leader.server.faults(), []);
  }));

test('another takes over where one was killed, when its lease is over', () =>
  withTwo(SHORT, async (leader, other, writers) => {
    await writers.until('default', 'leader');
    await leader.server.kill();
    await makeNamespace(other, 'a');
    await writers.until('a', 'other');
    assert.is((await specOf(other)).leaseTransitions, 1);
  }));

test('one that stood still for longer than its lease writes nothing when it goes on', () =>
  withTwo(SHORT, async (leader, other, writers) => {
    await writers.until('default', 'leader');
    process.kill(leader.server.pid, 'SIGSTOP');
    const names = Array.from({ length: 20 }, (_, i) => `a-${i}`);
    try {
      for (const name of names) await makeNamespace(other, name);
      for (const name of ['default', ...names]) await writers.until(name, 'other');
    } finally {
      process.kill(leader.server.pid, 'SIGCONT');
    }
    await isTold(leader, 'leads no longer');
    await isTold(leader, 'another server leads');
    await makeNamespace(leader, 'b');
    await writers.until('b', 'other');
    // whoever began to write has ended it by now, or never does
    for (const [namespace, written] of writers.of)
      assert.ok(['leader,other', 'other'].includes(written.join()), `${namespace}: ${written}`);
    assert.equal([linesWith(leader, 'leads no longer'), leader.server.faults(), other.server.faults()], [1, [], []]);
    // and it has its turn again
    other.client.close();
    writers.stop();
    await other.server.stop();
    await leads(leader);
    assert.is((await specOf(leader)).leaseTransitions, 2);
    await makeNamespace(leader, 'c');
    await eventually(
      () => leader.client.get(`${NAMESPACES}/c/configmaps/${CERTIFICATES}`),
      ({ status }) => status === 200,
    );
  }));

test('where nobody is elected each server works', () =>
  withEach(async (one, two) => {
    for (const each of [one, two]) assert.is((await each.client.get(LEASE)).status, 404);
    for (const each of [one, two])
      await eventually(
        async () => (await each.client.get('/metrics')).text,
        (text) => text.includes('workqueue_depth{name="namespace"}'),
      );
  }));

async function withEach(body: (one: ServerOver, two: ServerOver) => Promise<void>): Promise<void> {
  const flags = [`--etcd-prefix=/p${++prefixes}`, '--leader-elect=false'];
  const [one, two] = [await startOver(etcd, flags), await startOver(etcd, flags)];
  try {
    await body(one, two);
  } finally {
    for (const { server, client } of [one, two]) {
      client.close();
      await server.stop();
    }
  }
}

test('times that do not fit together are refused by name', async () => {
  const refused = await refusedStart({ dialect: 'kubernetes', flags: overEtcd(etcd, ['--leader-elect-lease-duration=10s']) });
  assert.match(refused.output, '--leader-elect-lease-duration: leaseDuration must be greater than renewDeadline');
});

test.run();
