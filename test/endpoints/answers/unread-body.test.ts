/** Refusals that are sent while the body of the request is still on its way. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ClientAnswer } from '../../../runtime/connections/client-answer.ts';
import { ShutdownRefusal } from '../../../runtime/endpoints/answers/shutdown-refusal.ts';
import { sendUnread } from '../../../runtime/endpoints/answers/unread-body.ts';

const test = suite('refusals before the body');

type Refuse = (context: Context) => Promise<void>;
const ANSWER = Buffer.from('no\n');
const LONG = 60_000;

interface Exchange {
  readonly client: Socket;
  /** what the client got, up to the end of an answer or of the connection */
  readonly answer: string;
  /** resolves when the server is done with the request or its connection. @returns whether all of it was there */
  readonly isComplete: Promise<boolean>;
  /** resolves when the client hears that no more comes */
  readonly closed: Promise<unknown>;
}

/** Sends the head of a request of 100,000 bytes and half of these, and waits for the answer. */
async function withRefused(refuse: Refuse, use: (exchange: Exchange) => Promise<void>): Promise<void> {
  const { promise: isComplete, resolve } = Promise.withResolvers<boolean>();
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    for (const end of [req, req.socket]) end.once('close', () => resolve(req.complete));
    void refuse({ req, res, state: { info: { path: '/api' }, answer: new ClientAnswer(res) } } as unknown as Context);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  const closed = new Promise((ended) => client.once('end', ended).once('close', ended));
  try {
    client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(50_000)}`);
    let answer = '';
    const whole = new Promise<void>((got) => {
      client.on('data', (chunk) => {
        answer += chunk;
        if (/\r\n\r\n.*\n$/s.test(answer)) got();
      });
    });
    await Promise.race([whole, closed]);
    await use({ client, answer, isComplete, closed });
  } finally {
    client.destroy();
    server.close();
  }
}

async function shutdown(context: Context): Promise<void> {
  const refusal = new ShutdownRefusal(LONG);
  refusal.begin();
  await refusal.middleware(context, async () => {});
}
const refusals: [what: string, status: number, closes: boolean, refuse: Refuse][] = [
  ['at the end of a server', 429, true, shutdown],
  ['on a connection that is kept', 413, false, (context) => sendUnread(context, 413, 'text/plain', ANSWER, LONG)],
];
for (const [what, status, closes, refuse] of refusals)
  test(`${what}: the rest of the body is read before the connection is let go`, () =>
    withRefused(refuse, async ({ client, answer, isComplete, closed }) => {
      assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), answer);
      assert.is(/\r\nconnection: close\r\n/i.test(answer), closes);
      client.write('x'.repeat(50_000));
      assert.ok(await isComplete, 'the connection was closed before the body was there');
      if (closes) await closed;
    }));

test('a body that does not end is cut off', () =>
  withRefused(
    (context) => sendUnread(context, 413, 'text/plain', ANSWER, 1),
    async ({ isComplete, closed }) => {
      await closed;
      assert.not(await isComplete);
    },
  ));

test.run();
