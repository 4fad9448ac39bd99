import { constants, createInflate } from 'node:zlib';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CONTROL,
  type ControlFrame,
  controlFrame,
  type DataPiece,
  dataFrame,
  FIN,
  FrameReader,
  HeaderBlocks,
} from '../../runtime/relay/spdy-frames.ts';
import { DICTIONARY, readHeaders } from '../harness/spdy.ts';

const test = suite('frames of SPDY');

/** What was read, pieces of one stream put together until the last. */
function readAll(chunks: readonly Buffer[]): string[] {
  const reader = new FrameReader();
  const seen: string[] = [];
  const open = new Map<number, string>();
  for (const chunk of chunks)
    for (const frame of reader.read(chunk)) {
      if ('type' in frame) seen.push(controlText(frame));
      else take(frame, open, seen);
    }
  return [...seen, ...[...open].map(([stream, hex]) => `${stream}: ${hex}`)];
}
function controlText({ type, flags, body }: ControlFrame): string {
  return `control ${type} ${flags} ${body.toString('hex')}`;
}
function take({ stream, bytes, last }: DataPiece, open: Map<number, string>, seen: string[]): void {
  const all = (open.get(stream) ?? '') + bytes.toString('hex');
  open.set(stream, all);
  if (!last) return;
  seen.push(`${stream}: ${all}, ended`);
  open.delete(stream);
}

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const frames = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 5 }), bytes, fc.boolean()).map(([stream, body, last]) => dataFrame(stream, body, last ? FIN : 0)),
  fc.tuple(fc.integer({ min: 1, max: 9 }), bytes).map(([type, body]) => controlFrame(type, body)),
);
test('are the same however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(frames, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
      (list, cuts) => {
        const all = Buffer.concat(list);
        const chunks: Buffer[] = [];
        for (let at = 0, i = 0; at < all.length; i++) {
          const length = cuts[i % cuts.length] as number;
          chunks.push(all.subarray(at, at + length));
          at += length;
        }
        assert.equal(readAll(chunks), readAll([all]));
      },
    ),
  );
});
test('any bytes are read or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (array) => {
      try {
        readAll([Buffer.from(array)]);
      } catch (error) {
        assert.match(String(error), /^SpdyError: malformed SPDY/);
      }
    }),
  );
});
test('say what they hold', () => {
  assert.equal(readAll([dataFrame(3, Buffer.from('ab')), dataFrame(3, Buffer.alloc(0), FIN)]), ['3: 6162, ended']);
  assert.equal(readAll([controlFrame(CONTROL.ping, Buffer.from([0, 0, 0, 1]), FIN)]), ['control 6 1 00000001']);
});

const refused: [name: string, head: number[], message: RegExp][] = [
  ['another version', [0x80, 2, 0, 1, 0, 0, 0, 0], /another version/],
  ['HTTP/2', [...Buffer.from([0xff, 0x50, 0x52, 0x49, 0x20, 0x2a, 0x20, 0x48])], /another version/],
  ['a control frame of 16 MiB', [0x80, 3, 0, 8, 0, 0xff, 0xff, 0xff], /too long/],
  ['a control frame of a byte more than 64 KiB', [0x80, 3, 0, 2, 0, 1, 0, 1], /too long/],
];
for (const [name, head, message] of refused)
  test(`${name} is refused with its head`, () => assert.throws(() => [...new FrameReader().read(Buffer.from(head))], message));
test('a long frame of data costs what has come of it', () => {
  const reader = new FrameReader();
  const head = Buffer.from([0, 0, 0, 1, FIN, 0xff, 0xff, 0xff]);
  assert.equal([...reader.read(head)], []);
  const [piece] = [...reader.read(Buffer.from('abc'))] as DataPiece[];
  assert.equal([piece?.stream, String(piece?.bytes), piece?.last], [1, 'abc', false]);
});

test('header blocks of one connection are read by a decompressor with the dictionary', async () => {
  const blocks = new HeaderBlocks();
  const inflate = createInflate({ dictionary: DICTIONARY, flush: constants.Z_SYNC_FLUSH });
  const rows: Record<string, string>[] = [{ streamtype: 'error' }, {}, { streamtype: 'stdin', port: '80' }, { long: 'x'.repeat(50_000) }];
  for (const headers of rows) {
    const block = blocks.write(headers);
    const parts: Buffer[] = [];
    inflate.on('data', (part) => parts.push(part));
    await new Promise((resolve) => inflate.write(block, resolve));
    inflate.removeAllListeners('data');
    assert.equal(readHeaders(Buffer.concat(parts)), headers);
  }
});
test.run();
