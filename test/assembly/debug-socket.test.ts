/** What a server serves at a socket for debugging. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../runtime/embedded/start-server.ts';
import { startServer as startProgram } from '../harness/server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'debug-socket-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

function ask(socketPath: string, method: string, at: string, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, method, path: at, agent: false }, (response) => {
      text(response).then((said) => resolve({ status: response.statusCode, text: said }), reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const test = suite('the socket for debugging');

test('serves profiles to nobody but the user of the process, without credentials, and nothing else', async () => {
  const at = path.join(folder, 'embedded.sock');
  const server = await startServer({ flags: { 'debug-socket-path': at, profiling: false } });
  assert.is(statSync(at).mode & 0o777, 0o600);
  const profile = await ask(at, 'GET', '/debug/pprof/profile?seconds=0.01');
  assert.is(profile.status, 200);
  assert.ok('samples' in JSON.parse(profile.text));
  assert.is((await server.client.fetch('/debug/pprof/')).status, 404);
  for (const other of ['/api/v1/secrets', '/metrics', '/debug', '//debug/pprof/', '/debug/../api'])
    assert.is((await ask(at, 'GET', other)).status, 404, other);
  await server.stop();
  assert.not(existsSync(at));
});
test('takes how much is logged', async () => {
  const at = path.join(folder, 'program.sock');
  const server = await startProgram({ dialect: 'kubernetes', flags: [`--debug-socket-path=${at}`, '--workers=2'] });
  assert.equal(await ask(at, 'PUT', '/debug/flags/v', '2'), { status: 200, text: 'successfully set klog.logging.verbosity to 2\n' });
  await server.kill();
  assert.ok(existsSync(at));
  const next = await startProgram({ dialect: 'kubernetes', flags: [`--debug-socket-path=${at}`] });
  assert.is((await ask(at, 'GET', '/debug/pprof/')).status, 200);
  assert.is(await next.stop(), 0);
});
test('takes no path that is another program’s', async () => {
  const at = path.join(folder, 'taken.sock');
  const server = await startServer({ flags: { 'debug-socket-path': at } });
  const message = (promise: Promise<unknown>) =>
    promise.then(
      () => '',
      (error: Error) => error.message,
    );
  assert.match(await message(startServer({ flags: { 'debug-socket-path': at } })), /^--debug-socket-path: another program serves /);
  await server.stop();
  const file = path.join(folder, 'a file');
  writeFileSync(file, 'kept');
  assert.match(await message(startServer({ flags: { 'debug-socket-path': file } })), /^--debug-socket-path: .*EADDRINUSE/);
  assert.ok(existsSync(file));
});
test.run();
