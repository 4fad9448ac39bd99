import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { type CommandStreams, offersCommandChannels, relayCommand } from '../../runtime/relay/command-channels.ts';
import { SpdyConnection, type SpdyStream } from '../harness/spdy.ts';
import { identity } from '../kinds/context.ts';
import { Backend, front, options, outgoing } from './backend.ts';

const V5 = 'v5.channel.k8s.io';
const ALL: CommandStreams = { stdin: true, stdout: true, stderr: true, tty: false };

const test = suite('commands over a WebSocket');

type Command = (streams: Map<string, SpdyStream>) => void;

/** What a client of the command hears: `channel text` for each message that says something. */
async function run(
  streams: CommandStreams,
  wanted: number,
  command: Command,
  speak: (client: WebSocket) => void = () => {},
): Promise<string[]> {
  const lines = `Upgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${V5}`;
  const agent = await new Backend()
    .switches((socket, head) => {
      if (head.length > 0) socket.unshift(head);
      const open = new Map<string, SpdyStream>();
      new SpdyConnection(socket, (stream) => {
        open.set(stream.headers.streamtype ?? '', stream);
        if (open.size === wanted) command(open);
      });
    }, lines)
    .start();
  const served = await front((context) => relayCommand(context, outgoing(agent.target), options(), { streams, text: identity.text }));
  const client = new WebSocket(`ws://127.0.0.1:${served.port}/`, [V5]);
  const said: string[] = [];
  client.on('message', (data: Buffer) => {
    if (data.length > 1) said.push(`${data[0]} ${data.subarray(1)}`);
  });
  await once(client, 'open');
  speak(client);
  await once(client, 'close');
  await served.stop();
  await agent.stop();
  return said;
}
const end = (open: Map<string, SpdyStream>, outcome: string): void => {
  open.get('stdout')?.end();
  open.get('stderr')?.end();
  open.get('error')?.end(outcome);
};
test('show what the command says, each on its channel, and how it ended', async () => {
  const said = await run(ALL, 4, (open) => {
    open.get('stdout')?.write('out');
    open.get('stderr')?.write('err');
    setImmediate(() => end(open, ''));
  });
  assert.equal(said.slice(0, 2).sort(), ['1 out', '2 err']);
  assert.equal(said.slice(2), ['3 {"metadata":{},"status":"Success"}']);
});
test('give the command what the client says, until it ends that', async () => {
  const said = await run(
    ALL,
    4,
    (open) => {
      const stdin = open.get('stdin') as SpdyStream;
      void Array.fromAsync(stdin).then((all) => {
        open.get('stdout')?.end(`got ${Buffer.concat(all)}`);
        open.get('stderr')?.end();
        open.get('error')?.end();
      });
    },
    (client) => {
      client.send(Buffer.concat([Buffer.from([0]), Buffer.from('hello')]));
      client.send(Buffer.from([255, 0]));
    },
  );
  assert.equal(said, ['1 got hello', '3 {"metadata":{},"status":"Success"}']);
});
test('tell the exit code', async () => {
  const failure = { status: 'Failure', reason: 'NonZeroExitCode', details: { causes: [{ reason: 'ExitCode', message: '7' }] } };
  const [outcome = ''] = await run({ ...ALL, stdin: false, stderr: false }, 2, (open) => end(open, JSON.stringify(failure)));
  assert.match(outcome, /^3 .*command terminated with exit code 7/);
});
test('a terminal has one output, and a size', async () => {
  const types: string[] = [];
  await run({ ...ALL, tty: true }, 4, (open) => {
    types.push(...open.keys());
    end(open, '');
  });
  assert.equal(types, ['error', 'stdin', 'stdout', 'resize']);
});
test('say on the channel of errors that no agent is there', async () => {
  const served = await front((context) =>
    relayCommand(context, outgoing({ host: '127.0.0.1', port: 1 }, { path: '/exec' }), options(), { streams: ALL, text: identity.text }),
  );
  const client = new WebSocket(`ws://127.0.0.1:${served.port}/`, [V5]);
  const said: string[] = [];
  client.on('message', (data: Buffer) => void said.push(String(data.subarray(1))));
  await once(client, 'close');
  await served.stop();
  assert.match(
    said.at(-1) ?? '',
    /error sending request: Post \\"https:\/\/127\.0\.0\.1:1\/exec\\": dial tcp 127\.0\.0\.1:1: connect: connection refused/,
  );
});
/** What a client is told last when the agent says this in place of a switch, or with it; and what the agent was asked. */
async function told(says: string, path = '/exec?command=a&output=1', headers = ['Host', 'x']): Promise<{ outcome: string; asked: string }> {
  let asked = '';
  const agent = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      asked = bytes.toString('latin1');
      socket.end(says);
    });
  });
  await once(agent.listen(0, '127.0.0.1'), 'listening');
  const target = { host: '127.0.0.1', port: (agent.address() as AddressInfo).port };
  const served = await front((context) =>
    relayCommand(context, outgoing(target, { path, headers }), options(), { streams: ALL, text: identity.text }),
  );
  const client = new WebSocket(`ws://127.0.0.1:${served.port}/`, [V5]);
  let outcome = '';
  client.on('message', (data: Buffer) => {
    outcome = String(data.subarray(1)).replaceAll(String(target.port), 'PORT');
  });
  await once(client, 'close');
  await served.stop();
  agent.close();
  return { outcome, asked: asked.replaceAll(String(target.port), 'PORT') };
}
test('ask the agent in the name of this server alone', async () => {
  const headers = ['Host', 'x', 'User-Agent', 'me', 'Cookie', 'a=b', 'Origin', 'https://c', 'X-Forwarded-For', '10.0.0.1'];
  const { asked } = await told('HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n', '/exec', headers);
  const lines = ['X-Stream-Protocol-Version: v5.channel.k8s.io', 'X-Stream-Protocol-Version: v4.channel.k8s.io'];
  const framing = ['Connection: Upgrade', 'Upgrade: SPDY/3.1', 'Content-Length: 0'];
  assert.is(asked, ['POST /exec HTTP/1.1', 'Host: 127.0.0.1:PORT', ...lines, ...framing, '', ''].join('\r\n'));
});
const ADDRESS = '"https://127.0.0.1:PORT/exec?command=a&output=1"';
const refusals: [name: string, says: string, message: string][] = [
  ['closes the connection', '', `error sending request: Post ${ADDRESS}: unexpected EOF`],
  [
    'sends them elsewhere',
    'HTTP/1.1 302 Found\r\nLocation: https://elsewhere/?a=b\r\nContent-Length: 3\r\n\r\nabc',
    'error sending request: Post "https://elsewhere/?a=b": redirect not allowed',
  ],
  ['sends them nowhere', 'HTTP/1.1 302 Found\r\nContent-Length: 3\r\n\r\nabc', 'unable to upgrade connection: abc'],
  ['has not changed', 'HTTP/1.1 304 Not Modified\r\nLocation: /x\r\n\r\n', 'unable to upgrade connection: '],
  [
    'breaks off in its refusal',
    'HTTP/1.1 500 Oh\r\nContent-Length: 100\r\n\r\nabc',
    'unable to upgrade connection: unable to read error from server response',
  ],
  [
    'switches to what nobody wants',
    'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'unable to upgrade connection: ',
  ],
];
for (const [name, says, message] of refusals)
  test(`are refused by an agent that ${name}`, async () => {
    const { outcome } = await told(says);
    assert.is(JSON.parse(outcome).message, `Internal error occurred: ${message}`);
    assert.not.match(outcome, /&/);
  });
