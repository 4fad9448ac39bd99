/** What administrators look at and change while a server runs, at a real one. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, type Json } from '../../../harness/client.ts';
import { eventually } from '../../../harness/eventually.ts';
import { projectRoot, startServer, type TestServer } from '../../../harness/server.ts';

const test = suite('debugging');
let server: TestServer;
let admin: Client;
let alice: Client;
test.before(async () => {
  // of the sources, whose files log by their names
  server = await startServer({ dialect: 'cluster', root: projectRoot, flags: ['--controllers=-*', '--workers=2'] });
  admin = new Client(server);
  alice = new Client(server, server.tokens.alice);
});
test.after(async () => {
  for (const client of [admin, alice]) client.close();
  await server.stop();
});

test('lists the profiles that there are', async () => {
  const { status, text } = await admin.get('/debug/pprof/');
  assert.is(status, 200);
  assert.match(text, /profile\?seconds=30 .*\.cpuprofile\n/);
  assert.is((await admin.get('/debug/pprof/none')).status, 404);
});

const profiles: [name: string, members: string[]][] = [
  ['profile', ['endTime', 'nodes', 'samples', 'startTime', 'timeDeltas']],
  ['allocs', ['head', 'samples']],
];
for (const [name, members] of profiles)
  test(`takes a profile for as long as is asked for: ${name}`, async () => {
    const began = performance.now();
    const { status, headers, body } = await admin.get(`/debug/pprof/${name}?seconds=0.2`);
    assert.is(status, 200);
    assert.ok(performance.now() - began >= 199);
    assert.match(headers['content-disposition'] ?? '', new RegExp(`"${name}\\.(?:cpu|heap)profile"`));
    assert.equal(Object.keys(body as Json).sort(), members);
  });

test('takes one profile at a time in each process, and gives it up with its client', async () => {
  const waiting = new Client(server);
  const longProfile = async (): Promise<string> => {
    // the worker may take one of the short ones just then
    for (let status = 429; status === 429; )
      ({ status } = await waiting.request('GET', '/debug/pprof/profile?seconds=300', { timeout: 120_000 }));
    return 'given';
  };
  const given = longProfile().catch(() => 'gone');
  // both workers, of which one has the other's connection
  const others = [1, 2, 3, 4].map(() => new Client(server));
  // one after the other: none of these keeps another one from it
  await eventually('one is under way', async () => {
    for (const client of others) if ((await client.get('/debug/pprof/profile?seconds=0.01')).status === 429) return true;
    return false;
  });
  waiting.close();
  assert.is(await given, 'gone');
  for (const client of others) {
    let status = 429;
    await eventually('the worker takes another one', async () => {
      ({ status } = await client.get('/debug/pprof/profile?seconds=0.01'));
      return status !== 429;
    });
    assert.is(status, 200);
    client.close();
  }
});

for (const seconds of ['-1', '0', '301', 'x', 'NaN'])
  test(`refuses seconds=${seconds}`, async () => assert.is((await admin.get(`/debug/pprof/profile?seconds=${seconds}`)).status, 400));

const lines = (path: string): number => server.log().split(`"path":"${path}"`).length - 1;
/** How many of four requests of a path, whose connections the workers have in turn, the log tells of. */
async function logged(path: string): Promise<number> {
  const before = lines(path);
  const clients = [1, 2, 3, 4].map(() => new Client(server));
  await Promise.all(clients.map((client) => client.get(path)));
  for (const client of clients) client.close();
  await sleep(50);
  return lines(path) - before;
}
/** The workers hear of a change a moment later than its answer comes. */
async function comesToLog(path: string, count: number): Promise<void> {
  for (const until = Date.now() + 20_000; (await logged(path)) !== count; )
    assert.ok(Date.now() < until, `${path} is not logged ${count} times`);
}

test('has all processes log more, and less again', async () => {
  assert.is(await logged('/version'), 0);
  const { status, text } = await admin.request('PUT', '/debug/flags/v', { body: '3' });
  assert.equal([status, text], [200, 'successfully set klog.logging.verbosity to 3\n']);
  await comesToLog('/livez', 4);
  assert.is((await admin.request('PUT', '/debug/flags/v', { body: '0\n' })).status, 200);
  await comesToLog('/openid/v1/jwks', 0);
});

test('has all processes log more of single files, those that start later too', async () => {
  const { status, text } = await admin.request('PUT', '/debug/flags/vmodule', { body: 'chain/*=3,health=1\n' });
  assert.equal([status, text], [200, 'successfully set vmodule to chain/*=3,health=1\n']);
  await comesToLog('/livez/ping', 4);
  const [worker] = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').split(' ').map(Number);
  process.kill(worker as number, 'SIGKILL');
  await eventually('the worker is replaced', () => /"a worker ended and is replaced"/.test(server.log()));
  await comesToLog('/livez/none', 4);
  assert.is((await admin.request('PUT', '/debug/flags/vmodule', { body: '' })).status, 200);
  await comesToLog('/livez/none', 0);
});

for (const [body, problem] of [
  ['a', '"a" does not have the pattern=N format'],
  ['a=1=2', '"a=1=2" does not have the pattern=N format'],
  ['=1', '"=1" does not have the pattern=N format'],
  ['a=-1', 'parsing verbosity in "a=-1"'],
  ['[=1', 'syntax error in pattern "["'],
  ['a=1,'.repeat(2_000), 'the value of a flag is needed'],
] as const)
  test(`refuses levels of files: ${body.slice(0, 20)}`, async () => {
    const { status, text } = await admin.request('PUT', '/debug/flags/vmodule', { body });
    assert.is(status, 400);
    assert.match(text, problem);
  });

test('knows no other flags', async () => assert.is((await admin.request('PUT', '/debug/flags/secure-port', { body: '1' })).status, 404));

for (const body of ['', 'x', '-1', '1.5', '1'.repeat(100)])
  test(`refuses to log ${JSON.stringify(body)}`, async () => {
    const { status, headers, text } = await admin.request('PUT', '/debug/flags/v', { body });
    assert.equal([status, headers['content-type'], headers['x-content-type-options']], [400, 'text/plain', 'nosniff']);
    assert.match(text, `failed set klog.logging.verbosity ${body}: `);
  });

test('is for administrators alone', async () => {
  for (const path of ['/debug/pprof/', '/debug/pprof/profile']) assert.is((await alice.get(path)).status, 403);
  assert.is((await alice.request('PUT', '/debug/flags/v', { body: '3' })).status, 403);
  assert.is((await admin.post('/debug/pprof/profile', {})).status, 405);
});

for (const method of ['GET', 'POST', 'DELETE'])
  test(`takes no ${method} for a flag`, async () => {
    const { status, headers, text } = await admin.request(method, '/debug/flags/v', {});
    assert.equal([status, text, headers['x-content-type-options']], [406, 'unsupported http method\n', 'nosniff']);
  });

test('is not there where a flag says so', async () => {
  const other = await startServer({ dialect: 'cluster', flags: ['--controllers=-*', '--profiling=false'] });
  const client = new Client(other);
  try {
    assert.is((await client.get('/debug/pprof/')).status, 404);
  } finally {
    client.close();
    await other.stop();
  }
});

test.run();
