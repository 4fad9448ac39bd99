/** Members that listen on the file of a socket, with TLS and without. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EtcdClient, type EtcdOptions } from '../../../../runtime/storage/etcd/client/etcd-client.ts';
import { etcdOrSkip, startEtcd } from '../../../harness/etcd.ts';
import { freePorts } from '../../../harness/free-ports.ts';
import { OpenSsl } from '../../../harness/openssl.ts';
import { failure, NotedWatch, put } from './asked.ts';

await etcdOrSkip();
const ssl = new OpenSsl();
const authority = ssl.authority('etcd');
const { certificateFile, keyFile } = ssl.leaf({ subject: '/CN=etcd', issuer: authority, usage: 'serverAuth', host: '127.0.0.1' });
const folder = mkdtempSync(path.join(tmpdir(), 'etcd-socket-'));
const [port, securePort] = (await freePorts(2)) as [number, number];
const plainFile = path.join(folder, 'etcd.sock');
// its name is the one that the certificate has
const secureFile = path.join(folder, '127.0.0.1:2379');
const [plain, secure] = await Promise.all([
  startEtcd({ port, flags: [`--listen-client-urls=http://127.0.0.1:${port},unix://${plainFile}`] }),
  startEtcd({
    port: securePort,
    tls: { certificateFile, keyFile, authorityFile: authority.certificateFile },
    flags: [`--listen-client-urls=https://127.0.0.1:${securePort},unixs://${secureFile}`],
  }),
]);

const sockets = suite('etcd at the file of a socket');
sockets.after(async () => {
  await Promise.all([plain.stop(), secure.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function withClient<T>(options: Omit<EtcdOptions, 'requestTimeout'>, use: (client: EtcdClient) => Promise<T>): Promise<T> {
  const client = new EtcdClient({ requestTimeout: 2_000, ...options });
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

const { certificate: ca } = authority;
const reached: [name: string, options: Omit<EtcdOptions, 'requestTimeout'>][] = [
  ['without TLS', { addresses: [`unix://${plainFile}`] }],
  ['without TLS, named from where the process works', { addresses: [`unix:${path.relative(process.cwd(), plainFile)}`] }],
  ['with TLS', { addresses: [`unixs://${secureFile}`], ca }],
  ['with TLS for its files, whatever the address says', { addresses: [`unix://${secureFile}`], ca }],
  ['behind one that is not there', { addresses: [`unix://${folder}/none`, `unix://${plainFile}`] }],
];
for (const [name, options] of reached)
  sockets(name, () =>
    withClient(options, async (client) => {
      assert.ok((await put(client, { '/a': '1' })).succeeded);
      const noted = new NotedWatch(client, { key: '/a' });
      await noted.until(() => noted.created > 0);
      noted.watch.cancel();
    }),
  );

sockets('a file that is not there is told', () =>
  withClient({ addresses: [`unix://${folder}/none`] }, async (client) =>
    assert.match((await failure(client.range({ key: '/a' }))).message, /unix:.*none: .*ENOENT/),
  ),
);

sockets('without TLS one that has it cannot be reached', () =>
  withClient({ addresses: [`unix://${secureFile}`] }, async (client) => {
    const error = await failure(client.range({ key: '/a' }));
    assert.is(error.isUnavailable, true, error.message);
  }),
);

sockets.run();
