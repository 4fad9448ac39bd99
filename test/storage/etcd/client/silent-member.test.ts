/** Members that take connections and say nothing on them: a client that is closed, or has given them up, keeps none of these. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EtcdClient, type EtcdOptions } from '../../../../runtime/storage/etcd/client/etcd-client.ts';
import { eventually } from '../../../harness/eventually.ts';
import { OpenSsl } from '../../../harness/openssl.ts';
import { failure, put } from './asked.ts';

const ssl = new OpenSsl();
const authority = ssl.authority('etcd');
const { certificate, key } = ssl.leaf({ subject: '/CN=etcd', issuer: authority, usage: 'serverAuth', host: '127.0.0.1' });

interface Silent {
  readonly port: number;
  readonly connections: ReadonlySet<Socket>;
  stop(): void;
}

/** @param server reads what comes, and says nothing besides what its protocol says by itself */
async function listening(server: Server): Promise<Silent> {
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket.on('error', () => {}));
    socket.once('close', () => connections.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    stop() {
      for (const socket of connections) socket.destroy();
      server.close();
    },
  };
}

const plain = () => createServer((socket) => socket.resume());
const secure = () =>
  createTlsServer({ cert: certificate, key, ALPNProtocols: ['h2'] }, (socket) => socket.on('error', () => {}).resume()).on(
    'tlsClientError',
    () => {},
  );

const silents: [name: string, scheme: string, make: () => Server][] = [
  ['without TLS', 'http', plain],
  ['before the handshake of TLS', 'https', plain],
  ['behind the handshake of TLS', 'https', secure],
];
const test = suite('members of etcd that say nothing');
for (const [name, scheme, make] of silents) {
  const options = (port: number): EtcdOptions => ({
    addresses: [`${scheme}://127.0.0.1:${port}`],
    requestTimeout: 500,
    ca: authority.certificate,
  });
  test(`${name}: a client that is closed keeps no connection`, async () => {
    const silent = await listening(make());
    const client = new EtcdClient(options(silent.port));
    try {
      const asked = failure(put(client, { '/a': '1' }));
      await eventually('a connection', () => silent.connections.size > 0);
      client.close();
      await asked;
      const began = performance.now();
      await eventually('the end of the connection', () => silent.connections.size === 0);
      assert.ok(performance.now() - began < 3_000);
    } finally {
      client.close();
      silent.stop();
    }
  });
  test(`${name}: a client that asks again and again has one connection at most`, async () => {
    const silent = await listening(make());
    const client = new EtcdClient(options(silent.port));
    try {
      for (let i = 0; i < 4; i++) await failure(client.range({ key: '/a' }));
      await eventually('the end of the connections', () => silent.connections.size <= 1);
    } finally {
      client.close();
      silent.stop();
    }
  });
}
test.run();
