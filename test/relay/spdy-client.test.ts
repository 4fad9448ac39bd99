import { type Duplex, duplexPair } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Said, SpdyClient } from '../../runtime/relay/spdy-client.ts';
import { CONTROL, controlFrame, dataFrame, FIN, uint32 } from '../../runtime/relay/spdy-frames.ts';
import { SpdyConnection } from '../harness/spdy.ts';

const test = suite('the side of SPDY that asks');

const NOTHING: Buffer = Buffer.alloc(0);
/** What is said until so much was said. */
async function said(client: SpdyClient, count: number): Promise<string[]> {
  const all: string[] = [];
  for await (const each of client.said()) {
    all.push(lineOf(each));
    if (all.length === count) break;
  }
  return all;
}
const lineOf = (each: Said): string => `${each.stream} ${each.what}${each.what === 'data' ? ` ${each.bytes}` : ''}`;
function pair(rest: Buffer = NOTHING): { client: SpdyClient; agent: Duplex } {
  const [agent, own] = duplexPair();
  own.on('error', () => {});
  return { client: new SpdyClient(own, rest), agent };
}

test('opens streams that an agent takes, and hears what comes on them', async () => {
  const { client, agent } = pair();
  const streams: string[] = [];
  new SpdyConnection(agent, (stream) => {
    streams.push(stream.headers.streamtype ?? '');
    if (stream.headers.streamtype === 'stdout') stream.end('hello');
  });
  assert.equal([client.open({ streamtype: 'stdin' }), client.open({ streamtype: 'stdout' })], [1, 3]);
  assert.equal(await said(client, 4), ['1 accepted', '3 accepted', '3 data hello', '3 ended']);
  assert.equal(streams, ['stdin', 'stdout']);
  client.destroy();
});
test('sends to a stream until it ends it', async () => {
  const { client, agent } = pair();
  const received = Promise.withResolvers<string>();
  new SpdyConnection(agent, (stream) => void Array.fromAsync(stream).then((all) => received.resolve(Buffer.concat(all).toString())));
  const stream = client.open({ streamtype: 'stdin' });
  const heard = client.said();
  assert.equal((await heard.next()).value, { stream: 1, what: 'accepted' });
  client.write(stream, Buffer.from('one '));
  client.write(stream, Buffer.from('two'));
  client.end(stream);
  assert.is(await received.promise, 'one two');
  client.destroy();
});
test('hears what came with the answer to the switch, and of resets', async () => {
  const { client, agent } = pair(dataFrame(1, Buffer.from('early'), FIN));
  agent.write(controlFrame(CONTROL.rstStream, Buffer.concat([uint32(3), uint32(5)])));
  assert.equal(await said(client, 3), ['1 data early', '1 ended', '3 reset']);
  client.destroy();
});
test('answers pings, and takes no streams of an agent', async () => {
  const { client, agent } = pair();
  const answers = Promise.withResolvers<string>();
  let hex = '';
  agent.on('data', (chunk) => {
    hex += chunk.toString('hex');
    if (hex.length >= 24 + 32) answers.resolve(hex);
  });
  agent.write(
    Buffer.concat([controlFrame(CONTROL.ping, uint32(2)), controlFrame(CONTROL.synStream, Buffer.concat([uint32(2), Buffer.alloc(6)]))]),
  );
  agent.write(dataFrame(9, NOTHING, FIN));
  assert.equal((await client.said().next()).value, { stream: 9, what: 'ended' });
  const ping = controlFrame(CONTROL.ping, uint32(2)).toString('hex');
  assert.is(await answers.promise, ping + controlFrame(CONTROL.rstStream, Buffer.concat([uint32(2), uint32(3)])).toString('hex'));
  client.destroy();
});
test('refuses what is no SPDY', async () => {
  const { client, agent } = pair();
  agent.write(controlFrame(CONTROL.ping, Buffer.alloc(2)));
  const outcome = await said(client, 1).then(
    () => 'taken',
    ({ name }) => name,
  );
  assert.is(outcome, 'SpdyError');
  client.destroy();
});

test.run();
