/**
 * Published vulnerabilities of other API servers and of Node, each with the rule that keeps this server from it, in both dialects, and by several processes
 * over etcd. Those whose rules have tests of their own are not repeated: bodies, floods, webhooks, mountable secrets and image policies have files beside
 * what they are about.
 */
import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import { type Answer, authority, Client, type Json } from '../../harness/client.ts';
import { etcdProgram, startEtcd } from '../../harness/etcd.ts';
import { eventually } from '../../harness/eventually.ts';
import { attacksOn } from '../../harness/hostile.ts';
import { exchange } from '../../harness/raw.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const CUSTOM = '/apis/known.example/v1';
/** It leads to this machine (`pod-network.ts`). */
const POD_ADDRESS = '10.99.0.1';

const image = { name: 'c', image: 'registry.example/image:1' };

/** What a pod was asked, and what it answers to who wants to switch protocols. */
class Pod {
  readonly asked: string[] = [];
  refusal = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno';
  readonly #server = http.createServer((request, response) => {
    this.asked.push(`${request.method} ${request.url}`);
    response.end('answered');
  });

  async start(): Promise<this> {
    this.#server.on('upgrade', (request, socket) => {
      this.asked.push(`${request.method} ${request.url}`);
      socket.on('data', (more) => this.asked.push(String(more))).on('error', () => {});
      socket.write(this.refusal);
    });
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

class Known {
  readonly server: TestServer;
  readonly admin: Client;
  readonly alice: Client;
  readonly pod: Pod;
  constructor(server: TestServer, pod: Pod) {
    this.server = server;
    this.admin = new Client(server);
    this.alice = new Client(server, server.tokens.alice);
    this.pod = pod;
  }

  async made(url: string, object: object): Promise<Json> {
    const { status, body, text } = await this.admin.post(url, object);
    assert.ok(status < 300, text);
    return body;
  }

  /** Gives alice a right in the namespace `default`, or everywhere. */
  async grant(name: string, rules: readonly object[], everywhere = false): Promise<void> {
    const apiGroup = this.admin.name('rbac.authorization.${groupDomain}');
    const where = everywhere ? `/apis/${apiGroup}/v1/cluster` : `/apis/${apiGroup}/v1/namespaces/default/`;
    await this.made(`${where}roles`, { metadata: { name }, rules });
    const roleRef = { apiGroup, kind: everywhere ? 'ClusterRole' : 'Role', name };
    await this.made(`${where}rolebindings`, { metadata: { name }, roleRef, subjects: [{ apiGroup, kind: 'User', name: 'alice' }] });
  }

  /** A pod `web` that leads to the one of the test. */
  async addPod(namespace: string): Promise<void> {
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    await eventually('the account of the namespace is there', async () => {
      const spec = { nodeName: 'n1', containers: [{ ...image, ports: [{ containerPort: this.pod.port }] }] };
      return (await this.admin.post(pods, { metadata: { name: 'web' }, spec })).status < 300;
    });
    const status = { podIP: POD_ADDRESS, podIPs: [{ ip: POD_ADDRESS }], phase: 'Running' };
    assert.is((await this.admin.patch(`${pods}/web/status`, { status })).status, 200);
  }

