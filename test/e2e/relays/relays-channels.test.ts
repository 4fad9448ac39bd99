/** Commands over WebSocket, translated for an agent that knows SPDY alone: channels, their ends, and both sides misbehaving. */
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { CONTROL, controlFrame, dataFrame, FIN, uint32 } from '../../../runtime/relay/spdy-frames.ts';
import { startAgentCluster } from '../../harness/agent-cluster.ts';
import { authority } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { attacksOn } from '../../harness/hostile.ts';

const { server, agent, pod, ...cluster } = await startAgentCluster({ flags: ['--kubelet-timeout=2s'] });
const test = suite('commands over WebSocket');
const attack = attacksOn(server, test);
test.before.each(() => {
  agent.misbehaviour = undefined;
  agent.asked.length = 0;
});
test.after(() => cluster.stop());

const VERSION_5 = 'v5.channel.k8s.io';
const SUCCESS = '{"metadata":{},"status":"Success"}';
const MEBIBYTE = 1024 * 1024;

function open(path: string, protocols: readonly string[] = [VERSION_5]): WebSocket {
  const headers = { authorization: `Bearer ${server.tokens.admin}` };
  const socket = new WebSocket(`${server.url.replace('https', 'wss')}${pod(path)}`, [...protocols], { headers, ca: authority(server) });
  socket.on('error', () => {});
  return socket;
}

/** What the server said, `CHANNEL TEXT`, messages of one channel in turn put together; resolves when it has closed. */
async function conversation(socket: WebSocket): Promise<string[]> {
  const seen: { channel: number; text: string }[] = [];
  socket.on('message', (data: Buffer) => {
    const [channel = -1, text] = [data[0], data.toString('utf8', 1)];
    const last = seen.at(-1);
    if (last?.channel === channel) last.text += text;
    else seen.push({ channel, text });
  });
  await once(socket, 'close');
  return seen.map(({ channel, text }) => `${channel} ${text}`);
}

function say(socket: WebSocket, channel: number, text: string | number[]): void {
  socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text as string)]));
}

const until = (condition: () => boolean): Promise<void> => eventually(String(condition), condition);

