import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AnswerReader } from './load/answer-reader.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** What is read from a stream that arrives in pieces of these sizes. */
function readInPieces(stream: string, sizes: readonly number[]): Answer[] {
  const answers: Answer[] = [];
  let body = '';
  const reader = new AnswerReader({
    onBody: (bytes) => (body += bytes.toString('latin1')),
    onEnd: (status) => {
      answers.push({ status, body });
      body = '';
    },
  });
  const bytes = Buffer.from(stream, 'latin1');
  let offset = 0;
  for (const size of [...sizes, bytes.length]) {
    reader.read(bytes.subarray(offset, offset + size));
    offset += size;
  }
  return answers;
}

const plain = (status: number, body: string) => `HTTP/1.1 ${status} X\r\nContent-Length: ${body.length}\r\nOther: y\r\n\r\n${body}`;
const chunked = (status: number, parts: readonly string[]) =>
  `HTTP/1.1 ${status} X\r\nTransfer-Encoding: chunked\r\n\r\n${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;

const read = suite('answers');
const rows: [name: string, stream: string, answers: Answer[]][] = [
  ['with a length', plain(200, 'hello'), [{ status: 200, body: 'hello' }]],
  ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', [{ status: 204, body: '' }]],
  ['in chunks', chunked(200, ['hel', 'lo', 'x'.repeat(300)]), [{ status: 200, body: `hello${'x'.repeat(300)}` }]],
  ['in chunks, empty', chunked(404, []), [{ status: 404, body: '' }]],
  [
    'one after the other',
    plain(200, 'a') + chunked(201, ['b']) + plain(409, ''),
    [
      { status: 200, body: 'a' },
      { status: 201, body: 'b' },
      { status: 409, body: '' },
    ],
  ],
];
for (const [name, stream, answers] of rows) {
  read(name, () => assert.equal(readInPieces(stream, []), answers));
  read(`${name}, in pieces of any size`, () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 40 }), (sizes) =>
        assert.equal(readInPieces(stream, sizes), answers),
      ),
    ),
  );
}
read.run();
