/** Ports for programs that have to be told which one they listen on. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';

const RANGE = '/proc/sys/net/ipv4/ip_local_port_range';
/** Of those that the system gives to whoever asks for any, as most tests do: one of them may be given away before the program listens, or is started again. */
const FIRST_GIVEN = existsSync(RANGE) ? Number.parseInt(readFileSync(RANGE, 'utf8'), 10) : 32_768;
/** How many below those are chosen from. */
const COUNT = Math.min(12_000, FIRST_GIVEN - 1_024);

/** Ports of loopback on which nobody listens, which the system gives to nobody, and of which no other test gets one while this process is there. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = FIRST_GIVEN - 1 - randomInt(COUNT);
    if ((await isReserved(port)) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

export async function freePort(): Promise<number> {
  return (await freePorts(1))[0] as number;
}

/**
 * A socket with a name and without a file, which Linux alone has, keeps the port for this process: it goes with it, however it ends. To look whether a
 * port is free takes it for a moment, in which a program that was told of it could not have it.
 */
async function isReserved(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const server = createServer().unref();
  return listens(server, `\0cluster-test-port-${port}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  if (!(await listens(server, port))) return false;
  server.close();
  await once(server, 'close');
  return true;
}

async function listens(server: Server, at: number | string): Promise<boolean> {
  server.listen(typeof at === 'number' ? { port: at, host: '127.0.0.1' } : { path: at });
  return once(server, 'listening').then(
    () => true,
    () => false,
  );
}
