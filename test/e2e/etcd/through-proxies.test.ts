/** An etcd that is reached by a proxy alone. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConnectProxy, KonnectivityServer, socketPath } from '../../egress/proxies.ts';
import { etcdOrSkip, startEtcd } from '../../harness/etcd.ts';
import { eventually } from '../../harness/eventually.ts';
import { OpenSsl } from '../../harness/openssl.ts';
import { refusedStart } from '../../harness/server.ts';
import { CONFIGMAPS, overEtcd, startOver } from './over-etcd.ts';

await etcdOrSkip();
const openssl = new OpenSsl();
const issuer = openssl.authority('etcd');
const member = openssl.leaf({ subject: '/CN=etcd', issuer, usage: 'serverAuth,clientAuth', host: '127.0.0.1' });
const shown = openssl.leaf({ subject: '/CN=apiserver', issuer });

/** Where no etcd is: the proxy leads elsewhere. */
const ADDRESS = 'etcd.example.com:2379';
/** As that of the member's certificate. */
const OF_CERTIFICATE = '127.0.0.1:1';
const selections = (connection: object): string => {
  const file = path.join(openssl.folder, `${Math.random()}.yaml`);
  const egressSelections = [{ name: 'etcd', connection }];
  writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.k8s.io/v1beta1', kind: 'EgressSelectorConfiguration', egressSelections }));
  return `--egress-selector-config-file=${file}`;
};

const test = suite('etcd through proxies');

test('with TLS inside of the tunnel serves as any other, and is back when the proxy is', async () => {
  const etcd = await startEtcd({
    tls: {
      ...member,
      authorityFile: issuer.certificateFile,
      clientAuthorityFile: issuer.certificateFile,
      client: shown,
    },
  });
  const at = socketPath();
  let proxy = await new ConnectProxy((address) => (address === OF_CERTIFICATE ? etcd.port : undefined)).listen(at);
  const files = [`--etcd-cafile=${issuer.certificateFile}`, `--etcd-certfile=${shown.certificateFile}`, `--etcd-keyfile=${shown.keyFile}`];
  const way = selections({ proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: at } } });
  const over = await startOver({ address: `https://${OF_CERTIFICATE}` }, [...files, way]);
  assert.is((await over.client.post(CONFIGMAPS, { metadata: { name: 'first' } })).status, 201);
  assert.ok(proxy.asked.includes(OF_CERTIFICATE));
  await proxy.stop();
  proxy = await new ConnectProxy((address) => (address === OF_CERTIFICATE ? etcd.port : undefined)).listen(at);
  await eventually(
    'writes go on',
    async () => (await over.client.post(CONFIGMAPS, { metadata: { generateName: 'later-' } })).status === 201,
  );
  over.client.close();
  assert.is(await over.server.stop(), 0, over.server.log());
  await proxy.stop();
  await etcd.stop();
});
test('by gRPC serves watches, too', async () => {
  const etcd = await startEtcd();
  const at = socketPath();
  const proxy = await new KonnectivityServer((address) => (address === ADDRESS ? etcd.port : undefined)).listen(at);
  const over = await startOver({ address: `http://${ADDRESS}` }, [
    selections({ proxyProtocol: 'GRPC', transport: { uds: { udsName: at } } }),
  ]);
  const watch = await over.client.watch(`${CONFIGMAPS}?watch=1`);
  const data = { text: 'x'.repeat(500_000) };
  for (const name of ['a', 'b', 'c']) assert.is((await over.client.post(CONFIGMAPS, { metadata: { name }, data })).status, 201);
  const names: string[] = [];
  while (!names.includes('c')) names.push((await watch.next()).object.metadata.name);
  assert.equal(
    names.filter((name) => name.length === 1),
    ['a', 'b', 'c'],
  );
  watch.close();
  over.client.close();
  assert.is(await over.server.stop(), 0, over.server.log());
  assert.is(proxy.open, 0);
  proxy.stop();
  await etcd.stop();
});
test('that the proxy does not reach is told', async () => {
  const proxy = await new ConnectProxy(() => undefined).listen();
  const way = selections({ proxyProtocol: 'HTTPConnect', transport: { tcp: { url: `http://127.0.0.1:${proxy.port}` } } });
  const { message } = await refusedStart({
    dialect: 'kubernetes',
    flags: overEtcd({ address: `http://${ADDRESS}` }, [way, '--storage-initialization-timeout=2s']),
  });
  assert.match(message, /the etcd of --etcd-servers \(http:\/\/etcd\.example\.com:2379\) cannot be used/);
  await proxy.stop();
});
test.run();
