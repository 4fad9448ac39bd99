import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextRound } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ANONYMOUS } from '../../runtime/authentication/identities.ts';
import { withLoneStreams } from '../../runtime/chain/lone-streams.ts';
import type { User } from '../../runtime/contract/request-context.ts';

const test = suite('lone streams');

const ALICE: User = { name: 'alice', uid: '', groups: ['system:authenticated'], extra: {} };
const NAMELESS: User = { name: 'eve', uid: '', groups: ['system:unauthenticated'], extra: {} };
const later = async (user: User): Promise<User> => user;
const refuse = (): never => {
  throw new Error('unknown');
};

/** How an authenticator answers, the version of HTTP, and whether the connection ends. */
const rows: readonly (readonly [name: string, answer: () => User | Promise<User>, version: number, ends: boolean])[] = [
  ['somebody known keeps the connection', () => ALICE, 2, false],
  ['so does somebody who is known later', () => later(ALICE), 2, false],
  ['nobody loses it', () => ANONYMOUS, 2, true],
  ['so does somebody in the group of nobody', () => NAMELESS, 2, true],
  ['and whoever turns out to be nobody', () => later(ANONYMOUS), 2, true],
  ['wrong credentials lose it', refuse, 2, true],
  ['also where that is known later', () => Promise.reject(new Error('unknown')), 2, true],
  ['HTTP/1.1 keeps it', () => ANONYMOUS, 1, false],
  ['with wrong credentials too', refuse, 1, false],
];
for (const [name, answer, httpVersionMajor, ends] of rows)
  test(name, async () => {
    let closed = 0;
    const stream = { session: { close: () => closed++ } };
    const request = { httpVersionMajor, stream } as unknown as IncomingMessage;
    const { authenticate } = withLoneStreams({ authenticate: answer } as Parameters<typeof withLoneStreams>[0]);
    const outcome = async () => authenticate(request, '/', () => undefined, {} as never);
    const expected = await Promise.resolve()
      .then(answer)
      .catch(({ message }) => message);
    assert.equal(await outcome().catch(({ message }) => message), expected);
    await nextRound();
    assert.is(closed, ends ? 1 : 0);
  });

test('requests that were sent at once are all answered before the connection ends', async () => {
  const { authenticate } = withLoneStreams({ authenticate: () => ANONYMOUS } as Parameters<typeof withLoneStreams>[0]);
  const server = createServer((request, response) => {
    authenticate(request as unknown as IncomingMessage, '/', () => undefined, {} as never);
    response.end('answered');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const over = once(client, 'close');
  await once(client, 'remoteSettings');
  const answers = await Promise.all(Array.from({ length: 30 }, () => text(client.request({ ':path': '/' }))));
  assert.equal(new Set(answers), new Set(['answered']));
  await over;
  server.close();
});

test('a stream that is gone has no connection to end', () => {
  const { authenticate } = withLoneStreams({ authenticate: () => ANONYMOUS } as Parameters<typeof withLoneStreams>[0]);
  const request = { httpVersionMajor: 2, stream: {} } as unknown as IncomingMessage;
  assert.is(
    authenticate(request, '/', () => undefined, {} as never),
    ANONYMOUS,
  );
});

test.run();
