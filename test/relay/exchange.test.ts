import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exchange } from '../../runtime/relay/exchange.ts';
import { eventually } from '../harness/eventually.ts';
import { Backend, options, outcomeOf, outgoing } from './backend.ts';

const backend = await new Backend().start();

const test = suite('requests to backends');

test.after(() => backend.stop());
const text = async (body: AsyncIterable<Buffer>): Promise<string> => Buffer.concat(await Array.fromAsync(body)).toString();

test('have the method, the path and the headers that they are given, and say where they end', async () => {
  const seen: unknown[] = [];
  backend.answer = async (request, response) => {
    seen.push(request.method, request.url, request.headers['x-one'], request.headers['content-length'], await text(request));
    response.writeHead(201, { 'x-two': '2' }).end('made');
  };
  const asked = outgoing(backend.target, { method: 'POST', path: '/a%20b?c=d', headers: ['Host', 'x', 'X-One', '1'] });
  const { head } = await exchange({ ...asked, body: Readable.from([Buffer.from('body')]), bodyLength: '4' }, options());
  assert.equal([head.statusCode, head.headers['x-two'], await text(head)], [201, '2', 'made']);
  assert.equal(seen, ['POST', '/a%20b?c=d', '1', '4', 'body']);
});
test('without a length are sent in chunks, and without a body say that there is none', async () => {
  const framings: unknown[] = [];
  backend.answer = (request, response) => {
    framings.push([request.headers['transfer-encoding'], request.headers['content-length']]);
    request.resume();
    response.end();
  };
  for (const body of [Readable.from([Buffer.from('x')]), undefined]) {
    const { head } = await exchange(outgoing(backend.target, { method: 'PUT', body }), options());
    await text(head);
  }
  assert.equal(framings, [
    ['chunked', undefined],
    [undefined, '0'],
  ]);
});
test('are answered before anything of their body is there', async () => {
  backend.answer = (request, response) => response.writeHead(200).end(String(request.headers['x-one']));
  for (const bodyLength of ['4', undefined]) {
    const body = new PassThrough();
    const asked = outgoing(backend.target, { method: 'POST', body, bodyLength, headers: ['Host', 'x', 'X-One', 'gr\xfc'] });
    const { head } = await exchange(asked, { ...options(), headLimit: 5_000 });
    assert.is(await text(head), 'gr\xfc');
    body.destroy();
  }
});
test('get what is answered before their body is read, and leave no connection', async () => {
  let connections = 0;
  backend.server.on('connection', (socket: Socket) => {
    connections++;
    socket.once('close', () => connections--);
  });
  backend.answer = (_, response) => response.writeHead(401).end('who?');
  const statuses: unknown[] = [];
  for (let i = 0; i < 10; i++) {
    const body = Readable.from(Array.from({ length: 200 }, () => Buffer.alloc(64 * 1024)));
    const answer = exchange(outgoing(backend.target, { method: 'POST', body }), options());
    statuses.push(
      await answer.then(
        async ({ head }) => `${head.statusCode} ${await text(head)}`,
        (error) => String(error),
      ),
    );
  }
  assert.equal(new Set(statuses), new Set(['401 who?']));
  await eventually('no connection is open', () => connections === 0);
});
test('that switch give the connection, and what came behind the head', async () => {
  const switching = await new Backend().switches((socket) => socket.write('first')).start();
  const { switched } = await exchange(outgoing(switching.target, { upgrade: 'echo' }), options());
  const [behind] = switched?.rest.length === 0 ? await Array.fromAsync(switched.socket.take(1)) : [switched?.rest];
  assert.is(String(behind), 'first');
  switched?.socket.destroy();
  await switching.stop();
});
test('are given up when their client leaves, also before they have begun', async () => {
  const leaving = new AbortController();
  const begun = Promise.withResolvers<void>();
  backend.answer = () => begun.resolve();
  const asked = outcomeOf(exchange(outgoing(backend.target), options(leaving.signal)));
  await begun.promise;
  leaving.abort();
  assert.match(await asked, /Error: /);
  assert.is(await outcomeOf(exchange(outgoing(backend.target), options(leaving.signal))), 'DialError: the client is gone');
});
test('that nobody answers in time are given up', async () => {
  backend.answer = () => {};
  assert.match(
    await outcomeOf(exchange(outgoing(backend.target), { ...options(), headLimit: 20 })),
    /timeout awaiting response headers|Error: /,
  );
});
test('that cannot be sent are told so', async () => {
  assert.match(await outcomeOf(exchange(outgoing(backend.target, { path: '/a b' }), options())), /^ExchangeError: /);
});

/** Answers by bytes that no server of Node's says. */
async function saying(text: string, upgrade?: string): Promise<string> {
  const odd = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(text));
  });
  await once(odd.listen(0, '127.0.0.1'), 'listening');
  const target = { host: '127.0.0.1', port: (odd.address() as AddressInfo).port };
  const closed = once(odd, 'connection').then(([socket]) => once(socket as Socket, 'close'));
  const outcome = await outcomeOf(exchange(outgoing(target, { upgrade }), options()).then(({ head }) => head.destroy().statusCode));
  // nothing is left of it, whether it was an answer or none
  await closed;
  odd.close();
  return outcome;
}
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
for (const [name, text, upgrade, outcome] of [
  ['a switch that nobody asked for', 'HTTP/1.1 101 Well\r\n\r\n', undefined, /the server switched protocols though nobody asked for it/],
  ['a status below all', 'HTTP/1.1 099 No\r\nContent-Length: 2\r\n\r\nok', undefined, /malformed HTTP status code "099"/],
  ['a status of zeros', 'HTTP/1.1 000 No\r\nContent-Length: 2\r\n\r\nok', undefined, /malformed HTTP status code "000"/],
  ['five answers that are none yet', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(5) + OK, undefined, /^200$/],
  ['more of them', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(6) + OK, undefined, /too many 1xx informational responses/],
  ['more that say to go on', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(6) + OK, 'echo', /too many 1xx informational responses/],
] as const)
  test(`that are answered with ${name}`, async () => assert.match(await saying(text, upgrade), outcome));

test.run();
