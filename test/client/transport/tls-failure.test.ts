import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plainMessage } from '../../../runtime/client/transport/tls-failure.ts';
import { PeerConnection } from '../../../runtime/outbound/exchange.ts';
import { dial } from '../../../runtime/relay/dial.ts';

const test = suite('what is said of TLS that fails');

test('holds nothing of OpenSSL but its reason', () => {
  const raw = '80EB06B1:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl/ssl/record.c:84:\n';
  assert.is(plainMessage(new Error(`write EPROTO ${raw}`)), 'tls: wrong version number');
  assert.is(plainMessage(new Error('error:1E08010C:DECODER routines::unsupported')), 'tls: unsupported');
  assert.is(plainMessage(new Error('socket hang up')), 'socket hang up');
});

test('is plain where a peer answers without TLS', async () => {
  const peer = createServer((socket) => void socket.on('error', () => {}).end('HTTP/1.0 400 Bad Request\r\n\r\n'));
  peer.listen(0, '127.0.0.1');
  await once(peer, 'listening');
  const { port } = peer.address() as AddressInfo;
  const connection = new PeerConnection({ server: `https://127.0.0.1:${port}/` });
  try {
    const dialled = await dial({ host: '127.0.0.1', port, tls: {} }, 10_000).catch((error: Error) => error.message);
    assert.is(dialled, 'tls: wrong version number');
    const sent = await connection.exchange({ method: 'GET', timeout: 10_000, maxBytes: 1_000 }).catch((error: Error) => error.message);
    assert.is(sent, `GET https://127.0.0.1:${port}/: tls: wrong version number`);
  } finally {
    connection.close();
    peer.close();
  }
});

test.run();
