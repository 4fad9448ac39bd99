/** Tunnels through proxies of each kind, to a server that answers with what it gets. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../generated/identity.ts';
import { metricsData } from '../../generated/metrics.ts';
import { createFileKinds } from '../../runtime/assembly/setup/file-kinds.ts';
import { createIdentity } from '../../runtime/contract/identity.ts';
import { createEgressSelector, type EgressSelector } from '../../runtime/egress/egress-selector.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { eventually } from '../harness/eventually.ts';
import { OpenSsl } from '../harness/openssl.ts';
import { ConnectProxy, KonnectivityServer, type Lead, socketPath } from './proxies.ts';

const openssl = new OpenSsl();
const identity = createIdentity(identityData, 'kubernetes');
const GREETING = 'who is there?';
/** Speaks first, and then repeats. */
const echo = createServer((socket) => {
  socket.on('error', () => {});
  socket.write(GREETING);
  socket.pipe(socket);
});
echo.listen(0, '127.0.0.1');
await once(echo, 'listening');
const echoPort = (echo.address() as AddressInfo).port;
const TARGET = { host: '10.1.2.3', port: 443 };
const lead = (address: string): number | undefined =>
  address.startsWith('10.1.2.3:') || address.startsWith('[fd00::1]:') ? echoPort : undefined;

const issuer = openssl.authority('egress');
const serving = openssl.leaf({ subject: '/CN=proxy', issuer, usage: 'serverAuth', host: '127.0.0.1' });
const shown = openssl.leaf({ subject: '/CN=apiserver', issuer });
const stranger = openssl.leaf({ subject: '/CN=stranger', issuer: openssl.authority('another') });

let files = 0;
async function selector(selections: unknown, metrics?: Metrics): Promise<EgressSelector> {
  const file = path.join(openssl.folder, `egress-${files++}.yaml`);
  writeFileSync(
    file,
    JSON.stringify({ apiVersion: 'apiserver.k8s.io/v1beta1', kind: 'EgressSelectorConfiguration', egressSelections: selections }),
  );
  const made = await createEgressSelector({ file, fileKinds: async () => createFileKinds(identity, () => false), log: { warn: () => {} } });
  if (metrics !== undefined) made.countIn(metrics);
  return made;
}

const cluster = (connection: unknown) => [{ name: 'cluster', connection }];
const overHttp = (transport: unknown) => cluster({ proxyProtocol: 'HTTPConnect', transport });
const overGrpc = (udsName: string) => cluster({ proxyProtocol: 'GRPC', transport: { uds: { udsName } } });
const tlsConfig = { caBundle: issuer.certificateFile, clientCert: shown.certificateFile, clientKey: shown.keyFile };

interface RunningProxy {
  readonly asked: readonly string[];
  stop(): unknown;
}

/** Each with the selections that lead through it. */
const proxies: readonly [name: string, start: (lead: Lead) => Promise<readonly [RunningProxy, unknown]>][] = [
  [
    'http',
    async (lead) => {
      const proxy = await new ConnectProxy(lead).listen();
      return [proxy, overHttp({ tcp: { url: `http://127.0.0.1:${proxy.port}` } })];
    },
  ],
  [
    'https, which wants a certificate',
    async (lead) => {
      const tls = { cert: serving.certificate, key: serving.key, ca: issuer.certificate, requestCert: true, rejectUnauthorized: true };
      const proxy = await new ConnectProxy(lead, tls).listen();
      return [proxy, overHttp({ tcp: { url: `https://127.0.0.1:${proxy.port}`, tlsConfig } })];
    },
  ],
  [
    'http at a socket',
    async (lead) => {
      const at = socketPath();
      return [await new ConnectProxy(lead).listen(at), overHttp({ uds: { udsName: at } })];
    },
  ],
  [
    'gRPC',
    async (lead) => {
      const at = socketPath();
      return [await new KonnectivityServer(lead).listen(at), overGrpc(at)];
    },
  ],
];

/** @param size bytes that come. @returns the bytes, and whether the other side has ended */
async function received(connection: Duplex, size: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of connection.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length >= size) break;
  }
  return Buffer.concat(chunks);
}

const MINUTE = 60_000;
const open = async (egress: EgressSelector, target = TARGET, signal = AbortSignal.timeout(MINUTE)): Promise<Duplex> => {
  const connection = await egress.tunnel('cluster')?.(target, signal);
  if (connection === undefined) throw new Error('it leads nowhere');
  return connection;
};
const problem = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing is wrong',
    (error: Error) => error.message,
  );

