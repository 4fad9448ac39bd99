/** Connections that are kept between exchanges, against servers that end them when they like. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskingTransport, type Question } from '../../../runtime/client/transport/asking-transport.ts';
import { ConnectionError } from '../../../runtime/client/transport/transport.ts';
import { OutOfTime } from '../../../runtime/client/transport/whole-exchange.ts';
import { eventually } from '../../harness/eventually.ts';

/** Asks, and what the server has seen of it. */
interface Asked {
  readonly ask: (question?: Partial<Question>) => Promise<string>;
  readonly transport: AskingTransport;
  /** connections that came */
  readonly sockets: readonly Socket[];
  /** requests that came */
  readonly requests: () => number;
}

const answerWith = (headers = ''): string => `HTTP/1.1 200 OK\r\n${headers}Content-Length: 2\r\n\r\n{}`;

/** @param answer to the request of a number, from 1, whose text is given; a request is one piece */
async function asking(
  answer: (socket: Socket, request: number, text: string) => void,
  limits: { open?: number; idle?: number },
  work: (asked: Asked) => Promise<void>,
): Promise<void> {
  const sockets: Socket[] = [];
  let requests = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => answer(socket, ++requests, String(bytes)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const transport = new AskingTransport({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, proxy: '', limits });
  const ask = async (question: Partial<Question> = {}): Promise<string> => {
    const { status, body } = await transport.ask({ method: 'GET', path: '/', timeout: 20_000, maxBytes: 1_000, ...question });
    return `${status} ${body}`;
  };
  try {
    await work({ ask, transport, sockets, requests: () => requests });
  } finally {
    await transport.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const outcomeOf = (asked: Promise<string>): Promise<unknown> => asked.catch((error: unknown) => error);

const test = suite('connections that are kept');

test('carry one exchange after another', () =>
  asking(
    (socket) => socket.write(answerWith()),
    {},
    async ({ ask, sockets }) => {
      for (let i = 0; i < 5; i++) assert.is(await ask(), '200 {}');
      assert.is(sockets.length, 1);
    },
  ));

for (const [name, headers] of [
  ['says that it ends', 'Connection: close\r\n'],
  ['keeps it for no time', 'Keep-Alive: timeout=1\r\n'],
] as const)
  test(`are used no more where the server ${name}`, () =>
    asking(
      (socket) => socket.write(answerWith(headers)),
      {},
      async ({ ask, sockets }) => {
        await ask();
        await ask();
        assert.is(sockets.length, 2);
      },
    ));

test('are used no more once something came that nobody has asked for', () =>
  asking(
    (socket) => {
      socket.write(answerWith());
      setTimeout(() => socket.write(answerWith('X: smuggled\r\n')), 20);
    },
    {},
    async ({ ask, sockets }) => {
      await ask();
      // the client has ended the connection
      await once(sockets[0] as Socket, 'close');
      await ask();
      assert.is(sockets.length, 2);
    },
  ));

test('are as many at once as they may be; the others wait, and each gets its own answer', () =>
  asking(
    (socket, request) => void setTimeout(() => socket.write(`HTTP/1.1 ${200 + request} OK\r\nContent-Length: 0\r\n\r\n`), 5),
    { open: 3, idle: 2 },
    async ({ ask, sockets }) => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
      assert.is(new Set(answers).size, 20);
      assert.is(sockets.length, 3);
      await Promise.all([ask(), ask(), ask()]);
      assert.is(sockets.length, 4, 'two were kept');
    },
  ));

test('that the server ends in between are no harm', () =>
  asking(
    (socket) => socket.end(answerWith()),
    {},
    async ({ ask }) => {
      for (let i = 0; i < 10; i++) assert.is(await ask(), '200 {}');
    },
  ));

/** Answers what comes first on a connection, and resets it with what comes second: as if it had ended it just then. */
const resetsSecond = (): ((socket: Socket) => void) => {
  const known = new Set<Socket>();
  return (socket) => {
    if (known.has(socket)) socket.resetAndDestroy();
    else socket.write(answerWith());
    known.add(socket);
  };
};

test('that the server ends just when they are used are replaced, for what may be asked again', () =>
  asking(resetsSecond(), {}, async ({ ask, requests }) => {
    for (let i = 0; i < 4; i++) assert.is(await ask({ method: 'POST', body: '{}', repeatable: true }), '200 {}');
    assert.is(requests(), 7);
  }));

test('that the server ends just when they are used fail what may not be asked again', () =>
  asking(resetsSecond(), {}, async ({ ask, requests }) => {
    await ask({ method: 'POST', body: '{}' });
    const error = await outcomeOf(ask({ method: 'POST', body: '{}' }));
    assert.instance(error, ConnectionError);
    assert.is((error as ConnectionError).code, 'ECONNRESET');
    assert.is(requests(), 2);
  }));

/** Nothing to what asks for `/silent`, whenever that comes. */
const answersUnlessSilent = (socket: Socket, _request: number, text: string): void => {
  if (!text.includes('/silent')) socket.write(answerWith());
};

test('are given up with what they carry, and whoever waits for one gets another', () =>
  asking(answersUnlessSilent, { open: 1 }, async ({ ask, sockets }) => {
    const first = outcomeOf(ask({ path: '/silent', timeout: 100 }));
    const second = ask();
    assert.instance(await first, OutOfTime);
    assert.is(await second, '200 {}');
    assert.is(sockets.length, 2);
  }));

test('are given up while others wait for their turn, by time and by signal', () => {
  const texts: string[] = [];
  return asking(
    (socket, request, text) => {
      texts.push(text);
      answersUnlessSilent(socket, request, text);
    },
    { open: 1 },
    async ({ ask }) => {
      const ending = new AbortController();
      const first = outcomeOf(ask({ path: '/silent', timeout: 400 }));
      const late = outcomeOf(ask({ path: '/never', timeout: 50 }));
      const ended = outcomeOf(ask({ path: '/never', signal: ending.signal }));
      const last = ask();
      ending.abort(new Error('nobody waits'));
      assert.is(((await ended) as Error).message, 'nobody waits');
      assert.instance(await late, OutOfTime);
      assert.instance(await first, OutOfTime);
      assert.is(await last, '200 {}');
      assert.not.ok(texts.some((text) => text.includes('/never')));
    },
  );
});

test('end with all that they carry and all that waits', () =>
  asking(
    (socket, request) => void (request === 1 && socket.write(answerWith())),
    { open: 2 },
    async ({ ask, transport, sockets, requests }) => {
      await ask();
      const asked = Array.from({ length: 5 }, () => outcomeOf(ask()));
      await eventually('three requests have come', () => requests() >= 3);
      await transport.close();
      for (const outcome of await Promise.all(asked)) assert.instance(outcome, ConnectionError);
      assert.equal([sockets.length, requests()], [2, 3], 'nothing is asked again');
    },
  ));

for (const [name, headers] of [
  ['a value of two lines', { 'x-a': 'b\r\nc: d' }],
  ['a name of two', { 'x a': 'b' }],
] as const)
  test(`carry no header with ${name}`, () =>
    asking(
      (socket) => socket.write(answerWith()),
      {},
      async ({ ask, requests }) => {
        assert.instance(await outcomeOf(ask({ headers })), ConnectionError);
        assert.is(requests(), 0);
      },
    ));

test.run();
