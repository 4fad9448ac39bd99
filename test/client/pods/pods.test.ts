/** Commands, logs and requests that go through the server to a node agent. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocketServer } from 'ws';
import { nodes, pods } from '../../../generated/client/core/v1/index.ts';
import {
  ApiError,
  attach,
  type CommandOptions,
  ConnectionError,
  createClient,
  exec,
  fetchThrough,
  followLogs,
  isNotFound,
  logs,
} from '../../../generated/client/index.ts';
import { startAgentCluster } from '../../harness/agent-cluster.ts';

const { server, agent, ...cluster } = await startAgentCluster();
const certificateAuthority = readFileSync(path.join(server.directory, 'data/pki/ca.crt'), 'utf8');
const client = createClient({ server: server.url, certificateAuthority, token: server.tokens.admin }, { dialect: 'kubernetes' });
const inDefault = client.resource(pods).in('default');

const commands = suite('commands');
commands.before.each(() => {
  agent.misbehaviour = undefined;
  agent.asked.length = 0;
});
commands('give what they write, and how they end', async () => {
  assert.equal(await exec(inDefault, 'one', ['echo', 'hello', 'wörld']), { exitCode: 0, stdout: 'hello wörld\n', stderr: '' });
  assert.equal(await exec(inDefault, 'one', ['fail', '7']), { exitCode: 7, stdout: '', stderr: 'failing with 7\n' });
  assert.match(agent.asked[0]?.url ?? '', /command=echo&command=hello/);
});
commands('have arguments that are empty', async () => {
  assert.is((await exec(inDefault, 'one', ['echo', '', 'a', ''])).stdout, ' a \n');
});
commands('read what they are given to its end', async () => {
  assert.is((await exec(inDefault, 'one', ['cat'], { stdin: 'some words' })).stdout, 'some words');
  const pieces = Readable.from(['a', Buffer.from('b'), 'c'.repeat(100_000)]);
  assert.is((await exec(inDefault, 'one', ['count'], { stdin: pieces })).stdout.trim(), '100002');
  assert.is((await attach(inDefault, 'one', { stdin: 'over there' })).stdout, 'over there');
});
commands('write where they are told to, as fast as that takes it', async () => {
  let size = 0;
  let most = 0;
  let open = 0;
  const slow = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      most = Math.max(most, ++open);
      setImmediate(() => {
        open--;
        done();
      });
    },
  });
  const result = await exec(inDefault, 'one', ['flood', '8'], { stdout: slow });
  assert.equal([result, size, most], [{ exitCode: 0, stdout: '', stderr: '' }, 8 * 1024 * 1024, 1]);
});
commands('have terminals whose sizes change', async () => {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let shown = '';
  stdout.on('data', (chunk: Buffer) => {
    shown += chunk;
    if (shown.includes('"Width":100')) stdin.end();
  });
  async function* sizes() {
    yield { columns: 80, rows: 25 };
    yield { columns: 100, rows: 50 };
  }
  await exec(inDefault, 'one', ['sizes'], { stdin, stdout, tty: true, sizes: sizes() });
  assert.is(shown, '{"Width":80,"Height":25}{"Width":100,"Height":50}');
});
commands('end when they are told to', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const running = exec(inDefault, 'one', ['sleep'], { signal: controller.signal }).catch((error: unknown) => error);
  setTimeout(() => controller.abort(reason), 200);
  assert.is(await running, reason);
});
commands('say why there is none', async () => {
  const error = await exec(inDefault, 'gone', ['echo']).catch((thrown: unknown) => thrown);
  assert.ok(isNotFound(error), String(error));
  const lost = await exec(inDefault, 'lost', ['echo']).catch((thrown: unknown) => thrown);
  assert.instance(lost, ApiError);
  agent.misbehaviour = (_request, socket) => {
    socket.destroy();
    return true;
  };
  const broken = await exec(inDefault, 'one', ['echo']).catch((thrown: unknown) => thrown);
  assert.instance(broken, ApiError);
});
commands('keep only so much of what they write', async () => {
  const error = await exec(inDefault, 'one', ['flood', '2'], { maxOutput: 1_000_000 }).catch((thrown: unknown) => thrown);
  assert.instance(error, RangeError);
});
commands('pass on what is wrong with their input before anybody runs them', async () => {
  const failure = new Error('no more');
  const stdin = new Readable({ read() {} });
  const running = exec(inDefault, 'one', ['cat'], { stdin }).catch((error: unknown) => error);
  stdin.destroy(failure);
  assert.is(await running, failure);
});
commands('pass on what is wrong with their input and output', async () => {
  const failure = new Error('no more');
  const stdin = new Readable({ read() {} });
  setTimeout(() => stdin.destroy(failure), 100);
  assert.is(await exec(inDefault, 'one', ['cat'], { stdin }).catch((error: unknown) => error), failure);
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done(failure) }).on('error', () => {});
  assert.is(await exec(inDefault, 'one', ['echo', 'x'], { stdout }).catch((error: unknown) => error), failure);
});
commands.run();

const reading = suite('logs');
reading('are read whole, or from their end', async () => {
  assert.is(await logs(inDefault, 'one'), 'first line\nsecond line\n');
  assert.is(await logs(inDefault, 'one', { tailLines: 1, container: 'main' }), 'second line\n');
  const error = await logs(inDefault, 'two').catch((thrown: unknown) => thrown);
  assert.match(String(error), /a container name must be specified/);
});
reading('are followed line by line', async () => {
  const controller = new AbortController();
  const lines = followLogs(inDefault, 'one', { signal: controller.signal });
  const seen = [(await lines.next()).value, (await lines.next()).value];
  agent.addLine('thírd line');
  seen.push((await lines.next()).value);
  assert.equal(seen, ['first line', 'second line', 'thírd line']);
  const next = lines.next().catch((error: unknown) => error);
  const reason = new Error('enough');
  controller.abort(reason);
  assert.is(await next, reason);
});
reading.run();

const proxied = suite('requests through the server');
proxied('reach what is behind it', async () => {
  const answer = await fetchThrough(client.resource(nodes), 'near', '/stats?x=1', { method: 'POST', body: 'hello' });
  assert.equal([answer.status, await answer.text()], [200, 'agent: POST /stats?x=1']);
  const gone = await fetchThrough(client.resource(nodes), 'nobody', '/');
  assert.is(gone.status, 404);
});
for (const elsewhere of ['/../../near/log', '../..', '/a/../../x', '/%2e%2e/x', '/.%2E/..\\x'])
  proxied(`do not lead elsewhere by ${elsewhere}`, () =>
    assert.throws(
      () => fetchThrough(client.resource(nodes), 'near', elsewhere),
      (error: unknown) => error instanceof TypeError,
    ),
  );
proxied('may go up within what is behind it', async () => {
  const answer = await fetchThrough(client.resource(nodes), 'near', 'a/b/../stats');
  assert.is(await answer.text(), 'agent: GET /a/stats');
});
proxied.run();

const hostile = suite('servers of commands that misbehave');
/** A server that switches, and then does what a test wants. */
async function against(
  act: (socket: import('ws').WebSocket) => void,
  protocol = 'v5.channel.k8s.io',
  options: CommandOptions = {},
): Promise<unknown> {
  const listener = http.createServer();
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => protocol });
  listener.on('upgrade', (request, socket, head) => sockets.handleUpgrade(request, socket, head, act));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const place = createClient({ server: `http://127.0.0.1:${(listener.address() as AddressInfo).port}` }, { dialect: 'kubernetes' });
  try {
    return await exec(place.resource(pods).in('default'), 'x', ['echo'], options).catch((error: unknown) => error);
  } finally {
    place.close();
    for (const socket of sockets.clients) socket.terminate();
    listener.close();
  }
}
const outcome = Buffer.concat([Buffer.from([3]), Buffer.from('{"status":"Success"}')]);
const rows: [name: string, act: (socket: import('ws').WebSocket) => void, message: RegExp, protocol?: string][] = [
  ['say nothing of the end', (socket) => socket.close(1000), /without saying how it ended/],
  ['end without a word', (socket) => socket.terminate(), /the connection broke|without a word/],
  ['choose another protocol', () => {}, /the server answers the handshake wrongly, with the protocol "other"/, 'other'],
  ['mask their frames', (socket) => rawSocket(socket).write(Buffer.from([0x82, 0x81, 0, 0, 0, 0, 1])), /a frame that is none/],
  ['send frames of no kind', (socket) => rawSocket(socket).write(Buffer.from([0x8b, 0])), /a frame of an unknown kind/],
  ['send long control frames', (socket) => rawSocket(socket).write(Buffer.from([0x89, 126, 0, 200])), /a control frame that is none/],
  ['send more than a message may have', (socket) => rawSocket(socket).write(Buffer.from([0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0])), /too large/],
  [
    'begin a message within another one',
    (socket) => rawSocket(socket).write(Buffer.from([0x02, 0, 0x82, 0])),
    /a message within another one|another one/,
  ],
];
const rawSocket = (socket: import('ws').WebSocket): NodeJS.WritableStream =>
  (socket as unknown as { _socket: NodeJS.WritableStream })._socket;