const test = suite('tunnels');

for (const [name, start] of proxies) {
  test(`through ${name} carry bytes in both directions, and what the server says first`, async () => {
    const [proxy, selections] = await start(lead);
    const egress = await selector(selections);
    const connection = await open(egress);
    const bytes = randomBytes(3_000_000);
    connection.write(bytes);
    const all = await received(connection, GREETING.length + bytes.length);
    assert.is(all.subarray(0, GREETING.length).toString(), GREETING);
    assert.ok(all.subarray(GREETING.length).equals(bytes));
    assert.equal(proxy.asked, ['10.1.2.3:443']);
    connection.destroy();
    egress.close();
    await proxy.stop();
  });
  test(`through ${name} lead to addresses of IPv6`, async () => {
    const [proxy, selections] = await start(lead);
    const egress = await selector(selections);
    const connection = await open(egress, { host: 'fd00::1', port: 80 });
    assert.equal(proxy.asked, ['[fd00::1]:80']);
    connection.destroy();
    egress.close();
    await proxy.stop();
  });
  test(`through ${name} end where the server ends`, async () => {
    const short = createServer((socket) => socket.on('error', () => {}).end('bye'));
    short.listen(0, '127.0.0.1');
    await once(short, 'listening');
    const [proxy, selections] = await start(() => (short.address() as AddressInfo).port);
    const egress = await selector(selections);
    const connection = await open(egress);
    assert.is(String(await received(connection, Number.POSITIVE_INFINITY)), 'bye');
    if (!connection.closed) await once(connection, 'close');
    egress.close();
    short.close();
    await proxy.stop();
  });
  test(`that ${name} refuses are told, and counted`, async () => {
    const metrics = new Metrics(metricsData);
    const [proxy, selections] = await start(lead);
    const egress = await selector(selections, metrics);
    assert.match(
      await problem(open(egress, { host: '10.9.9.9', port: 1 })),
      /^proxy error from .* while dialing 10\.9\.9\.9:1: (?:it answered with status 403|no agent is there)$/,
    );
    (await open(egress)).destroy();
    egress.close();
    await proxy.stop();
    const later = await selector(selections, metrics);
    assert.match(await problem(open(later)), /^dialing proxy ".*" failed: /);
    later.close();
    const { body: text } = await metrics.text();
    const [protocol, transport] = [name === 'gRPC' ? 'grpc' : 'http_connect', name === 'gRPC' || name.includes('socket') ? 'uds' : 'tcp'];
    const labels = `protocol="${protocol}",transport="${transport}"`;
    for (const line of [
      `apiserver_egress_dialer_dial_start_total{${labels}} 3`,
      `apiserver_egress_dialer_dial_duration_seconds_count{${labels}} 1`,
      `apiserver_egress_dialer_dial_failure_count{protocol="${protocol}",stage="proxy",transport="${transport}"} 1`,
      `apiserver_egress_dialer_dial_failure_count{protocol="${protocol}",stage="connect",transport="${transport}"} 1`,
    ])
      assert.ok(text.includes(`${line}\n`), `${line} of\n${text.match(/^apiserver_egress.*$/gm)?.join('\n')}`);
  });
}

