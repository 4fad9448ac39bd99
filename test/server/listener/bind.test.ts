import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bind } from '../../../runtime/server/listener/bind.ts';

const test = suite('listening');

async function problemOf(address: string, port: number, sharesPort = false): Promise<string> {
  const server = createServer();
  try {
    await bind(server, { address, port, sharesPort });
    return 'none';
  } catch (error) {
    return (error as Error).message;
  } finally {
    server.close();
  }
}

test('on a port that another has names the flag', async () => {
  const first = createServer();
  await bind(first, { address: '127.0.0.1', port: 0 });
  const { port } = first.address() as { port: number };
  assert.is(await problemOf('127.0.0.1', port), `port ${port} of 127.0.0.1 is in use by another program; --secure-port chooses another`);
  first.close();
});

test('on a port that another one shares', async () => {
  const first = createServer();
  await bind(first, { address: '127.0.0.1', port: 0, sharesPort: true });
  const { port } = first.address() as { port: number };
  assert.is(await problemOf('127.0.0.1', port, true), 'none');
  assert.is(await problemOf('127.0.0.1', port), `port ${port} of 127.0.0.1 is in use by another program; --secure-port chooses another`);
  first.close();
});

// an address that documents use, and a name that is none
for (const address of ['192.0.2.1', 'no.such.invalid'])
  test(`on ${address} names the flag`, async () => {
    assert.is(await problemOf(address, 0), `--bind-address: ${address} is no address of this machine`);
  });

test.run();
