/** TLS to etcd: authorities that are right and wrong, certificates that clients show, and such as change. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EtcdClient, type EtcdError, type EtcdOptions } from '../../../../runtime/storage/etcd/client/etcd-client.ts';
import { etcdOrSkip, startEtcd } from '../../../harness/etcd.ts';
import { OpenSsl } from '../../../harness/openssl.ts';
import { failure, put } from './asked.ts';

await etcdOrSkip();
const ssl = new OpenSsl();
const [authority, stranger] = [ssl.authority('etcd'), ssl.authority('stranger')];
const server = ssl.leaf({ subject: '/CN=etcd', issuer: authority, usage: 'serverAuth,clientAuth', host: '127.0.0.1' });
const shown = ssl.leaf({ subject: '/CN=reader', issuer: authority });
const unknown = ssl.leaf({ subject: '/CN=reader', issuer: stranger });
const etcd = await startEtcd({
  tls: {
    certificateFile: server.certificateFile,
    keyFile: server.keyFile,
    clientAuthorityFile: authority.certificateFile,
    authorityFile: authority.certificateFile,
    client: shown,
  },
});

async function withClient<T>(options: Partial<EtcdOptions>, use: (client: EtcdClient) => Promise<T>): Promise<T> {
  const client = new EtcdClient({ addresses: [etcd.address], requestTimeout: 2_000, ...options });
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

const { certificate, key } = shown;
const tls = suite('TLS to etcd');
tls.after(() => etcd.stop());

tls('with its authority and a certificate that it knows', () =>
  withClient({ ca: authority.certificate, certificate: Buffer.from(certificate), key }, async (client) => {
    assert.ok((await put(client, { '/a': '1' })).succeeded);
  }),
);
const wrong: [name: string, options: Partial<EtcdOptions>, message: RegExp][] = [
  ['another authority', { ca: stranger.certificate, certificate, key }, /certificate/],
  ['the authorities of the machine', { certificate, key }, /certificate/],
  ['a certificate that it does not know', { ca: authority.certificate, certificate: unknown.certificate, key: unknown.key }, /./],
  ['no certificate', { ca: authority.certificate }, /./],
  ['no TLS', { addresses: [`http://127.0.0.1:${etcd.port}`] }, /./],
  ['another name', { addresses: [`https://localhost:${etcd.port}`], ca: authority.certificate, certificate, key }, /localhost/],
  ['no PEM', { ca: 'none', certificate: 'none', key: 'none' }, /PEM/],
  ['a key without a certificate', { ca: authority.certificate, key }, /certificate/],
];
// each is tried for a while: all at the same time
const failures = wrong.map(([, options]) => withClient(options, (client) => failure(put(client, { '/b': '1' }))));
for (const [i, [name, , message]] of wrong.entries())
  tls(`with ${name} there is no connection, and nothing is done`, async () => {
    const error = (await failures[i]) as EtcdError;
    assert.match(error.message, message);
    assert.equal([error.isUnavailable, error.outcomeUnknown], [true, false], error.message);
  });
tls('certificates are read again for a new connection, and until there is one', async () => {
  let now = { ca: stranger.certificate, ...unknown };
  const read = { ca: () => now.ca, certificate: () => now.certificate, key: () => now.key };
  await withClient(read, async (client) => {
    await failure(client.range({ key: '/a' }));
    const waiting = client.range({ key: '/a' });
    now = { ca: authority.certificate, ...shown };
    assert.is((await waiting).count, 1);
  });
});
tls('a file that cannot be read is told', () =>
  withClient(
    {
      ca: () => {
        throw new Error('no such file: ca.crt');
      },
    },
    async (client) => assert.match((await failure(client.range({ key: '/a' }))).message, /no such file: ca\.crt/),
  ),
);
tls.run();