test('are given up where a proxy says nothing in time', async () => {
  const silent = createServer((socket: Socket) => socket.on('error', () => {}).resume());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const egress = await selector(overHttp({ tcp: { url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` } }));
  assert.match(await problem(open(egress, TARGET, AbortSignal.timeout(50))), /while dialing 10\.1\.2\.3:443: context deadline exceeded$/);
  silent.close();
});
test('of gRPC are given up, which the proxy is told', async () => {
  const at = socketPath();
  const proxy = await new KonnectivityServer(lead).listen(at);
  proxy.silent = true;
  const egress = await selector(overGrpc(at));
  assert.match(await problem(open(egress, TARGET, AbortSignal.timeout(50))), /while dialing 10\.1\.2\.3:443: context deadline exceeded$/);
  await eventually('the dial is closed', () => proxy.heard.includes(5) && proxy.open === 0);
  egress.close();
  proxy.stop();
});
test('of gRPC whose connection is destroyed are closed by the proxy', async () => {
  const at = socketPath();
  const proxy = await new KonnectivityServer(lead).listen(at);
  const egress = await selector(overGrpc(at));
  const connection = await open(egress);
  connection.destroy();
  await eventually('the connection is closed', () => proxy.heard.includes(2) && proxy.open === 0);
  egress.close();
  proxy.stop();
});
test('of gRPC that nobody reads keep the server waiting', async () => {
  let sent = 0;
  const flood = createServer((socket) => {
    socket.on('error', () => {});
    const more = (): void => {
      while (sent < 64_000_000) {
        sent += 100_000;
        if (!socket.write(Buffer.alloc(100_000))) return void socket.once('drain', more);
      }
    };
    more();
  });
  flood.listen(0, '127.0.0.1');
  await once(flood, 'listening');
  const at = socketPath();
  const proxy = await new KonnectivityServer(() => (flood.address() as AddressInfo).port).listen(at);
  const egress = await selector(overGrpc(at));
  const connection = await open(egress);
  let before = -1;
  await eventually('it sends nothing more', async () => {
    const isSame = before === sent;
    before = sent;
    return isSame && sent > 0;
  });
  assert.ok(sent < 32_000_000, `${sent} bytes`);
  assert.ok(connection.readableLength < 2_000_000, `${connection.readableLength} bytes`);
  connection.destroy();
  egress.close();
  proxy.stop();
  flood.close();
});
test('of gRPC fail with the proxy', async () => {
  const at = socketPath();
  const proxy = await new KonnectivityServer(lead).listen(at);
  const egress = await selector(overGrpc(at));
  const connection = await open(egress);
  connection.resume();
  const failed = once(connection, 'error');
  proxy.stop();
  assert.match(((await failed)[0] as Error).message, /^rpc error: code = /);
  egress.close();
});
test('of gRPC carry HTTP as sockets do', async () => {
  const { createServer: createHttp } = await import('node:http');
  const backend = createHttp((asked, answer) => answer.end(`${asked.method} ${asked.url}`));
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  const at = socketPath();
  const proxy = await new KonnectivityServer(() => (backend.address() as AddressInfo).port).listen(at);
  const egress = await selector(overGrpc(at));
  const connection = await open(egress);
  const asked = request({ createConnection: () => connection, path: '/a', timeout: MINUTE }).end();
  const [answer] = await once(asked, 'response');
  assert.is(String(await received(answer as Duplex, 6)), 'GET /a');
  connection.destroy();
  egress.close();
  proxy.stop();
  backend.closeAllConnections();
  backend.close();
});
test('to a proxy whose certificate is not believed are not made', async () => {
  const proxy = await new ConnectProxy(lead, { cert: serving.certificate, key: serving.key }).listen();
  const egress = await selector(
    overHttp({ tcp: { url: `https://127.0.0.1:${proxy.port}`, tlsConfig: { ...tlsConfig, caBundle: stranger.certificateFile } } }),
  );
  assert.match(await problem(open(egress)), /^dialing proxy "127\.0\.0\.1:\d+" failed: /);
  assert.equal(proxy.asked, []);
  await proxy.stop();
});

const direct = { proxyProtocol: 'Direct' };
test('are chosen by names in any case; without a proxy there is none', async () => {
  const uds = { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: '/nowhere' } } };
  const egress = await selector([
    { name: 'ControlPlane', connection: uds },
    { name: 'etcd', connection: direct },
  ]);
  assert.equal(
    (['cluster', 'controlplane', 'etcd'] as const).map((name) => egress.tunnel(name) !== undefined),
    [false, true, false],
  );
});
const wrong: readonly [name: string, selections: unknown, said: RegExp][] = [
  ['another name', [{ name: 'leader', connection: direct }], /egressSelections\[0\]\.name: Unsupported value: "leader"/],
  ['a name twice', [1, 2].map(() => ({ name: 'etcd', connection: direct })), /Duplicate value/],
  ['no protocol', cluster({ proxyProtocol: '' }), /proxyProtocol/],
  [
    'a certificate that is not there',
    overHttp({ tcp: { url: 'https://a', tlsConfig: { ...tlsConfig, clientCert: '/none' } } }),
    /\/none cannot be read: there is no such file or folder/,
  ],
  [
    'a bundle without certificates',
    overHttp({ tcp: { url: 'https://a', tlsConfig: { ...tlsConfig, caBundle: shown.keyFile } } }),
    /holds no certificate in PEM form/,
  ],
  [
    'a key of another certificate',
    overHttp({ tcp: { url: 'https://a', tlsConfig: { ...tlsConfig, clientKey: stranger.keyFile } } }),
    /tls: private key does not match public key/,
  ],
];
for (const [name, selections, said] of wrong)
  test(`are refused for ${name}`, async () => assert.match(await problem(selector(selections)), said));

test.after(() => void echo.close());
test.run();