attack('input ends where the client says so', async () => {
  const socket = open('one/exec?command=cat&stdin=1&stdout=1');
  const seen = conversation(socket);
  await once(socket, 'open');
  assert.is(socket.protocol, VERSION_5);
  say(socket, 0, 'some ');
  say(socket, 0, 'words');
  say(socket, 255, [0]);
  say(socket, 0, 'too late');
  assert.equal(await seen, ['1 some words', `3 ${SUCCESS}`]);
  const [asked] = agent.asked;
  assert.equal([asked?.method, asked?.url], ['POST', '/exec/default/one/main?command=cat&input=1&output=1']);
  assert.is(asked?.headers['sec-websocket-key'], undefined);
  assert.is(asked?.headers['x-stream-protocol-version'], 'v5.channel.k8s.io, v4.channel.k8s.io');
});
attack('a terminal hears of its sizes, and has one output', async () => {
  const socket = open('one/exec?command=sizes&stdin=1&stdout=1&stderr=1&tty=1');
  const seen = conversation(socket);
  let shown = '';
  socket.on('message', (data: Buffer) => {
    shown += data.toString('utf8', 1);
  });
  await once(socket, 'open');
  say(socket, 4, '{"Width":80,"Height":25}\n');
  say(socket, 4, '{"Width":100,"Height":50}\n');
  await until(() => shown.includes('"Height":50}\n'));
  say(socket, 255, [0]);
  assert.equal(await seen, ['1 {"Width":80,"Height":25}\n{"Width":100,"Height":50}\n', `3 ${SUCCESS}`]);
});
/** Requests that were translated. */
async function translated(code: number): Promise<number> {
  const { text } = await cluster.client.get('/metrics');
  return Number(new RegExp(`^apiserver_stream_translator_requests_total\\{code="${code}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}
test('are counted by what came of them', async () => {
  const counts = async (): Promise<number[]> => Promise.all([200, 403, 500].map(translated));
  const before = await counts();
  const changes = async (): Promise<number[]> => (await counts()).map((count, index) => count - (before[index] as number));
  const reaches = async (expected: number[]): Promise<void> => {
    await eventually(`it comes to ${expected}`, async () => String(await changes()) === String(expected));
  };
  await conversation(open('one/exec?command=echo&stdout=1'));
  await reaches([1, 0, 0]);
  await conversation(open('one/exec?command=fail&command=7&stderr=1&stdout=1'));
  await reaches([2, 0, 0]);
  agentSays(answer('403 No', status403));
  await conversation(open('one/exec?command=echo&stdout=1'));
  await reaches([2, 1, 0]);
  agentSays('garbage');
  await conversation(open('one/exec?command=echo&stdout=1'));
  await reaches([2, 1, 1]);
});
attack('exit codes, and errors beside the output', async () => {
  const [first, error, outcome = ''] = await conversation(open('one/exec?command=fail&command=7&stderr=1&stdout=1'));
  assert.equal([first, error], ['1 ', '2 failing with 7\n']);
  const { status, reason, details } = JSON.parse(outcome.slice(2));
  assert.equal([status, reason, details.causes], ['Failure', 'NonZeroExitCode', [{ reason: 'ExitCode', message: '7' }]]);
});
test('nothing is translated where the feature is off', async () => {
  const plain = await startAgentCluster({ flags: ['--feature-gates=TranslateStreamCloseWebsocketRequests=false'] });
  const headers = { authorization: `Bearer ${plain.server.tokens.admin}` };
  const url = `${plain.server.url.replace('https', 'wss')}${plain.pod('one')}/exec?command=echo&stdout=1`;
  const socket = new WebSocket(url, [VERSION_5], { headers, ca: authority(plain.server) });
  const [, refusal] = await once(socket, 'unexpected-response');
  assert.is(refusal.statusCode, 403);
  assert.is(plain.agent.asked[0]?.headers['sec-websocket-protocol'], VERSION_5);
  socket.on('error', () => {}).terminate();
  await plain.stop();
});
attack('older versions are the agent’s own matter', async () => {
  const socket = open('one/exec?command=echo&command=hi&stdout=1', ['v4.channel.k8s.io']);
  assert.equal(await conversation(socket), ['1 hi\n', `3 ${SUCCESS}`]);
  assert.is(agent.asked[0]?.method, 'GET');
});

const accepted = (stream: number): Buffer => controlFrame(CONTROL.synReply, uint32(stream));
const reset = (stream: number): Buffer => controlFrame(CONTROL.rstStream, Buffer.concat([uint32(stream), uint32(5)]));
const SWITCH = `HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n`;
const ACCEPTED = Buffer.concat([Buffer.from(SWITCH), accepted(1), accepted(3)]);
/** Says this, and ends. Stream 1 is that of errors, 3 that of output. */
function agentSays(...parts: readonly (string | Buffer)[]): void {
  agent.misbehaviour = (_request, socket) => {
    socket.end(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
    return true;
  };
}

const status403 = JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'not you', code: 403 });
const answer = (head: string, body: string): string => `HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const outcomes: [name: string, says: (string | Buffer)[], message: RegExp][] = [
  [
    'a refusal',
    [answer('500 Oh', 'container not found\n')],
    /^Internal error occurred: unable to upgrade connection: container not found$/,
  ],
  ['a Status', [answer('403 No', status403)], /^not you$/],
  ['no switch', [answer('200 OK', 'fine')], /unable to upgrade connection: fine$/],
  ['no HTTP', ['garbage'], /error sending request: Post "https:.*": malformed HTTP response/],
  ['nothing', [], /error sending request: Post "https:.*": (unexpected EOF|read: connection reset by peer)$/],
  ['a version that nobody offered', [SWITCH.replace('v4', 'v1')], /the agent chose the protocol "v1\.channel/],
  ['no version', [SWITCH.replace(/X-Stream.*\r\n(?=\r\n)/, '')], /the agent chose the protocol ""/],
  ['no frames', [SWITCH, 'garbage without end, garbage without end'], /unexpected EOF|malformed SPDY/],
  ['frames of another version', [SWITCH, Buffer.from([0x80, 9, 0, 1, 0, 0, 0, 0])], /malformed SPDY: a frame of another version/],
  [
    'a header block that is too long',
    [SWITCH, Buffer.from([0x80, 3, 0, 2, 0, 0xff, 0xff, 0xff])],
    /malformed SPDY: a control frame is too long/,
  ],
  [
    'a frame without its number',
    [SWITCH, controlFrame(CONTROL.rstStream, Buffer.from([1]))],
    /malformed SPDY: a control frame is too short/,
  ],
  ['no stream', [SWITCH, accepted(1), reset(3)], /the agent has refused the stream stdout/],
  ['an end too early', [ACCEPTED, dataFrame(3, Buffer.from('half'))], /error reading from error stream: unexpected EOF/],
  [
    'an outcome that is none',
    [ACCEPTED, dataFrame(1, Buffer.from('?'), FIN), reset(3)],
    /error stream protocol error: invalid character '\?' looking for beginning of value in "\?"/,
  ],
  ['an outcome without end', [ACCEPTED, dataFrame(1, Buffer.alloc(MEBIBYTE, '{'))], /error stream protocol error: the message is too long/],
];
for (const [name, says, message] of outcomes)
  attack(`the agent says ${name}`, async () => {
    agentSays(...says);
    const said = (await conversation(open('one/exec?command=x&stdout=1'))).at(-1) ?? '';
    assert.match(said, /^3 /);
    const outcome = JSON.parse(said.slice(2));
    assert.equal([outcome.status, outcome.kind], ['Failure', undefined]);
    assert.match(outcome.message, message);
  });
attack('agents may tear down what they have said all of, ask for streams, and send what nobody knows', async () => {
  const strange = [controlFrame(4, Buffer.alloc(12)), controlFrame(CONTROL.synStream, Buffer.concat([uint32(2), Buffer.alloc(16)]))];
  const said = dataFrame(1, Buffer.from(SUCCESS));
  agentSays(
    ACCEPTED,
    ...strange,
    dataFrame(99, Buffer.from('for nobody'), FIN),
    dataFrame(3, Buffer.from('out')),
    said,
    reset(3),
    reset(1),
  );
  assert.equal(await conversation(open('one/exec?command=x&stdout=1')), ['1 out', `3 ${SUCCESS}`]);
  agentSays(ACCEPTED, said);
  assert.equal(await conversation(open('one/exec?command=x&stdout=1')), ['1 ', `3 ${SUCCESS}`]);
});
attack('an agent that asks for answers and reads none is cut off', async () => {
  agent.misbehaviour = (_request, socket) => {
    socket.pause();
    socket.write(ACCEPTED);
    pour(socket, Buffer.concat(Array.from({ length: 10_000 }, () => controlFrame(CONTROL.ping, uint32(2)))));
    return true;
  };
  const said = (await conversation(open('one/exec?command=x&stdout=1'))).at(-1) ?? '';
  assert.match(said, /^3 .*the agent reads no answers/);
});
function pour(socket: Duplex, bytes: Buffer): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

const silences: [name: string, says: Buffer[]][] = [
  ['agents that answer nothing go with their client', []],
  ['streams that nobody takes go with their client', [ACCEPTED]],
  ['streams that never end go with their client', [ACCEPTED, dataFrame(3, Buffer.from('some')), dataFrame(3, Buffer.from('more'))]],
];
for (const [name, says] of silences)
  attack(name, async () => {
    agent.disconnect();
    await until(() => agent.connections === 0);
    agent.misbehaviour = (_request, socket) => {
      for (const said of says) socket.write(said);
      // The end of a connection from which nobody reads is not seen.
      socket.resume();
      return true;
    };
    const socket = open('one/exec?command=x&stdout=1');
    await once(socket, 'message');
    await until(() => agent.asked.length === 1);
    agent.misbehaviour = undefined;
    assert.equal(await conversation(open('one/exec?command=echo&command=x&stdout=1')), ['1 x\n', `3 ${SUCCESS}`]);
    await until(() => agent.connections === 1);
    socket.terminate();
    await until(() => agent.connections === 0);
  });

const nonsense: [name: string, message: Buffer | string, ends: boolean][] = [
  ['nothing', '', false],
  ['a channel that nobody knows', Buffer.from([9, 1, 2, 3]), false],
  ['output', Buffer.from([1, 1, 2, 3]), false],
  ['sizes for no terminal', Buffer.from([4, 123]), false],
  ['the end of output', Buffer.from([255, 1]), false],
  ['the end of nothing', Buffer.from([255]), true],
  ['the end of a channel that nobody knows', Buffer.from([255, 9]), true],
  ['the end of two', Buffer.from([255, 0, 0]), true],
  ['a message that is too long', Buffer.alloc(5 * MEBIBYTE), true],
];
for (const [name, message, ends] of nonsense)
  attack(`the client says ${name}`, async () => {
    const before = agent.connections;
    const socket = open('one/exec?command=cat&stdin=1&stdout=1');
    const seen = conversation(socket);
    await once(socket, 'open');
    socket.send(message);
    if (!ends) {
      say(socket, 0, 'after it');
      say(socket, 255, [0]);
      assert.equal(await seen, ['1 after it', `3 ${SUCCESS}`]);
    } else await seen;
    await until(() => agent.connections <= before);
  });

for (const [name, message] of [
  ['the end of two channels', Buffer.from([255, 0, 0])],
  ['a message that is too long', Buffer.alloc(5 * MEBIBYTE)],
] as const)
  attack(`a client that says ${name} is cut off at once, though the agent says nothing and it does not answer itself`, async () => {
    const before = agent.connections;
    agent.misbehaviour = (_request, socket) => {
      socket.resume();
      return true;
    };
    const socket = open('one/exec?command=cat&stdin=1&stdout=1');
    await once(socket, 'message');
    await until(() => agent.asked.length === 1);
    say(socket, 0, 'before it');
    socket.send(message);
    socket.pause();
    await until(() => agent.connections <= before);
    socket.terminate();
  });

/** Bytes that the server holds more than before, while `attempt` goes on. */
async function growth(attempt: () => Promise<void>): Promise<number> {
  const before = await server.residentBytes();
  await attempt();
  return (await server.residentBytes()) - before;
}
/** Reads what takes longer than the server needs for a client that stands still. */
async function anotherClient(): Promise<void> {
  const socket = open('one/exec?command=flood&command=40&stdout=1');
  socket.on('message', () => {});
  await once(socket, 'close');
}
function assertBounded(grown: number): void {
  assert.ok(grown < 80 * MEBIBYTE, `${Math.round(grown / MEBIBYTE)} MiB more`);
}
attack('a client that does not read holds the agent back, and misses nothing', async () => {
  const socket = open('one/exec?command=flood&command=100&stdout=1');
  let bytes = 0;
  let last = '';
  socket.on('message', (data: Buffer) => {
    if (data[0] === 1) bytes += data.length - 1;
    else last = data.toString('utf8', 1);
  });
  await once(socket, 'open');
  socket.pause();
  assertBounded(await growth(anotherClient));
  assert.ok(bytes < 100 * MEBIBYTE);
  socket.resume();
  await once(socket, 'close');
  assert.equal([bytes, last], [100 * MEBIBYTE, SUCCESS]);
});
attack('a command that does not read holds the client back', async () => {
  const before = agent.connections;
  const socket = open('one/exec?command=sleep&stdin=1&stdout=1');
  await once(socket, 'message');
  // a machine that is busy with what follows would keep the server from reaching the agent in its time
  await until(() => agent.asked.length > 0);
  let unsent = 100;
  const message = Buffer.alloc(MEBIBYTE);
  for (let i = unsent; i > 0; i--) socket.send(message, () => unsent--);
  assertBounded(await growth(anotherClient));
  assert.ok(unsent > 30, `${unsent} are not sent`);
  socket.terminate();
  agent.disconnect();
  await until(() => agent.connections <= before);
});
attack('a command that is slow to begin gets all of its input', async () => {
  const socket = open('one/exec?command=count&stdin=1&stdout=1');
  const seen = conversation(socket);
  await once(socket, 'open');
  for (let i = 0; i < 20; i++) say(socket, 0, 'x'.repeat(MEBIBYTE));
  say(socket, 255, [0]);
  assert.equal(await seen, [`1 ${20 * MEBIBYTE}\n`, `3 ${SUCCESS}`]);
});
test.run();
