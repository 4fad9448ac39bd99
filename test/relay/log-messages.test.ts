import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { exchange } from '../../runtime/relay/exchange.ts';
import { relayMessages } from '../../runtime/relay/log-messages.ts';
import { identity } from '../kinds/context.ts';
import { Backend, front, options, outgoing, say } from './backend.ts';

const KEY = Buffer.alloc(16).toString('base64');
const test = suite('logs as messages of a WebSocket');

async function messages(protocol: string, parts: readonly string[]): Promise<{ said: string[]; code: number; protocol: string }> {
  const agent = await new Backend().start();
  agent.answer = async (_, response) => {
    for (const part of parts) await new Promise((written) => response.write(part, written));
    response.end();
  };
  const served = await front(async (context) => {
    const { head } = await exchange(outgoing(agent.target), options());
    relayMessages(context, head, identity.text);
  });
  const client = new WebSocket(`ws://127.0.0.1:${served.port}/`, [protocol]);
  const said: string[] = [];
  client.on('message', (data, isBinary) => said.push(`${isBinary ? 'binary' : 'text'} ${data}`));
  const [code] = await once(client, 'close');
  await served.stop();
  await agent.stop();
  return { said, code, protocol: client.protocol };
}
test('begin with an empty one, and end with the log', async () => {
  const { said, code, protocol } = await messages('binary.k8s.io', ['one\n']);
  assert.equal([said, code, protocol], [['binary ', 'binary one\n'], 1000, 'binary.k8s.io']);
});
test('are text in base64 for who wants that', async () => {
  const { said } = await messages('base64.binary.k8s.io', ['one\n']);
  assert.equal(said, ['text ', `text ${Buffer.from('one\n').toString('base64')}`]);
});
test('are refused to who offers no protocol of theirs, and come without one to who offers none', async () => {
  const agent = await new Backend().start();
  const served = await front(async (context) => {
    const { head } = await exchange(outgoing(agent.target), options());
    relayMessages(context, head, identity.text);
  });
  const lines = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${KEY}`];
  const asked = (...more: string[]): string => `${['GET / HTTP/1.1', ...lines, ...more].join('\r\n')}\r\n\r\n`;
  assert.is(await say(served.port, asked('Sec-WebSocket-Protocol: channel.k8s.io')), 'HTTP/1.1 403 Forbidden\r\n\r\n');
  const socket = connect(served.port, '127.0.0.1');
  socket.write(asked());
  assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 101 (?![\s\S]*Sec-WebSocket-Protocol)/);
  socket.destroy();
  await served.stop();
  await agent.stop();
});

test.run();
