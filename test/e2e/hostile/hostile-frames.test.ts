/** HTTP/2 as no client speaks it: floods that cost the sender little, and heads that others might read in another way. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../../harness/eventually.ts';
import { attacksOn } from '../../harness/hostile.ts';
import { Flag, FrameConnection, FrameType, frame, headerBlock, uint32 } from '../../harness/http2-frames.ts';
import { startServer } from '../../harness/server.ts';

const test = suite('hostile frames');

const server = await startServer({ dialect: 'kubernetes' });
const attack = attacksOn(server, test);
test.after(() => server.stop().then(() => undefined));

const MEBIBYTE = 1024 * 1024;
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const requestHead = (path: string, more: Record<string, string> = {}) => ({
  ':method': 'GET',
  ':scheme': 'https',
  ':authority': 'x',
  ':path': path,
  authorization: `Bearer ${server.tokens.admin}`,
  ...more,
});
const WHOLE = Flag.endHeaders | Flag.endStream;
/** ids of streams that a client opens */
const streamId = (index: number) => 1 + 2 * index;
const times = (count: number, make: (index: number) => Buffer) => Buffer.concat(Array.from({ length: count }, (_, index) => make(index)));

const ROUNDS = 100;
/** Milliseconds: far above what takes seconds on a machine under load. */
const PATIENCE = 60_000;

interface Flood {
  readonly name: string;
  /** whether the client takes what the server answers; default true */
  readonly reads?: boolean;
  /** sent before */
  readonly first?: () => Buffer;
  /** sent again and again, until the server has had enough */
  readonly round: (index: number) => Buffer;
}

const posted = () => headerBlock({ ...requestHead(CONFIGMAPS), ':method': 'POST', 'content-type': 'application/json' });
const FLOODS: readonly Flood[] = [
  {
    name: 'requests that are given up at once',
    round: (round) =>
      times(100, (index) => {
        const id = streamId(round * 100 + index);
        return Buffer.concat([
          frame(FrameType.headers, WHOLE, id, headerBlock(requestHead('/api/v1/pods'))),
          frame(FrameType.reset, 0, id, uint32(8)),
        ]);
      }),
  },
  {
    name: 'requests that the server is made to give up',
    round: (round) =>
      times(100, (index) => {
        const id = streamId(round * 100 + index);
        return Buffer.concat([
          frame(FrameType.headers, WHOLE, id, headerBlock(requestHead('/api/v1/pods'))),
          frame(FrameType.windowUpdate, 0, id, uint32(0)),
        ]);
      }),
  },
  {
    name: 'a head that does not end',
    first: () => frame(FrameType.headers, Flag.endStream, 1, headerBlock(requestHead('/version'))),
    round: (round) => frame(FrameType.continuation, 0, 1, headerBlock({ [`x-${round}`]: 'a'.repeat(1_000) })),
  },
  {
    name: 'a head of empty pieces',
    first: () => frame(FrameType.headers, Flag.endStream, 1, headerBlock(requestHead('/version'))),
    round: () => times(1_000, () => frame(FrameType.continuation, 0, 1)),
  },
  {
    name: 'settings, of which no answer is read',
    reads: false,
    round: () => times(1_000, () => frame(FrameType.settings, 0, 0, Buffer.of(0, 3, 0, 0, 0, 1))),
  },
  {
    name: 'pings, of which no answer is read',
    reads: false,
    round: () => times(1_000, () => frame(FrameType.ping, 0, 0, Buffer.alloc(8))),
  },
  {
    name: 'a body of empty pieces',
    first: () => frame(FrameType.headers, Flag.endHeaders, 1, posted()),
    round: () => times(1_000, () => frame(FrameType.data, 0, 1)),
  },
  {
    name: 'priorities of streams that are none',
    round: (round) => times(1_000, (index) => frame(FrameType.priority, 0, streamId(round * 1_000 + index), Buffer.of(0, 0, 0, 0, 16))),
  },
  { name: 'windows beyond all', round: () => frame(FrameType.windowUpdate, 0, 0, uint32(0x7fffffff)) },
  { name: 'a frame that is too large', round: () => frame(0x55, 0, 0, Buffer.alloc(200_000)) },
];
for (const { name, reads = true, first, round } of FLOODS)
  attack(`${name}: the connection is closed`, async () => {
    const before = await server.residentBytes();
    const connection = await FrameConnection.open(server, { reads });
    try {
      if (first !== undefined) await connection.write(first());
      for (let index = 0; index < ROUNDS && !connection.closed; index++) await Promise.race([connection.write(round(index)), sleep(200)]);
      assert.ok(await connection.closes(PATIENCE), 'it is still open');
    } finally {
      connection.destroy();
    }
    const grown = (await server.residentBytes()) - before;
    assert.ok(grown < 100 * MEBIBYTE, `the server holds ${Math.round(grown / MEBIBYTE)} MiB more`);
  });