  async define(plural: string, kind: string, scope: string): Promise<void> {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await this.made(this.admin.name('/apis/apiextensions.${groupDomain}/v1/customresourcedefinitions'), {
      metadata: { name: `${plural}.known.example` },
      spec: {
        group: 'known.example',
        scope,
        names: { plural, kind },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    const where = scope === 'Cluster' ? `${CUSTOM}/${plural}` : `${CUSTOM}/namespaces/default/${plural}`;
    const object = { apiVersion: 'known.example/v1', kind, metadata: { name: 'one' }, hidden: `hidden-${plural}` };
    await eventually('the definition is served', async () => (await this.admin.post(where, object)).status < 300);
  }

  /** As the agent of the node `n1`. */
  asNode(method: string, url: string, body: object): Promise<Answer> {
    const headers = { 'impersonate-user': 'system:node:n1', 'impersonate-group': 'system:nodes' };
    const type = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    return this.admin.request(method, url, { headers: { ...headers, ...type }, body });
  }

  /** As bytes: paths go out as they are written. */
  raw(lines: readonly string[], behind = '', user: 'admin' | 'alice' = 'admin'): Promise<Answer[]> {
    const head = [...lines, `Authorization: Bearer ${this.server.tokens[user]}`, '', ''];
    return exchange(this.server, `${head.join('\r\n')}${behind}`, 2_000);
  }
}

const refusedWith = (code: number, message: RegExp, { status, body, text }: Answer): void => {
  assert.is(status, code, text);
  assert.match(body?.message ?? text, message);
};

interface Row {
  readonly name: string;
  readonly holds: (known: Known) => Promise<unknown>;
}

const LOCALHOST = { type: 'Localhost' };
const owners = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'b' }];
const switching = (known: Known): Promise<Answer[]> =>
  known.raw(
    [`GET ${NAMESPACE}/pods/web/proxy/x HTTP/1.1`, 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket'],
    'GET /privileged HTTP/1.1\r\nHost: x\r\n\r\n',
  );

const ROWS: readonly Row[] = [
  {
    name: 'CVE-2018-1002105: what comes behind a switch that a backend refuses is never sent to it',
    async holds(known) {
      const [answer] = await switching(known);
      assert.is(answer?.status, 403);
      assert.equal(known.pod.asked, ['GET /x']);
    },
  },
  {
    name: 'CVE-2020-8559: a switch is not led elsewhere by a backend',
    async holds(known) {
      known.pod.refusal = `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${known.pod.port}/led\r\nContent-Length: 0\r\n\r\n`;
      const [answer] = await switching(known);
      assert.match(answer?.text ?? '', /invalid upgrade response: status code 302/);
      assert.equal(known.pod.asked, ['GET /x']);
    },
  },
  {
    name: 'CVE-2020-8562, CVE-2022-3294: proxies of nodes lead to no service of the server’s own machine, at whatever port, by whatever name',
    async holds(known) {
      const kubeletEndpoint = { Port: known.pod.port };
      for (const [name, address] of [
        ['address', '127.0.0.1'],
        ['mapped', '::ffff:127.0.0.1'],
        ['short', '127.1'],
        ['named', 'localhost'],
        ['metadata', '169.254.169.254'],
      ]) {
        const status = { addresses: [{ type: 'Hostname', address }], daemonEndpoints: { kubeletEndpoint } };
        await known.made('/api/v1/nodes', { metadata: { name }, status });
        for (const at of [name, `${name}:${known.pod.port}`, `http:${name}:${known.pod.port}`, `https:${name}:`])
          refusedWith(400, /^address not allowed$/, await known.admin.get(`/api/v1/nodes/${at}/proxy/x`));
      }
      assert.equal(known.pod.asked, []);
    },
  },
  {
    name: 'CVE-2019-11247: what is outside of namespaces is not found in one, for whoever has rights in it',
    async holds(known) {
      await known.define('outers', 'Outer', 'Cluster');
      await known.grant('outers', [{ verbs: ['*'], apiGroups: ['known.example'], resources: ['*'] }]);
      const inside = `${CUSTOM}/namespaces/default/outers`;
      for (const [method, url] of [
        ['GET', inside],
        ['GET', `${inside}/one`],
        ['PUT', `${inside}/one`],
        ['DELETE', `${inside}/one`],
        ['POST', inside],
      ] as const)
        assert.is((await known.alice.request(method, url, { body: method === 'GET' ? undefined : {} })).status, 404, `${method} ${url}`);
      assert.is((await known.admin.get(`${CUSTOM}/outers/one`)).status, 200);
    },
  },
  {
    name: 'CVE-2022-3162: no namespace or name leads to objects of another kind in the same group',
    async holds(known) {
      await known.define('firsts', 'First', 'Namespaced');
      await known.define('seconds', 'Second', 'Namespaced');
      await known.grant('firsts', [{ verbs: ['get', 'list', 'watch'], apiGroups: ['known.example'], resources: ['firsts'] }], true);
      for (const below of [
        'namespaces/%2e%2e/firsts',
        'namespaces/..%2fseconds/firsts',
        'namespaces/%2e%2e%2fseconds%2fdefault/firsts',
        'namespaces/default/firsts/..%2f..%2fseconds%2fdefault%2fone',
        'namespaces/default/firsts/%2e%2e',
        'firsts?fieldSelector=metadata.namespace%3D..%2Fseconds%2Fdefault',
        'firsts?watch=1&timeoutSeconds=1&fieldSelector=metadata.namespace%3D..%2Fseconds%2Fdefault',
      ])
        for (const { status, text } of await known.raw([`GET ${CUSTOM}/${below} HTTP/1.1`, 'Host: x', 'Connection: close'], '', 'alice')) {
          assert.ok(status < 500, `${below}: ${status}`);
          assert.not.match(text, /hidden-seconds/, below);
        }
    },
  },
  {
    name: 'CVE-2020-8552: what clients make up adds nothing to the figures',
    async holds(known) {
      const figures = async (): Promise<string> => (await known.admin.get('/metrics')).text;
      for (let index = 0; index < 20; index++) {
        const headers = { 'user-agent': `made-up-${index}`, accept: `made-up/${index}`, 'content-type': `made-up/${index}` };
        for (const url of [
          `/apis/made-up-${index}/v1/as`,
          `${NAMESPACE}/made-up-${index}`,
          `${NAMESPACE}/pods/a/made-up-${index}`,
          `/made-up-${index}`,
        ])
          await known.admin.request(index % 2 === 0 ? 'GET' : 'PROPFIND', url, { headers });
      }
      assert.not.match(await figures(), /made-up|PROPFIND/);
    },
  },
  {
    name: 'CVE-2019-11250, CVE-2020-8563, CVE-2020-8565: the log has no token and no secret, in whatever detail',
    async holds(known) {
      const { admin, server } = known;
      await known.made(`${NAMESPACE}/secrets`, { metadata: { name: 'kept' }, stringData: { key: 'kept-secret' } });
      await admin.patch(`${NAMESPACE}/secrets/kept`, { stringData: { key: 'kept-secret', wrong: 7 } });
      await known.made(admin.name('/apis/authentication.${groupDomain}/v1/tokenreviews'), { spec: { token: 'kept-reviewed' } });
      const wrong = new Client(server, 'kept-wrong');
      await wrong.get(`${NAMESPACE}/secrets`);
      wrong.close();
      const { status } = await known.made(`${NAMESPACE}/serviceaccounts/default/token`, { spec: {} });
      assert.match(server.log(), /"level":"(?:debug|trace)"/, 'the log is not in detail');
      for (const told of ['kept-', server.tokens.admin, server.tokens.alice, status.token]) assert.not(server.log().includes(told));
    },
  },
  {
    name: 'CVE-2021-25735: policies and webhooks see a node as it was before the request, whatever the request changes',
    async holds(known) {
      await known.made('/api/v1/nodes', {
        metadata: { name: 'guarded', labels: { guarded: 'yes', other: 'yes' } },
        spec: { podCIDR: '10.1.0.0/24' },
      });
      const registration = known.admin.name('/apis/admissionregistration.${groupDomain}/v1');
      const expression = "!('guarded' in oldObject.metadata.labels) || 'guarded' in object.metadata.labels";
      const resources = ['nodes', 'nodes/status'];
      const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources };
      await known.made(`${registration}/validatingadmissionpolicies`, {
        metadata: { name: 'guarded' },
        spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression, message: 'stays guarded' }] },
      });
      const binding = { metadata: { name: 'guarded' }, spec: { policyName: 'guarded', validationActions: ['Deny'] } };
      await known.made(`${registration}/validatingadmissionpolicybindings`, binding);
      for (const below of ['guarded', 'guarded/status'])
        await eventually('it is refused', async () => {
          const { status, text } = await known.admin.patch(`/api/v1/nodes/${below}?dryRun=All`, {
            metadata: { labels: { guarded: null } },
          });
          return status === 422 && text.includes('stays guarded');
        });
    },
  },
  {
    name: 'CVE-2021-25740: who writes endpoints leads the server to no pod of another namespace, and to no address of nobody',
    async holds(known) {
      await known.made('/api/v1/namespaces', { metadata: { name: 'elsewhere' } });
      const elsewhere = { kind: 'Pod', namespace: 'elsewhere', name: 'web' };
      await known.addPod('elsewhere');
      for (const [name, targetRef] of [
        ['foreign', elsewhere],
        ['renamed', { ...elsewhere, namespace: 'default', name: 'none' }],
        ['nobody', undefined],
      ] as const) {
        const ports = [{ name: 'web', port: known.pod.port }];
        await known.made(`${NAMESPACE}/services`, { metadata: { name }, spec: { ports } });
        const subsets = [{ addresses: [{ ip: POD_ADDRESS, ...(targetRef && { targetRef }) }], ports }];
        await known.made(`${NAMESPACE}/endpoints`, { metadata: { name }, subsets });
        refusedWith(503, /^no endpoints available for service/, await known.admin.get(`${NAMESPACE}/services/${name}:web/proxy/x`));
      }
      assert.equal(known.pod.asked, []);
    },
  },
  {
    name: 'CVE-2023-2431: a seccomp profile of the node has a name',
    async holds(known) {
      const inContainer = { ...image, securityContext: { seccompProfile: LOCALHOST } };
      for (const spec of [
        { containers: [image], securityContext: { seccompProfile: LOCALHOST } },
        { containers: [inContainer] },
        { containers: [image], initContainers: [{ ...inContainer, name: 'i' }] },
      ])
        refusedWith(
          422,
          /localhostProfile: Required value/,
          await known.admin.post(`${NAMESPACE}/pods`, { metadata: { name: 'p' }, spec }),
        );
    },
  },
  {
    name: 'CVE-2025-5187: a node agent gives its node no owners, with which it would go and come back as it likes',
    async holds(known) {
      for (const below of ['n1', 'n1/status'])
        refusedWith(
          403,
          /is not allowed to modify ownerReferences$/,
          await known.asNode('PATCH', `/api/v1/nodes/${below}`, { metadata: { ownerReferences: owners } }),
        );
    },
  },
  {
    name: 'CVE-2025-4563: a node agent makes no pod that has devices, by its spec or by its status',
    async holds(known) {
      const { metadata } = (await known.admin.get('/api/v1/nodes/n1')).body;
      const own = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: metadata.uid, controller: true };
      const annotations = { [known.admin.name('${labelDomain}/config.mirror')]: 'x' };
      const pod = (claims: object) => ({
        metadata: { name: 'mirror', annotations, ownerReferences: [own] },
        spec: { nodeName: 'n1', containers: [image], ...claims },
        status: { resourceClaimStatuses: [{ name: 'a', resourceClaimName: 'b' }] },
      });
      const claims = { resourceClaims: [{ name: 'a', resourceClaimName: 'b' }] };
      refusedWith(403, /can not create pods that reference resourceclaims$/, await known.asNode('POST', `${NAMESPACE}/pods`, pod(claims)));
      const made = await known.asNode('POST', `${NAMESPACE}/pods`, pod({}));
      assert.ok(made.status < 300, made.text);
      assert.is(made.body.status.resourceClaimStatuses, undefined);
      refusedWith(
        403,
        /cannot update resource claim statues$/,
        await known.asNode('PATCH', `${NAMESPACE}/pods/mirror/status`, { status: { resourceClaimStatuses: [{ name: 'a' }] } }),
      );
    },
  },
  {
    name: 'CVE-2015-5305: the name of no object, kind or group is part of a path',
    async holds(known) {
      const definitions = known.admin.name('/apis/apiextensions.${groupDomain}/v1/customresourcedefinitions');
      const schema = { openAPIV3Schema: { type: 'object' } };
      const versions = [{ name: 'v1', served: true, storage: true, schema }];
      for (const [plural, group] of [
        ['..', 'known.example'],
        ['a/b', 'known.example'],
        ['as', '..'],
        ['as', '../v1'],
      ]) {
        const spec = { group, scope: 'Cluster', names: { plural, kind: 'A' }, versions };
        assert.is((await known.admin.post(definitions, { metadata: { name: `${plural}.${group}` }, spec })).status, 422);
      }
      for (const name of ['..', '.', 'a/b', 'a%b', '../a'])
        for (const url of ['/api/v1/namespaces', `${NAMESPACE}/configmaps`])
          assert.is((await known.admin.post(url, { metadata: { name } })).status, 422);
    },
  },
  {
    name: 'CVE-2019-11248: pages about the program are for its administrators',
    async holds(known) {
      const anonymous = new Client(known.server, '');
      for (const url of ['/debug/pprof/', '/debug/flags/v', '/debug/api_priority_and_fairness/dump_queues', '/metrics', '/logs/'])
        for (const client of [anonymous, known.alice]) assert.is((await client.get(url)).status, 403, url);
      anonymous.close();
    },
  },
  {
    name: 'CVE-2026-21710: headers with the names of what every object has are headers',
    async holds(known) {
      const lines = ['__proto__: a', '__proto__: b', 'constructor: c', 'toString: d', 'Connection: close'];
      assert.is((await known.raw(['GET /api HTTP/1.1', 'Host: x', ...lines]))[0]?.status, 200);
      const session = http2.connect(known.server.url, { ca: authority(known.server) });
      const headers = JSON.parse('{":path":"/version","constructor":"a","__proto__":"b"}');
      const [answered] = await once(session.request(headers), 'response');
      assert.is(answered[':status'], 200);
      session.close();
    },
  },
  ...[
    { name: 'CVE-2022-35256: a line that ends without CR', lines: ['X-A: a\nX-B: b'] },
    { name: 'CVE-2023-30589: a line that ends without LF', lines: ['X-A: a\rX-B: b'] },
    { name: 'CVE-2024-27982: a space before the length', lines: [' Content-Length: 30'] },
    { name: 'CVE-2024-27982: a space behind the name of the length', lines: ['Content-Length : 30'] },
    { name: 'CVE-2022-32213: chunks that are spelt oddly', lines: ['Transfer-Encoding: \vchunked'] },
    { name: 'CVE-2022-32214: chunks twice', lines: ['Transfer-Encoding: chunked, chunked'] },
    { name: 'CVE-2022-32215: chunks in the next line', lines: ['Transfer-Encoding:', ' chunked'] },
    { name: 'CVE-2025-22871: a size of a chunk that ends without CR', lines: ['Transfer-Encoding: chunked'], behind: '2\n{}\r\n0\r\n\r\n' },
    {
      name: 'CVE-2024-22019: a chunk with more about it than in it',
      lines: ['Transfer-Encoding: chunked'],
      behind: `2;$'a'.repeat(50_000)\r\n`,
    },
  ].map(
    ({ name, lines, behind }): Row => ({
      name: `${name} is refused`,
      async holds(known) {
        const answers = await known.raw([`POST ${NAMESPACE}/configmaps HTTP/1.1`, 'Host: x', ...lines], behind);
        assert.ok(answers.length <= 1);
        for (const { status } of answers) assert.ok(status === 400 || status === 413, `${status}`);
      },
    }),
  ),
];

