/** What an answer knows of itself, however it leaves: over both versions of HTTP, whole, in pieces, from another stream, after a switch. */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyPieces } from '../../runtime/connections/body-pieces.ts';
import { type AnswerEnd, ClientAnswer } from '../../runtime/connections/client-answer.ts';
import { offerUpgrade } from '../../runtime/connections/upgrade.ts';
import { headerLine } from '../../runtime/connections/usual-headers.ts';
import { Part } from '../../runtime/endpoints/answers/chunks.ts';

const test = suite('answers');

interface Told {
  readonly status: number;
  readonly length: number;
  readonly end: AnswerEnd;
}

interface Received {
  readonly status: number;
  readonly body: string;
  /** the connection, or the stream of HTTP/2, broke off */
  readonly broken: boolean;
  readonly headers: Readonly<Record<string, unknown>>;
}

type Give = (answer: ClientAnswer, response: ServerResponse) => unknown;

interface Row {
  readonly name: string;
  readonly give: Give;
  readonly told: Told;
  readonly body?: string;
}

const piece = (text: string): Part => Part.of(Buffer.from(text));
const never = (source: PassThrough, text: string): PassThrough => {
  source.write(text);
  return source;
};

const rows: readonly Row[] = [
  { name: 'a text', give: (a) => a.send(200, 'text/plain', 'zwölf'), told: { status: 200, length: 6, end: 'whole' }, body: 'zwölf' },
  {
    name: 'bytes',
    give: (a) => a.send(429, 'text/plain', Buffer.from('later')),
    told: { status: 429, length: 5, end: 'whole' },
    body: 'later',
  },
  {
    name: 'a line',
    give: (a) => a.sendLine(201, 'text/plain', Buffer.from('{}')),
    told: { status: 201, length: 3, end: 'whole' },
    body: '{}\n',
  },
  {
    name: 'a long line',
    give: (a) => a.sendLine(200, 'text/plain', Buffer.alloc(100_000, 'x')),
    told: { status: 200, length: 100_001, end: 'whole' },
    body: `${'x'.repeat(100_000)}\n`,
  },
  {
    name: 'a text that leaves in pieces',
    give: (a) => a.send(200, 'text/plain', 'ä'.repeat(400_000)),
    told: { status: 200, length: 800_000, end: 'whole' },
    body: 'ä'.repeat(400_000),
  },
  {
    name: 'a line that leaves in pieces',
    give: (a) => a.sendLine(201, 'text/plain', Buffer.alloc(700_000, 'x')),
    told: { status: 201, length: 700_001, end: 'whole' },
    body: `${'x'.repeat(700_000)}\n`,
  },
  { name: 'nothing', give: (a) => a.sendEmpty(301), told: { status: 301, length: 0, end: 'whole' }, body: '' },
  { name: 'a status without a body', give: (a) => a.sendEmpty(304), told: { status: 304, length: 0, end: 'whole' }, body: '' },
  {
    name: 'pieces',
    give(a) {
      const body = a.stream(200);
      body.write(piece('one, '));
      body.write(piece('two'));
      body.end();
    },
    told: { status: 200, length: 8, end: 'whole' },
    body: 'one, two',
  },
  {
    name: 'pieces of a known length',
    give(a, response) {
      response.setHeader('content-length', 3);
      const body = a.stream(200);
      body.write(piece('two'));
      body.end();
    },
    told: { status: 200, length: 3, end: 'whole' },
    body: 'two',
  },
  {
    name: 'pieces that break off',
    give(a) {
      a.stream(200).write(piece('one, '), () => a.break());
    },
    told: { status: 200, length: 5, end: 'broken' },
  },
  {
    name: 'another stream',
    give: (a) => a.pipe(206, Readable.from([Buffer.from('one, '), Buffer.from('two')], { objectMode: false })),
    told: { status: 206, length: 8, end: 'whole' },
    body: 'one, two',
  },
  {
    name: 'another stream that breaks off',
    give(a) {
      const source = never(new PassThrough(), 'one');
      a.pipe(200, source);
      source.once('data', () => setImmediate(() => source.destroy(new Error('lost'))));
    },
    told: { status: 200, length: 3, end: 'broken' },
  },
  { name: 'nothing at all', give: (a) => a.break(), told: { status: 0, length: 0, end: 'broken' } },
];

interface Protocol {
  readonly name: string;
  ask(give: Give): Promise<{ received: Received; told: Told }>;
}

/** Answers each request of a server by `give`. */
function handler(give: Give, done: (told: Told) => void) {
  return (_: IncomingMessage, response: ServerResponse): void => {
    const answer = new ClientAnswer(response);
    answer.whenOver((end) => done({ status: answer.status, length: answer.length, end }));
    give(answer, response);
  };
}

async function readAll(stream: Readable): Promise<{ body: string; broken: boolean }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
    return { body: Buffer.concat(chunks).toString(), broken: false };
  } catch {
    return { body: Buffer.concat(chunks).toString(), broken: true };
  }
}

const NO_ANSWER = { status: 0, body: '', broken: true, headers: {} };