test('take text as bytes', async () => {
  const got: Buffer[] = [];
  await run(
    ALL,
    4,
    (open) => {
      open.get('stdin')?.on('data', (bytes: Buffer) => got.push(bytes));
      open.get('stdin')?.on('end', () => end(open, ''));
    },
    (client) => {
      client.send(Buffer.from([0, 0xff, 0xfe]), { binary: false });
      client.send(Buffer.from([255, 0]), { binary: false });
    },
  );
  assert.equal([...Buffer.concat(got)], [0xff, 0xfe]);
});
test('end the input that the agent has ended', async () => {
  let ended = false;
  await run(ALL, 4, (open) => {
    open.get('stdin')?.on('end', () => {
      ended = true;
      end(open, '');
    });
    open.get('stdin')?.resume().end();
  });
  assert.ok(ended);
});
for (const [code, expected] of [
  ['403', 403],
  ['600', 500],
  ['"many"', 500],
  ['4e2', 400],
] as const)
  test(`stand for a code that an agent may give: ${code}`, async () => {
    const agent = await new Backend().start();
    agent.answer = (_, response) => response.writeHead(403).end(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":${code}}`);
    const counted: number[] = [];
    const served = await front(async (context) => {
      counted.push(await relayCommand(context, outgoing(agent.target), options(), { streams: ALL, text: identity.text }));
    });
    await once(new WebSocket(`ws://127.0.0.1:${served.port}/`, [V5]), 'close');
    await served.stop();
    await agent.stop();
    assert.equal(counted, [expected]);
  });
test('are offered by who names the version of the protocol', () => {
  const request = (protocols: string) => ({ headers: { upgrade: 'websocket', 'sec-websocket-protocol': protocols } }) as IncomingMessage;
  assert.is(offersCommandChannels(request(V5), identity.text), false, 'nothing is offered on a connection that cannot switch');
});

test.run();