for (const [name, act, message, protocol] of rows)
  hostile(name, async () => {
    const error = await against(act, protocol);
    assert.instance(error, ConnectionError);
    assert.match((error as Error).message, message);
  });
hostile('send messages in pieces, and questions in between', async () => {
  const said = await against((socket) => {
    const long = Buffer.concat([Buffer.from([1]), Buffer.from('x'.repeat(70_000))]);
    socket.send(long.subarray(0, 40_000), { fin: false, binary: true });
    socket.ping('there?');
    socket.on('pong', (data) => {
      assert.is(data.toString(), 'there?');
      socket.send(long.subarray(40_000), { fin: true, binary: true });
      socket.send(outcome);
      socket.close(1000);
    });
  });
  assert.equal(said, { exitCode: 0, stdout: 'x'.repeat(70_000), stderr: '' });
});
for (const [channel, name] of [
  [1, 'stdout'],
  [2, 'stderr'],
] as const)
  hostile(`write what nobody takes from ${name}, which is given up with the signal`, async () => {
    const [controller, begun, ended] = [new AbortController(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const write = (socket: import('ws').WebSocket): void => {
      socket.on('error', () => {}).on('close', () => ended.resolve());
      socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from('hello')]));
    };
    const stuck = new Writable({ write: () => begun.resolve() });
    const said = against(write, undefined, { [name]: stuck, signal: controller.signal });
    await begun.promise;
    const reason = new Error('given up');
    controller.abort(reason);
    assert.is(await said, reason);
    await ended.promise;
  });
hostile.after(async () => {
  client.close();
  await cluster.stop();
});
hostile.run();
