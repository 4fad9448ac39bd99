/** Sockets that killed processes have left, and those that nobody may touch. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { removeLeftSockets, socketFolder } from '../../runtime/egress/left-sockets.ts';
import { TunnelSocket } from '../../runtime/egress/tunnel-socket.ts';

const test = suite('sockets that processes leave');
const LISTENS = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A process that has ended. */
const dead = (): number => spawnSync(process.execPath, ['-e', '']).pid;

function folderOf(pid: number): string {
  const folder = mkdtempSync(join(tmpdir(), `cluster-egress-${pid}-`));
  folders.push(folder);
  return folder;
}

/** Makes it as old as one that nobody is about to listen in. */
function aged(folder: string): string {
  utimesSync(folder, 0, 0);
  return folder;
}

test('are removed with their folders once their process is dead', async () => {
  const left = folderOf(dead());
  spawnSync(process.execPath, ['-e', LISTENS, join(left, 'socket')]);
  assert.ok(existsSync(join(left, 'socket')));
  await removeLeftSockets(Date.now());
  assert.ok(existsSync(left), 'it is fresh');
  assert.ok((await removeLeftSockets(Date.now() + 3_600_000)).includes(left));
  assert.not(existsSync(left));
});

test('are removed where no socket has been made', async () => {
  const left = aged(folderOf(dead()));
  await removeLeftSockets(Date.now());
  assert.not(existsSync(left));
});

test('stay where somebody listens whose process is not seen here', async () => {
  const left = folderOf(dead());
  const server = createServer().listen(join(left, 'socket'));
  await once(server, 'listening');
  aged(left);
  await removeLeftSockets(Date.now());
  assert.ok(existsSync(join(left, 'socket')));
  server.close();
});

test('are removed where their process had the number that this one has', async () => {
  const left = aged(mkdtempSync(socketFolder()));
  await removeLeftSockets(Date.now());
  assert.not(existsSync(left));
});

test('stay where their process lives, and where they are not of this kind', async () => {
  const own = mkdtempSync(socketFolder());
  const other = join(tmpdir(), 'cluster-egress-notes');
  mkdirSync(other, { recursive: true });
  folders.push(own, other);
  aged(other);
  await removeLeftSockets(Date.now());
  assert.equal([existsSync(own), existsSync(other)], [true, true]);
});

test('stay where only a link leads to them', async () => {
  const [target, link] = [aged(folderOf(process.ppid)), join(tmpdir(), `cluster-egress-${dead()}-link`)];
  symlinkSync(target, link);
  folders.push(link);
  await removeLeftSockets(Date.now() + 3_600_000);
  assert.ok(existsSync(target));
});

test('are removed when the next one is made', async () => {
  const left = aged(folderOf(dead()));
  const socket = await TunnelSocket.open(
    () => Promise.reject(new Error('nobody is there')),
    { host: '10.0.0.1', port: 1 },
    () => {},
  );
  assert.not(existsSync(left));
  socket.close();
  assert.not(existsSync(socket.path));
});
test.run();
