import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isClientGone, whenClientGone } from '../../runtime/connections/client-gone.ts';
import { drained } from '../../runtime/connections/drain.ts';

const test = suite('clients that are gone');

interface Protocol {
  readonly name: string;
  listen(handler: (response: ServerResponse) => void): Server;
  /** Asks, and leaves without reading when `leave` is called. */
  ask(port: number): { leave(): void };
}

const protocols: readonly Protocol[] = [
  {
    name: 'HTTP/1.1',
    listen: (handler) => http.createServer((_, response) => handler(response)),
    ask(port) {
      const request = http.get({ port, host: '127.0.0.1' });
      request.on('error', () => {});
      return { leave: () => void request.destroy() };
    },
  },
  {
    name: 'HTTP/2',
    listen: (handler) => http2.createServer((_, response) => handler(response as unknown as ServerResponse)),
    ask(port) {
      const session = http2.connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 0 } });
      const stream = session.request({ ':path': '/' });
      for (const each of [session, stream]) each.on('error', () => {});
      return { leave: () => session.destroy() };
    },
  },
];

async function withResponse(
  { listen, ask }: Protocol,
  body: (response: ServerResponse, leave: () => void) => Promise<void>,
): Promise<void> {
  const arrived = Promise.withResolvers<ServerResponse>();
  const server = listen(arrived.resolve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { leave } = ask((server.address() as AddressInfo).port);
  try {
    await body(await arrived.promise, leave);
  } finally {
    leave();
    server.close();
  }
}

for (const protocol of protocols) {
  test(`${protocol.name}: are known to be, before and after they leave`, () =>
    withResponse(protocol, async (response, leave) => {
      assert.not(isClientGone(response));
      let told = 0;
      whenClientGone(response, () => void told++);
      whenClientGone(response, () => assert.unreachable('it was taken away'))();
      leave();
      await once(response, 'close');
      assert.ok(isClientGone(response));
      assert.is(told, 1);
      whenClientGone(response, () => void told++);
      assert.is(told, 2);
    }));

  test(`${protocol.name}: nobody waits for them to take more`, () =>
    withResponse(protocol, async (response, leave) => {
      response.on('error', () => {});
      const bytes = Buffer.alloc(4 * 1024 * 1024);
      while (response.write(bytes));
      const waiting = drained(response, response);
      leave();
      await waiting;
      response.write(bytes);
      await drained(response, response);
    }));
}

test.run();
