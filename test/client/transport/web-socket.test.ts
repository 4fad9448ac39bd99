/** Whether the other side is still there, over a WebSocket. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocketServer } from 'ws';
import { Transport } from '../../../runtime/client/transport/transport.ts';
import { handshake, WebSocketConnection } from '../../../runtime/client/transport/web-socket.ts';

const PROTOCOL = 'test';

/**
 * A connection whose other side sends a message at once. One that answers pings sends another one somewhat later, and closes.
 * @param autoPong whether it answers pings. @param use is told how many pings have come
 */
async function connected(autoPong: boolean, use: (connection: WebSocketConnection, pings: () => number) => Promise<void>): Promise<void> {
  let pings = 0;
  const server = http.createServer().listen(0, '127.0.0.1');
  const sockets = new WebSocketServer({ server, autoPong });
  sockets.on('connection', (socket) => {
    socket.send('first');
    socket.on('ping', () => pings++);
    if (autoPong) setTimeout(() => socket.send('second', () => socket.close()), 400);
  });
  await once(server, 'listening');
  const transport = new Transport({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const { headers, check } = handshake([PROTOCOL]);
  try {
    const switched = await transport.switchProtocols({ method: 'GET', path: '/', headers });
    if (!('head' in switched)) throw new Error('it does not switch');
    check(switched as typeof switched & { socket: Duplex });
    await use(new WebSocketConnection(switched as never, { pingInterval: 50 }), () => pings);
  } finally {
    await transport.close();
    for (const client of sockets.clients) client.terminate();
    server.close();
  }
}

const test = suite('the client of a WebSocket');
test('knows that a server is there while whoever reads takes their time', () =>
  connected(true, async (connection) => {
    const read: string[] = [];
    for await (const message of connection.messages()) {
      read.push(message.toString());
      await sleep(600);
    }
    assert.equal(read, ['first', 'second']);
  }));
test('ends the connection to one that answers nothing', () =>
  connected(false, async (connection, pings) => {
    const read = async (): Promise<void> => {
      for await (const message of connection.messages()) assert.is(message.toString(), 'first');
    };
    const error = await read().catch((thrown: unknown) => thrown);
    assert.match((error as Error).message, 'the server says nothing any more');
    assert.is(pings(), 1);
  }));
test.run();
