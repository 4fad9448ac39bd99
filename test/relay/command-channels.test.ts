import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
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
