import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as requestHttps } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiApplication } from '../../runtime/chain/application.ts';
import { type AnswerEnd, answerOf, ClientAnswer } from '../../runtime/connections/client-answer.ts';
import { upgradeProtocol } from '../../runtime/connections/upgrade.ts';
import { ensureCertificates } from '../../runtime/server/certificates/certificates.ts';
import { type Listener, listen } from '../../runtime/server/listener/listen.ts';
import { eventually } from '../harness/eventually.ts';
import { quiet } from '../harness/quiet.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'upgrade-'));
const certificates = await ensureCertificates({ folder, names: ['127.0.0.1'], administrator: 'admin' });
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';

/** What waits for an answer to `/held`, first come first. */
const held: Held[] = [];
interface Held {
  release(): void;
  /** resolves when the server's end of the connection has closed */
  readonly closed: Promise<unknown>;
}
/** Requests so far. */
let begun = 0;
/** Ends of the answers to `/told`. */
const ends: AnswerEnd[] = [];

/** `/switch` echoes what comes after the switch, `/held` waits until it is released, everything else tells what was sent. */
async function answer(context: Context): Promise<void> {
  context.state = { answer: new ClientAnswer(context.res) };
  begun++;
  if (context.path === '/held') {
    const { promise, resolve } = Promise.withResolvers<void>();
    const closed = new Promise((ended) => context.req.socket.once('close', ended));
    held.push({ release: resolve, closed });
    await promise;
    if (!context.res.destroyed) answerOf(context).send(200, 'text/plain', 'held');
  } else if (context.path === '/switch' && upgradeProtocol(context.req) === 'echo') {
    const { socket, head } = answerOf(context).switchProtocols();
    socket.write(SWITCH);
    socket.write(head);
    socket.pipe(socket);
  } else {
    if (context.path === '/told') answerOf(context).whenOver((end) => ends.push(end));
    const chunks = await Array.fromAsync(context.req);
    answerOf(context).send(200, 'text/plain', `${upgradeProtocol(context.req)}:${Buffer.concat(chunks)}`);
  }
}

let listener: Listener;
const test = suite('upgrades');
test.before(async () => {
  const app = new ApiApplication();
  app.use(answer);
  const tls = { ...certificates.serving, clientAuthorities: [] };
  listener = await listen({ handler: app.callback(), tls, address: '127.0.0.1', port: 0 });
});
test('that are refused are over once they are answered', async () => {
  const socket = await open('GET /told HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
  socket.resume();
  await once(socket, 'close');
  await eventually('the answer is over', () => ends.length > 0);
  assert.equal(ends, ['whole']);
});
test.after(async () => {
  await listener.close(0);
  rmSync(folder, { recursive: true });
});

async function open(text: string): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port: listener.port, ca: certificates.authority }).on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write(text);
  return socket.setEncoding('utf8');
}

/** All until the server closes. */
async function readAll(socket: TLSSocket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  if (!socket.closed) await new Promise((resolve) => socket.on('close', resolve));
  return text;
}

function head(method: string, target: string, ...lines: string[]): string {
  return `${[`${method} ${target} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', ...lines].join('\r\n')}\r\n\r\n`;
}

test('the handler has the connection, with what came behind the head', async () => {
  const socket = await open(`${head('GET', '/switch', 'Upgrade: Echo')}first`);
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text === `${SWITCH}first`) socket.write(' second');
    if (text === `${SWITCH}first second`) socket.end();
  }
  assert.is(text, `${SWITCH}first second`);
});

const answered: [name: string, request: string, body: string][] = [
  ['another protocol than the handler speaks', head('GET', '/switch', 'Upgrade: h2c'), 'h2c:'],
  ['a path that knows none', head('GET', '/else', 'Upgrade: echo'), 'echo:'],
  ['with a body', `${head('POST', '/else', 'Upgrade: echo', 'Content-Length: 4')}body`, 'echo:body'],
  ['with chunks', `${head('POST', '/else', 'Upgrade: echo', 'Transfer-Encoding: chunked')}4\r\nbody\r\n0\r\n\r\n`, 'echo:body'],
];
for (const [name, request, body] of answered)
  test(`is answered as any request, then the connection closes: ${name}`, async () => {
    const text = await readAll(await open(request));
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(text, /\r\nConnection: close\r\n/i);
    assert.ok(text.endsWith(`\r\n\r\n${body}`), text);
  });

test('a request that asks for no switch has none', async () => {
  const agentless = requestHttps({ host: '127.0.0.1', port: listener.port, path: '/switch', ca: certificates.authority, agent: false });
  const [response] = await once(agentless.end(), 'response');
  assert.is(Buffer.concat(await Array.fromAsync(response)).toString(), ':');
});

test('a switch behind a request that is not answered yet is refused', async () => {
  const before = begun;
  const socket = await open(`GET /held HTTP/1.1\r\nHost: x\r\n\r\n${head('GET', '/switch', 'Upgrade: echo')}`);
  const text = readAll(socket);
  await quiet(() => begun);
  held.shift()?.release();
  await quiet(() => socket.bytesRead);
  socket.end();
  assert.is(await text, '');
  assert.is(begun, before + 1);
});

test('connections that break before, in and after the switch harm nobody', async () => {
  for (const target of ['/held', '/switch']) {
    const below = connectTcp(listener.port, '127.0.0.1').on('error', () => {});
    const socket = connectTls({ socket: below, host: '127.0.0.1', ca: certificates.authority }).on('error', () => {});
    const before = begun;
    socket.write(`${head('GET', target, 'Upgrade: echo')}${'x'.repeat(100_000)}`);
    while (begun === before) await quiet(() => begun);
    below.resetAndDestroy();
  }
  const [broken] = held.splice(0);
  // A server that reads no more of a connection hears of its end when it writes.
  broken?.release();
  await broken?.closed;
  assert.match(await readAll(await open(head('GET', '/else', 'Upgrade: echo'))), /200 OK/);
});

test('the server waits for connections that were taken over, then cuts them', async () => {
  const app = new ApiApplication();
  app.use(answer);
  const own = await listen({
    handler: app.callback(),
    tls: { ...certificates.serving, clientAuthorities: [] },
    address: '127.0.0.1',
    port: 0,
  });
  const socket = connectTls({ host: '127.0.0.1', port: own.port, ca: certificates.authority }).on('error', () => {});
  socket.write(head('GET', '/switch', 'Upgrade: echo'));
  await once(socket, 'data');
  mock.timers.enable({ apis: ['setTimeout'] });
  const closed = own.close(300);
  // their time begins when no request is under way any more
  await new Promise(setImmediate);
  mock.timers.tick(299);
  socket.write('still there');
  const [echo] = await once(socket, 'data');
  assert.is(String(echo), 'still there');
  mock.timers.tick(1);
  await closed;
  mock.timers.reset();
});

test.run();