attack('a small head that stands for a large one is refused', async () => {
  const connection = await FrameConnection.open(server);
  const large = headerBlock({ x: 'a'.repeat(4_000) }, 0x40);
  await connection.write(frame(FrameType.headers, WHOLE, 1, Buffer.concat([headerBlock(requestHead('/version')), large])));
  // 0xbe is the header that was added last: 15,000 bytes stand for 60 MB
  const bomb = Buffer.concat([headerBlock(requestHead('/version')), Buffer.alloc(15_000, 0xbe)]);
  await connection.write(frame(FrameType.headers, WHOLE, 3, bomb));
  const refused = () =>
    connection.frames.some(({ type, stream }) => (type === FrameType.reset && stream === 3) || type === FrameType.goAway);
  await eventually('it is refused', refused);
  assert.not(connection.frames.some(({ type, stream }) => type === FrameType.headers && stream === 3));
  connection.destroy();
});

interface Head {
  readonly name: string;
  readonly head: Record<string, string>;
  readonly body?: string;
}

const create = { ':method': 'POST', ':path': CONFIGMAPS, 'content-type': 'application/json' };
const BODY = '{"metadata":{"name":"smuggled"}}';
const HEADS: readonly Head[] = [
  { name: 'a header of connections', head: { connection: 'close' } },
  { name: 'chunks', head: { 'transfer-encoding': 'chunked' } },
  { name: 'a header in capitals', head: { 'X-Up': 'a' } },
  { name: 'an empty path', head: { ':path': '' } },
  { name: 'a path without a slash', head: { ':path': 'version' } },
  { name: 'a path with a line break', head: { ':path': '/version\r\nx: y' } },
  { name: 'a path with a space', head: { ':path': '/version HTTP/1.1' } },
  { name: 'an unknown part of the request', head: { ':other': 'x' } },
  { name: 'another protocol', head: { ':method': 'CONNECT', ':protocol': 'websocket' } },
  { name: 'a body that is longer than it says', head: { ...create, 'content-length': '5' }, body: BODY },
  { name: 'a body that is shorter than it says', head: { ...create, 'content-length': '99' }, body: BODY },
  { name: 'a length that is none', head: { ...create, 'content-length': '+32' }, body: BODY },
];
for (const { name, head, body } of HEADS)
  attack(`${name}: the request is refused`, async () => {
    const connection = await FrameConnection.open(server);
    // what is not of the request itself stands behind it, or the order would be refused
    const parts = Object.entries({ ...requestHead('/version'), ...head }).toSorted(
      ([a], [b]) => Number(b.startsWith(':')) - Number(a.startsWith(':')),
    );
    await connection.write(
      frame(FrameType.headers, body === undefined ? WHOLE : Flag.endHeaders, 1, headerBlock(Object.fromEntries(parts))),
      ...(body === undefined ? [] : [frame(FrameType.data, Flag.endStream, 1, Buffer.from(body))]),
    );
    const over = () => connection.closed || connection.frames.some(({ type }) => type === FrameType.reset || type === FrameType.goAway);
    await eventually('it is over', over);
    assert.not(connection.frames.some(({ type }) => type === FrameType.data));
    connection.destroy();
  });

test.run();