async function prepare(known: Known): Promise<void> {
  await known.made('/api/v1/nodes', { metadata: { name: 'n1' } });
  await known.addPod('default');
}

for (const dialect of ['kubernetes', 'cluster'] as const) await run(dialect, suite(`known vulnerabilities, dialect ${dialect}`));

if ((await etcdProgram()) !== undefined) {
  const etcd = await startEtcd();
  const test = suite('known vulnerabilities, several processes over etcd');
  test.after(() => etcd.stop());
  await run('kubernetes', test, [`--etcd-servers=${etcd.address}`, '--workers=2']);
}

async function run(dialect: Dialect, test: Test, flags: readonly string[] = []): Promise<void> {
  const server = await startServer({
    dialect,
    flags: ['--enable-admission-plugins=NodeRestriction', '--authorization-mode=Node,RBAC', '--v=10', ...flags],
    preload: path.join(import.meta.dirname, '../../harness/pod-network.ts'),
  });
  const attack = attacksOn(server, test);
  const known = new Known(server, await new Pod().start());
  test.before(() => prepare(known));
  test.after(async () => {
    known.admin.close();
    known.alice.close();
    known.pod.stop();
    await server.stop();
  });
  for (const { name, holds } of ROWS)
    attack(name, async () => {
      known.pod.asked.length = 0;
      await holds(known);
    });
  test.run();
}