const protocols: readonly Protocol[] = [
  {
    name: 'HTTP/1.1',
    async ask(give) {
      const { promise, resolve } = Promise.withResolvers<Told>();
      const server = http.createServer(handler(give, resolve));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const request = http.get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, agent: false });
      const received = await once(request, 'response').then(
        async ([head]: IncomingMessage[]) => ({
          ...(await readAll(head as IncomingMessage)),
          status: head?.statusCode ?? 0,
          headers: head?.headers ?? {},
        }),
        () => NO_ANSWER,
      );
      const told = await promise;
      server.close();
      return { received, told };
    },
  },
  {
    name: 'HTTP/2',
    async ask(give) {
      const { promise, resolve } = Promise.withResolvers<Told>();
      const answerBy = handler(give, resolve);
      const server = http2.createServer((request, response) => answerBy(request as never, response as never));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      const stream = session.request({ ':path': '/' });
      // a stream may be reset without an error
      const gone = once(stream, 'close').then(() => Promise.reject(new Error('reset')));
      gone.catch(() => {});
      const received = await Promise.race([once(stream, 'response'), gone]).then(
        async ([headers]) => ({ ...(await readAll(stream)), status: headers[':status'], headers }),
        () => NO_ANSWER,
      );
      const told = await promise;
      session.close();
      server.close();
      return { received, told };
    },
  },
];

for (const { name: protocol, ask } of protocols)
  for (const { name, give, told: expected, body } of rows)
    test(`${name} over ${protocol}`, async () => {
      const { received, told } = await ask(give);
      assert.equal(told, expected);
      assert.is(received.status, expected.status);
      if (expected.end === 'whole') assert.equal([received.body, received.broken], [body, false]);
      else assert.ok(received.broken);
    });

interface UsualRow {
  readonly name: string;
  readonly give: Give;
  /** default: as they were added */
  readonly received?: Readonly<Record<string, string | undefined>>;
}

const usualRows: readonly UsualRow[] = [
  { name: 'a text', give: (answer) => answer.send(200, 'text/plain', 'x') },
  { name: 'a line', give: (answer) => answer.sendLine(200, 'text/plain', Buffer.from('x')) },
  { name: 'a long line', give: (answer) => answer.sendLine(200, 'text/plain', Buffer.alloc(100_000, 'x')) },
  { name: 'a text that leaves in pieces', give: (answer) => answer.send(200, 'text/plain', 'x'.repeat(800_000)) },
  { name: 'nothing', give: (answer) => answer.sendEmpty(404) },
  { name: 'pieces', give: (answer) => answer.stream(200).end() },
  { name: 'another stream', give: (answer) => answer.pipe(200, Readable.from([Buffer.from('x')], { objectMode: false })) },
  {
    name: 'a body of pieces',
    give(answer) {
      const body = new BodyPieces();
      body.text('x');
      return answer.sendPieces(200, body);
    },
  },
  {
    name: 'a text with a header of its own',
    give(answer, response) {
      response.setHeader('etag', '"1"');
      answer.send(200, 'text/plain', 'x');
    },
    received: { 'audit-id': 'one', 'cache-control': 'no-cache', etag: '"1"' },
  },
  {
    name: 'a text that has one otherwise',
    give(answer, response) {
      response.setHeader('cache-control', 'public');
      answer.send(200, 'text/plain', 'x');
    },
    received: { 'audit-id': 'one', 'cache-control': 'public' },
  },
  {
    name: 'pieces that have one otherwise',
    give(answer, response) {
      response.setHeader('cache-control', 'public');
      answer.stream(200).end();
    },
    received: { 'audit-id': 'one', 'cache-control': 'public' },
  },
  {
    name: 'a text without one that was taken back',
    give(answer) {
      answer.removeUsual('cache-control');
      answer.send(200, 'text/plain', 'x');
    },
    received: { 'audit-id': 'one', 'cache-control': undefined },
  },
];

for (const { name: protocol, ask } of protocols)
  for (const { name, give, received: expected = { 'audit-id': 'one', 'cache-control': 'no-cache' } } of usualRows)
    test(`${name} over ${protocol} has the usual headers`, async () => {
      const { received } = await ask((answer, response) => {
        answer.addUsual(headerLine('audit-id', 'one') + headerLine('cache-control', 'no-cache'));
        return give(answer, response);
      });
      for (const [header, value] of Object.entries(expected)) assert.is(received.headers[header], value, header);
    });

test('a usual header has no value that could begin another', () => {
  for (const value of ['a\r\nset-cookie: b', 'a\nb', 'a\0', '家'])
    assert.throws(() => headerLine('audit-id', value), 'the header audit-id has a character that no header may have');
});

test('an answer without a body has a length where its status lets it have one', async () => {
  const [plain] = protocols as [Protocol];
  for (const [status, length] of [
    [301, '0'],
    [204, undefined],
    [304, undefined],
  ] as const) {
    const { received } = await plain.ask((answer) => answer.sendEmpty(status));
    assert.is(received.headers['content-length'], length, String(status));
  }
});

test('a connection that switches is over when it is closed', async () => {
  const { promise, resolve } = Promise.withResolvers<Told>();
  const server = http.createServer();
  server.on('upgrade', (request, socket, head) =>
    offerUpgrade(
      request,
      socket,
      head,
      handler((answer) => {
        const taken = answer.switchProtocols();
        taken.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello');
      }, resolve),
    ),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const request = http.get({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    headers: { connection: 'Upgrade', upgrade: 'echo' },
  });
  const [head, socket] = await once(request, 'upgrade');
  assert.is(head.statusCode, 101);
  socket.end();
  assert.equal(await promise, { status: 101, length: 0, end: 'switched' });
  server.close();
});

test('a client that leaves breaks off what is still to come', async () => {
  const { promise, resolve } = Promise.withResolvers<Told>();
  const source = never(new PassThrough(), 'one');
  const server = http.createServer(handler((answer) => answer.pipe(200, source), resolve));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const request = http.get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, agent: false });
  const [head] = await once(request, 'response');
  await once(head, 'data');
  const closed = once(source, 'close');
  request.destroy();
  assert.equal(await promise, { status: 200, length: 3, end: 'broken' });
  await closed;
  assert.ok(source.destroyed);
  server.close();
});

test.run();
