/** A node falls silent, its pods go, and it comes back: in both dialects, with one process and with two; and nothing of it where nobody asks for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, type Json } from '../../harness/client.ts';
import { startServer } from '../../harness/server.ts';

const NODES = '/api/v1/nodes';
const PODS = '/api/v1/namespaces/default/pods';

/** Bounded: 60 s. */
async function becomes(what: () => Promise<string>, wanted: string): Promise<void> {
  const until = Date.now() + 60_000;
  for (;;) {
    const is = await what();
    if (is === wanted) return;
    if (Date.now() > until) throw new Error(`${is}, not ${wanted}`);
    await sleep(50);
  }
}

/** The agents of nodes, of which some can be silent. */
class Agents {
  readonly #client: Client;
  readonly #leases: string;
  readonly #speaking = new Set<string>();
  #working: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(client: Client) {
    this.#client = client;
    this.#leases = client.name('/apis/coordination.${groupDomain}/v1/namespaces/${leaseNamespace}/leases');
  }

  async register(name: string): Promise<void> {
    const node = await this.#client.post(NODES, { metadata: { name } });
    assert.ok(node.status < 300, node.text);
    const lease = await this.#client.post(this.#leases, { metadata: { name }, spec: { holderIdentity: name, leaseDurationSeconds: 40 } });
    assert.ok(lease.status < 300, lease.text);
    await this.#report(name);
    this.#speaking.add(name);
  }

  begin(): void {
    this.#working = this.#work();
  }

  silence(name: string): void {
    this.#speaking.delete(name);
  }

  async comesBack(name: string): Promise<void> {
    await this.#report(name);
    this.#speaking.add(name);
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    while (!this.#ended) {
      for (const name of this.#speaking) {
        const renewTime = `${new Date().toISOString().slice(0, -1)}000Z`;
        await this.#client.patch(`${this.#leases}/${name}`, { spec: { renewTime } });
        // A machine under load may have made it silent for too long.
        if ((await this.ready(name)) !== 'True') await this.#report(name);
      }
      await sleep(100);
    }
  }

  async #report(name: string): Promise<void> {
    const ready = { type: 'Ready', status: 'True', reason: 'Agent', lastHeartbeatTime: new Date().toISOString() };
    const { status, text } = await this.#client.patch(`${NODES}/${name}/status`, { status: { conditions: [ready] } });
    assert.is(status, 200, text);
  }

  async ready(name: string): Promise<string> {
    const { body } = await this.#client.get(`${NODES}/${name}`);
    return (body.status.conditions ?? []).find(({ type }: Json) => type === 'Ready')?.status;
  }

  async taints(name: string): Promise<string> {
    const { body } = await this.#client.get(`${NODES}/${name}`);
    return (body.spec.taints ?? []).map(({ key, effect }: Json) => `${key}:${effect}`).join(' ');
  }
}

const CONTROLLERS = ['node-lifecycle-controller', 'taint-eviction-controller'];
const QUICK = [
  '--node-monitor-period=100ms',
  // agents of a busy machine say something in that time
  '--node-monitor-grace-period=6s',
  '--node-startup-grace-period=1h',
  '--node-eviction-rate=100',
];
const base = ['--disable-admission-plugins=ServiceAccount', ...QUICK];

const servers = await Promise.all([
  startServer({ dialect: 'cluster', flags: [...base, `--controllers=*,${CONTROLLERS}`] }),
  startServer({ dialect: 'kubernetes', flags: [...base, `--controllers=*,${CONTROLLERS}`, '--workers=2'] }),
  startServer({ dialect: 'cluster', flags: base }),
]);

const test = suite('node lifecycle');
test.after(async () => {
  for (const server of servers) await server.stop();
});

async function silentNode(client: Client): Promise<void> {
  const agents = new Agents(client);
  for (const name of ['alive', 'silent']) await agents.register(name);
  // Of one that never says anything nothing is expected for an hour, however slow the machine is on which the other has to be heard in time.
  const starting = await client.post(NODES, { metadata: { name: 'starting' } });
  assert.ok(starting.status < 300, starting.text);
  agents.begin();
  try {
    const unreachable = client.name('node.${labelDomain}/unreachable');
    for (const [name, nodeName, tolerationSeconds] of [
      ['stays', 'starting', 0],
      ['goes', 'silent', 0],
      ['later', 'silent', 600],
    ] as const) {
      const tolerations = [{ key: unreachable, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }];
      const pod = await client.post(PODS, { metadata: { name }, spec: { nodeName, tolerations, containers: [{ name: 'c', image: 'i' }] } });
      assert.ok(pod.status < 300, pod.text);
      const conditions = [{ type: 'Ready', status: 'True' }];
      assert.is((await client.patch(`${PODS}/${name}/status`, { status: { conditions } })).status, 200);
    }
    agents.silence('silent');
    await becomes(() => agents.ready('silent'), 'Unknown');
    await becomes(() => agents.taints('silent'), `${unreachable}:NoSchedule ${unreachable}:NoExecute`);
    const pods = async (): Promise<string> => {
      const { body } = await client.get(PODS);
      return body.items
        .map(({ metadata, status }: Json) => {
          const said = Object.fromEntries(status.conditions.map((each: Json) => [each.type, each.reason ?? each.status]));
          return `${metadata.name} ${said.Ready} ${said.DisruptionTarget ?? ''} ${metadata.deletionTimestamp !== undefined}`;
        })
        .join();
    };
    await becomes(pods, 'goes False DeletionByTaintManager true,later False  false,stays True  false');
    await agents.comesBack('silent');
    await becomes(() => agents.taints('silent'), '');
    await becomes(() => agents.ready('silent'), 'True');
  } finally {
    await agents.end();
  }
}

test('a silent node, in both dialects; without the controllers nothing is said of it', async () => {
  const clients = servers.map((server) => new Client(server));
  const [cluster, kubernetes, without] = clients as [Client, Client, Client];
  try {
    const node = await without.post(NODES, { metadata: { name: 'silent' } });
    await Promise.all([silentNode(cluster), silentNode(kubernetes)]);
    const { body } = await without.get(`${NODES}/silent`);
    assert.is(body.metadata.resourceVersion, node.body.metadata.resourceVersion);
  } finally {
    for (const client of clients) client.close();
  }
  for (const server of servers) assert.equal(server.faults(), []);
});

test.run();
