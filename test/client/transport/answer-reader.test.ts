/** Answers of HTTP/1.1 in any pieces, of servers that mean well and of others. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AnswerReader, LastHead } from '../../../runtime/client/transport/answer-reader.ts';

const MAX = 1_000;
const HEAD = 'HTTP/1.1 200 OK\r\n';

interface Outcome {
  readonly status: number;
  readonly body: string;
  readonly keepsAlive: boolean;
}

/** @returns undefined for an answer that is not whole; what it is refused with */
function read(pieces: readonly Buffer[], last?: LastHead): Outcome | Error | undefined {
  const reader = new AnswerReader(MAX, last);
  try {
    let isWhole = false;
    for (const piece of pieces) isWhole = reader.read(piece);
    isWhole ||= reader.end();
    return isWhole ? { status: reader.status, body: reader.body.toString(), keepsAlive: reader.keepsAlive } : undefined;
  } catch (error) {
    return error as Error;
  }
}

const whole: [name: string, text: string, outcome: Outcome][] = [
  ['a length', `${HEAD}Content-Length: 2\r\n\r\n{}`, { status: 200, body: '{}', keepsAlive: true }],
  ['a length of nothing', `${HEAD}content-length:0\r\n\r\n`, { status: 200, body: '', keepsAlive: true }],
  ['a length between blanks', `${HEAD}Content-Length: \t 2 \t\r\n\r\n{}`, { status: 200, body: '{}', keepsAlive: true }],
  ['no reason', 'HTTP/1.1 403\r\nContent-Length: 0\r\n\r\n', { status: 403, body: '', keepsAlive: true }],
  [
    'chunks, with extensions and a trailer',
    `${HEAD}Transfer-Encoding: Chunked\r\n\r\n2;a="b"\r\n{"\r\n00A\r\na": 123456\r\n1 \r\n}\r\n0\r\nX: y\r\n\r\n`,
    { status: 200, body: '{"a": 123456}', keepsAlive: true },
  ],
  ['no length', `${HEAD}\r\n{}`, { status: 200, body: '{}', keepsAlive: false }],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}', { status: 200, body: '{}', keepsAlive: false }],
  [
    'the last of its connection',
    `${HEAD}Connection: x, Close\r\nContent-Length: 2\r\n\r\n{}`,
    { status: 200, body: '{}', keepsAlive: false },
  ],
  ['no body by its status', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n', { status: 204, body: '', keepsAlive: true }],
  [
    'others before it that are none yet',
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${HEAD}Content-Length: 2\r\n\r\n{}`,
    { status: 200, body: '{}', keepsAlive: true },
  ],
  ['more behind it', `${HEAD}Content-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n`, { status: 200, body: '{}', keepsAlive: false }],
  ['bytes beyond ASCII', `${HEAD}X: \xfc\r\nContent-Length: 2\r\n\r\n{}`, { status: 200, body: '{}', keepsAlive: true }],
];

const refused: [name: string, text: string, problem: RegExp][] = [
  ['another protocol', 'SSH-2.0-x\r\n', /does not begin with HTTP\/1/],
  ['another version', 'HTTP/2.0 200 OK\r\n\r\n', /does not begin with HTTP\/1/],
  ['no status', 'HTTP/1.1 OK\r\n\r\n', /and a status/],
  ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n', /and a status/],
  ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n', /switches protocols/],
  ['two lengths', `${HEAD}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`, /content-length twice/],
  ['a list of lengths', `${HEAD}Content-Length: 2, 2\r\n\r\n{}`, /its length is none/],
  ['a negative length', `${HEAD}Content-Length: -2\r\n\r\n{}`, /its length is none/],
  ['a length with a sign', `${HEAD}Content-Length: +2\r\n\r\n{}`, /its length is none/],
  ['a length beyond numbers', `${HEAD}Content-Length: 9999999999999999\r\n\r\n{}`, /its length is none/],
  ['a length beside chunks', `${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`, /length beside/],
  ['another coding', `${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n`, /transfer coding is not chunked/],
  ['two codings', `${HEAD}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n`, /transfer-encoding twice/],
  ['a header without a name', `${HEAD}: x\r\n\r\n`, /is no header/],
  ['a blank behind a name', `${HEAD}Content-Length : 2\r\n\r\n{}`, /is no header/],
  ['a header over two lines', `${HEAD}X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}`, /is no header/],
  ['a line without a colon', `${HEAD}X\r\n\r\n`, /is no header/],
  ['a line feed alone', `${HEAD}X: a\nContent-Length: 2\r\n\r\n{}`, /is no header/],
  ['a zero in a header', `${HEAD}X: a\0b\r\n\r\n`, /is no header/],
  ['a length that is too large', `${HEAD}Content-Length: 1001\r\n\r\n`, /larger than 1000 bytes/],
  ['a body that is too large', `${HEAD}\r\n${'x'.repeat(1_001)}`, /larger than 1000 bytes/],
  ['a chunk that is too large', `${HEAD}Transfer-Encoding: chunked\r\n\r\n3e9\r\n`, /larger than 1000 bytes/],
  [
    'chunks that are too large',
    `${HEAD}Transfer-Encoding: chunked\r\n\r\n${`64\r\n${'x'.repeat(100)}\r\n`.repeat(11)}`,
    /larger than 1000 bytes/,
  ],
  ['a chunk of no size', `${HEAD}Transfer-Encoding: chunked\r\n\r\nx\r\n`, /size of a chunk is none/],
  ['a chunk of a size with a prefix', `${HEAD}Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n`, /size of a chunk is none/],
  ['a chunk that goes on', `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n`, /longer than it states/],
  ['a head that is too large', `${HEAD}X: ${'x'.repeat(17_000)}`, /head is too large/],
  ['many heads', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000), /head is too large/],
  ['an extension that is too large', `${HEAD}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(17_000)}`, /too long/],
  ['a trailer that is too large', `${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n${'X: x\r\n'.repeat(5_000)}`, /trailer is too large/],
];

const unfinished: [name: string, text: string][] = [
  ['nothing', ''],
  ['half a head', 'HTTP/1.1 200 OK\r\nX'],
  ['one that says that another follows', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['half a body', `${HEAD}Content-Length: 3\r\n\r\n{}`],
  ['half a chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\n{}`],
  ['chunks without the last', `${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`],
  ['no end of the trailer', `${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n`],
];

const byteByByte = (text: string): Buffer[] => [...Buffer.from(text, 'latin1')].map((byte) => Buffer.from([byte]));

const test = suite('the reader of answers');
for (const [name, text, outcome] of whole)
  test(`reads one with ${name}`, () => {
    assert.equal(read([Buffer.from(text, 'latin1')]), outcome);
    // what follows an answer comes when nobody reads it any longer
    if (name !== 'more behind it') assert.equal(read(byteByByte(text)), outcome);
  });
for (const [name, text, problem] of refused)
  test(`refuses ${name}`, () => {
    for (const pieces of [[Buffer.from(text, 'latin1')], byteByByte(text)]) {
      const error = read(pieces);
      assert.instance(error, Error);
      assert.match((error as Error).message, problem);
    }
  });
for (const [name, text] of unfinished)
  test(`waits behind ${name}`, () => {
    for (const pieces of [[Buffer.from(text, 'latin1')], byteByByte(text)]) assert.is(read(pieces), undefined);
  });

test('joins the values of a header, and takes the last type', () => {
  const reader = new AnswerReader(MAX);
  reader.read(Buffer.from(`${HEAD}A: 1\r\na: 2\r\nContent-Type: x\r\ncontent-type: y\r\n__proto__: z\r\n\r\n`));
  assert.equal({ ...reader.headers }, { a: '1, 2', 'content-type': 'y', ['__proto__']: 'z' });
});

for (const [name, text] of [...whole, ...refused, ...unfinished])
  test(`reads ${name} behind another answer with the same head, and with another`, () => {
    const bytes = Buffer.from(text, 'latin1');
    const last = new LastHead();
    const alone = read([bytes]);
    assert.equal(read([bytes], last), alone);
    assert.equal(read([bytes], last), alone);
    const other = Buffer.from('HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\nabc');
    assert.equal(read([other], last), { status: 201, body: 'abc', keepsAlive: true });
    assert.equal(read([bytes], last), alone);
    assert.equal(read(byteByByte(text), last), alone);
  });

test('knows the last head again, with no more of a body than is allowed', () => {
  const last = new LastHead();
  const bytes = Buffer.from(`${HEAD}A: 1\r\nContent-Length: 2\r\n\r\n{}`);
  const first = new AnswerReader(MAX, last);
  first.read(bytes);
  const second = new AnswerReader(MAX, last);
  second.read(bytes);
  assert.is(second.headers, first.headers);
  assert.throws(() => new AnswerReader(1, last).read(bytes), /larger than 1 bytes/);
});

test('gives the same whatever the pieces', () => {
  const chunked = (body: Buffer, size: number): string => {
    let text = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
    for (let i = 0; i < body.length; i += size) {
      const chunk = body.subarray(i, i + size);
      text += `${chunk.length.toString(16)}\r\n${chunk.toString('latin1')}\r\n`;
    }
    return `${text}0\r\n\r\n`;
  };
  const stated = (body: Buffer): string => `${HEAD}Content-Length: ${body.length}\r\n\r\n${body.toString('latin1')}`;
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.nat({ max: 60 }),
      fc.array(fc.nat({ max: 700 }), { maxLength: 12 }),
      (bytes, size, cuts) => {
        const body = Buffer.from(bytes);
        const sent = Buffer.from(size === 0 ? stated(body) : chunked(body, size), 'latin1');
        const places = [0, ...cuts.map((cut) => Math.min(cut, sent.length)).sort((a, b) => a - b), sent.length];
        const reader = new AnswerReader(MAX);
        let isWhole = false;
        for (let i = 1; i < places.length; i++) {
          assert.is(isWhole && places[i] !== places[i - 1], false);
          isWhole = reader.read(Buffer.from(sent.subarray(places[i - 1], places[i])));
        }
        assert.ok(isWhole && reader.keepsAlive);
        assert.ok(reader.body.equals(body));
      },
    ),
  );
});
test.run();
