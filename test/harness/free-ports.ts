/** Ports for programs that have to be told which one they listen on. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const RANGE = '/proc/sys/net/ipv4/ip_local_port_range';
/** Of those that the system gives to whoever asks for any, as most tests do: one of them may be given away before the program listens, or is started again. */
const FIRST_GIVEN = existsSync(RANGE) ? Number.parseInt(readFileSync(RANGE, 'utf8'), 10) : 32_768;
/** How many below those are chosen from. */
const COUNT = Math.min(12_000, FIRST_GIVEN - 1_024);

/** Ports of loopback on which nobody listens, and which the system gives to nobody. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = FIRST_GIVEN - 1 - randomInt(COUNT);
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

export async function freePort(): Promise<number> {
  return (await freePorts(1))[0] as number;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
