/** A node joins with a bootstrap token alone, renews its certificate, and may touch nothing of other nodes. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificatesigningrequests } from '../../../generated/client/certificates/v1/index.ts';
import { leases } from '../../../generated/client/coordination/v1/index.ts';
import { nodes, secrets } from '../../../generated/client/core/v1/index.ts';
import { type Client, connect, isForbidden } from '../../../generated/client/index.ts';
import { identity as identityData } from '../../../generated/identity.ts';
import { metricsData } from '../../../generated/metrics.ts';
import { findConnection } from '../../../runtime/client/configuration/connection.ts';
import { createIdentity, type Dialect } from '../../../runtime/contract/identity.ts';
import { type RunningAgent, startAgent } from '../../../runtime/node-agent/agent.ts';
import { CertificateRotation } from '../../../runtime/node-agent/identity/certificate-rotation.ts';
import { CertificateStore } from '../../../runtime/node-agent/identity/certificate-store.ts';
import { inviteNodes } from '../../../runtime/node-agent/identity/invitation.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { TestClock } from '../../controllers/test-clock.ts';
import { startServer, type TestServer } from '../../harness/server.ts';
import { settings } from '../../node-agent/settings.ts';

const FLAGS = [
  '--authorization-mode=Node,RBAC',
  '--enable-admission-plugins=NodeRestriction',
  '--enable-bootstrap-token-auth',
  '--controllers=*,csrapproving,csrsigning,csrcleaner',
];
const silent = { debug() {}, info() {}, warn() {}, error() {} };

async function eventually(what: () => Promise<boolean>, problem: string): Promise<void> {
  for (const until = Date.now() + 30_000; !(await what()); await sleep(50)) if (Date.now() > until) throw new Error(problem);
}

for (const dialect of ['kubernetes', 'cluster'] as const) {
  const test = suite(`a node that joins (${dialect})`);
  const identity = createIdentity(identityData, dialect);
  let server: TestServer;
  let admin: Client;
  let folder: string;
  let agent: RunningAgent;
  let node: Client;
  const file = (name: string): string => path.join(folder, name);
  const clientStore = (): CertificateStore => new CertificateStore(file('pki'), identity.text('${nodeAgent}-client'));

  const start = async (name: string, of: Dialect = dialect): Promise<RunningAgent> =>
    startAgent({
      read: await settings({
        dialect: of,
        main: { enableServer: false, healthzPort: 0, failSwapOn: false, rotateCertificates: true, serverTLSBootstrap: true },
      }),
      identity,
      version: 'v1.32.0',
      rootDirectory: file('root'),
      certificateFolder: file('pki'),
      configurationFile: file('agent.conf'),
      bootstrapFile: file('join.conf'),
      nodeName: name,
      hostname: name,
      addresses: ['127.0.0.1'],
      labels: {},
      hasExternalProvider: false,
      proxyMode: '',
      skipKernelVersionCheck: false,
      metrics: new Metrics(metricsData),
      log: silent,
      parts: [],
    });

  test.before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'joining-'));
    server = await startServer({ dialect, flags: FLAGS });
    admin = await connect({ file: server.kubeconfig, dialect, fieldManager: 'test' });
    const { connection } = await findConnection(identity, { file: server.kubeconfig });
    writeFileSync(file('join.conf'), await inviteNodes(admin, connection, identity, 60_000));
    agent = await start('one');
    await agent.registered();
    node = await connect({ file: file('agent.conf'), dialect });
  });
  test.after(async () => {
    await agent?.stop();
    await node?.close();
    await admin?.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is registered by a certificate of its own, which nobody else can read', async () => {
    const { status } = await admin.resource(nodes).get('one');
    assert.ok(status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'));
    const { current } = clientStore();
    assert.is(clientStore().read()?.parsed.subject, 'O=system:nodes\nCN=system:node:one');
    for (const each of [current, file('agent.conf')]) assert.is(statSync(each).mode & 0o777, 0o600, each);
    assert.not.ok(readFileSync(file('agent.conf'), 'utf8').includes('token'));
    assert.not.ok(existsSync(file(`pki/${identity.text('${nodeAgent}')}-client.key.tmp`)));
  });
  test('was approved and signed by the server', async () => {
    const { items } = await admin.resource(certificatesigningrequests).list();
    const [request] = items.filter(({ spec }) => spec.signerName === identity.text('${labelDomain}/kube-apiserver-client-kubelet'));
    assert.match(request?.spec.username ?? '', /^system:bootstrap:/);
    assert.equal(
      request?.status?.conditions?.map(({ type, reason }) => `${type} ${reason}`),
      ['Approved AutoApproved'],
    );
  });
  test('uses its certificate again when it starts again', async () => {
    const before = readFileSync(clientStore().current, 'utf8');
    await agent.stop();
    agent = await start('one');
    await agent.registered();
    assert.is(readFileSync(clientStore().current, 'utf8'), before);
  });
  test('may touch nothing of other nodes', async () => {
    await admin.resource(nodes).create({ metadata: { name: 'two' } });
    const leaseNamespace = identity.names.leaseNamespace as string;
    await admin
      .resource(leases)
      .in(leaseNamespace)
      .create({ metadata: { name: 'two' }, spec: { holderIdentity: 'two' } });
    await node.resource(nodes).mergePatch('one', { metadata: { labels: { own: 'yes' } } });
    const labels = { metadata: { labels: { theirs: 'no' } } };
    const attempts: [what: string, attempt: () => Promise<unknown>][] = [
      ['the other node', () => node.resource(nodes).mergePatch('two', labels)],
      ['its status', () => node.resource(nodes).subresource('status').mergePatch('two', labels)],
      ['its deletion', () => node.resource(nodes).delete('two')],
      ['its lease', () => node.resource(leases).in(leaseNamespace).mergePatch('two', labels)],
      ['a secret of nobody of its pods', () => node.resource(secrets).in(identity.names.systemNamespace).list()],
      ['a third node', () => node.resource(nodes).create({ metadata: { name: 'three' } })],
      [
        'labels that administrators keep',
        () =>
          node.resource(nodes).mergePatch('one', { metadata: { labels: { [identity.text('node-restriction.${labelDomain}/a')]: '1' } } }),
      ],
    ];
    for (const [what, attempt] of attempts) {
      const error: unknown = await attempt().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      assert.ok(isForbidden(error), `${what}: ${error}`);
    }
  });
  test('renews its certificate before its end, and goes on with the new one', async () => {
    const store = clientStore();
    const before = store.read();
    assert.ok(before);
    const clock = new TestClock(before.parsed.validFromDate.getTime());
    const rotation = new CertificateRotation({
      store,
      client: node,
      clock,
      random: () => 0.5,
      log: silent,
      wanted: () => ({
        content: { commonName: 'system:node:one', organizations: ['system:nodes'] },
        signerName: identity.text('${labelDomain}/kube-apiserver-client-kubelet'),
        purpose: 'client auth',
      }),
    });
    rotation.start();
    const life = before.parsed.validToDate.getTime() - before.parsed.validFromDate.getTime();
    // a timer of Node cannot wait that long at once
    clock.advance(life * 0.79);
    assert.is(rotation.current?.cert, before.cert);
    clock.advance(life * 0.02);
    await eventually(async () => rotation.current?.cert !== before.cert, 'there is no new certificate');
    await rotation.stop();
    const renewed = await connect({ file: file('agent.conf'), dialect });
    assert.is((await renewed.resource(nodes).get('one')).metadata.name, 'one');
    await renewed.close();
    const { items } = await admin.resource(certificatesigningrequests).list();
    assert.ok(items.some(({ spec }) => spec.username === 'system:node:one' && spec.signerName.endsWith('client-kubelet')));
  });
  test('gets no certificate of another node', async () => {
    const other = new CertificateStore(file('other'), 'other');
    const ended = new AbortController();
    const { requestCertificate } = await import('../../../runtime/node-agent/identity/request-certificate.ts');
    const { generateKeyPairSync } = await import('node:crypto');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const asked = requestCertificate(
      node,
      {
        content: { commonName: 'system:node:two', organizations: ['system:nodes'] },
        signerName: identity.text('${labelDomain}/kube-apiserver-client-kubelet'),
        purpose: 'client auth',
        key: privateKey,
      },
      ended.signal,
    ).then(
      () => 'issued',
      (error: Error) => error.message,
    );
    await sleep(1_000);
    ended.abort(new Error('enough'));
    assert.is.not(await asked, 'issued');
    assert.is(other.read(), undefined);
  });
  test('gets a serving certificate where somebody approves it', async () => {
    const signer = identity.text('${labelDomain}/kubelet-serving');
    await agent.stop();
    rmSync(file('pki/x'), { force: true });
    agent = await startServing();
    const requests = admin.resource(certificatesigningrequests);
    const pending = async () => (await requests.list()).items.find(({ spec }) => spec.signerName === signer);
    await eventually(async () => (await pending()) !== undefined, 'nobody asked for a serving certificate');
    const request = await pending();
    assert.is(request?.status?.conditions, undefined);
    const condition = { type: 'Approved', status: 'True', reason: 'Test', message: 'by a test' } as const;
    await requests.subresource('approval').mergePatch(request?.metadata.name as string, { status: { conditions: [condition] } });
    const store = new CertificateStore(file('pki'), identity.text('${nodeAgent}-server'));
    await eventually(async () => store.read() !== undefined, 'there is no serving certificate');
    assert.is(store.read()?.parsed.subjectAltName, 'DNS:one, IP Address:127.0.0.1');
  });

  async function startServing(): Promise<RunningAgent> {
    const { createServer } = await import('node:net');
    const port = await new Promise<number>((resolve) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port: free } = probe.address() as { port: number };
        probe.close(() => resolve(free));
      });
    });
    const read = await settings({
      dialect,
      main: { port, address: '127.0.0.1', healthzPort: 0, failSwapOn: false, serverTLSBootstrap: true },
    });
    return startAgent({
      read,
      identity,
      version: 'v1.32.0',
      rootDirectory: file('root'),
      certificateFolder: file('pki'),
      configurationFile: file('agent.conf'),
      bootstrapFile: '',
      nodeName: 'one',
      hostname: 'one',
      addresses: ['127.0.0.1'],
      labels: {},
      hasExternalProvider: false,
      proxyMode: '',
      skipKernelVersionCheck: false,
      metrics: new Metrics(metricsData),
      log: silent,
      parts: [],
    });
  }
  test.run();
}
