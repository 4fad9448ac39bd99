import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteBudget } from '../../runtime/endpoints/bodies/byte-budget.ts';
import { LongBody } from '../../runtime/endpoints/long-body.ts';
import { MAX_BODY_BYTES, readBody } from '../../runtime/endpoints/read-body.ts';
import type { ResourceRequest } from '../../runtime/endpoints/resource-request.ts';
import { StatusError } from '../../runtime/status/status.ts';

const test = suite('bodies');

const MIB = 1024 * 1024;
/** Milliseconds in which a long body must come further. */
const STEP = 5_000;

interface Reading {
  readonly body: Promise<Buffer>;
  readonly abort: AbortController;
}

/** A server that only reads bodies; `reads` gets each that comes. */
async function withServer(
  budget: ByteBudget,
  body: (url: string, next: () => Promise<Reading>) => Promise<void>,
  more: Partial<ResourceRequest['server']> = {},
): Promise<void> {
  const waiting: Reading[] = [];
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    const abort = new AbortController();
    const client = { user: { name: req.headers.user }, signal: abort.signal };
    const request = {
      server: { bodyBudget: budget, ...more },
      context: { req, res },
      client,
      info: { name: '' },
      kind: { hub: {} },
    } as unknown as ResourceRequest;
    const read = readBody(request);
    read.then(
      () => res.end(),
      () => res.end(),
    );
    waiting.push({ body: read, abort });
    server.emit('read');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const next = async (): Promise<Reading> => {
    while (waiting.length === 0) await once(server, 'read');
    return waiting.shift() as Reading;
  };
  try {
    await body(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, next);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const budgetOf = (bytes: number): ByteBudget => new ByteBudget({ bytes, waiting: 4, patience: 60_000, refusal: 'too many long requests' });

/** Begins a request and says how long it will be. */
function begin(url: string, user: string, length: number): ReturnType<typeof send> {
  const request = send(url, { method: 'POST', headers: { user, 'content-length': length } });
  request.on('error', () => {});
  request.flushHeaders();
  return request;
}

async function refusalOf(reading: Reading): Promise<StatusError> {
  try {
    await reading.body;
  } catch (error) {
    assert.instance(error, StatusError);
    return error as StatusError;
  }
  throw new Error('it was not refused');
}

test('short ones take nothing of the budget', () =>
  withServer(budgetOf(0), async (url, next) => {
    begin(url, 'a', 4).end('text');
    assert.is(String(await (await next()).body), 'text');
  }));

test('long ones wait for room, and are read to the letter', async () => {
  const budget = budgetOf(3 * MIB);
  await withServer(budget, async (url, next) => {
    const [first, second] = [begin(url, 'a', 2 * MIB), begin(url, 'b', 2 * MIB)];
    const [one, two] = [await next(), await next()];
    second.end(Buffer.alloc(2 * MIB, 'b'));
    first.write('a');
    assert.is(budget.used, 2 * MIB);
    first.end(Buffer.alloc(2 * MIB - 1, 'a'));
    assert.equal(await one.body, Buffer.alloc(2 * MIB, 'a'));
    assert.equal(await two.body, Buffer.alloc(2 * MIB, 'b'));
  });
});

test('a user who has many unfinished ones leaves room to others', async () => {
  const budget = budgetOf(16 * MIB);
  await withServer(budget, async (url, next) => {
    for (let i = 0; i < 20; i++) begin(url, 'greedy', 2 * MIB).write('{');
    const readings = await Promise.all(Array.from({ length: 20 }, next));
    // two wait, for half of the places that there are, and the others are told to come again
    const refused = await Promise.all(readings.slice(-10).map(refusalOf));
    assert.equal(new Set(refused.map(({ code }) => code)), new Set([429]));
    assert.ok(budget.used <= 12 * MIB, `${budget.used}`);
    begin(url, 'other', 2 * MIB).end(Buffer.alloc(2 * MIB));
    assert.is((await (await next()).body).length, 2 * MIB);
    for (const { abort } of readings) abort.abort(new Error('over'));
    await Promise.allSettled(readings.map(({ body }) => body));
  });
});

test('one whose time is over ends, and gives back what it had', async () => {
  const budget = budgetOf(4 * MIB);
  await withServer(budget, async (url, next) => {
    begin(url, 'a', 2 * MIB).write('{');
    const { body, abort } = await next();
    const over = new Error('the time is over');
    abort.abort(over);
    await body.then(
      () => assert.unreachable(),
      (error) => assert.is(error, over),
    );
    begin(url, 'a', 2 * MIB).end(Buffer.alloc(2 * MIB));
    assert.is((await (await next()).body).length, 2 * MIB);
  });
});

test('one that does not come ends its request, and one that comes slowly does not', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    await withServer(budgetOf(8 * MIB), async (url, next) => {
      const [silent, slow] = [begin(url, 'a', MIB), begin(url, 'b', MIB)];
      silent.write('{');
      slow.write('{');
      const [one, two] = [await next(), await next()];
      // until both have been given room
      await new Promise(setImmediate);
      mock.timers.tick(STEP);
      slow.end(Buffer.alloc(MIB - 1));
      assert.is((await two.body).length, MIB);
      mock.timers.tick(STEP);
      const { code, message } = await refusalOf(one);
      assert.is(code, 504);
      assert.is(message, 'Timeout: the body of the request did not come in time');
    });
  } finally {
    mock.timers.reset();
  }
});

test('one of unknown length is refused when it is too long', () =>
  withServer(budgetOf(4 * MIB), async (url, next) => {
    const request = send(url, { method: 'POST', headers: { user: 'a' } }).on('error', () => {});
    request.end(Buffer.alloc(MAX_BODY_BYTES + 1));
    assert.is((await refusalOf(await next())).code, 413);
  }));

const SPEAKING = { speaksCbor: true } as ResourceRequest['server']['negotiator'];

test('long ones are for another thread where there is one', () =>
  withServer(
    budgetOf(4 * MIB),
    async (url, next) => {
      begin(url, 'a', 10_000).end(Buffer.alloc(10_000));
      assert.is((await (await next()).body).length, 10_000);
      begin(url, 'a', 100_000).end(Buffer.alloc(100_000));
      await (await next()).body.then(
        () => assert.unreachable(),
        (error) => {
          assert.instance(error, LongBody);
          assert.is((error as LongBody).body.length, 100_000);
        },
      );
    },
    { longRequests: { answer: async () => {}, form: async () => Buffer.alloc(0), send: async () => undefined }, negotiator: SPEAKING },
  ));

test('of clients that went before anybody read are not waited for', async () => {
  const gone = Promise.withResolvers<ResourceRequest>();
  const server = createServer((req, res) => {
    req.on('close', () => gone.resolve({ server: {}, context: { req, res }, client: {}, info: { name: '' }, kind: { hub: {} } } as never));
    client.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = begin(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'a', 100);
  const failure = await readBody(await gone.promise).catch((error) => error);
  server.close();
  assert.match(failure.status.message, /^unexpected EOF$/);
});

test.run();
