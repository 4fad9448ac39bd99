/** Requests that follow each other closely on one connection of HTTP/1.1, behind answers that their client has not read yet. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ensureCertificates } from '../../../runtime/server/certificates/certificates.ts';
import { listen } from '../../../runtime/server/listener/listen.ts';
import { quiet } from '../../harness/quiet.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pipelined-'));
const certificates = await ensureCertificates({ folder, names: ['127.0.0.1'], administrator: 'admin' });

/** Bytes of each answer: more than the buffers on the way take. */
const ANSWER = 8 * 1024 * 1024;

/** The server's end of the connection that sent the last request. */
let served: Socket | undefined;

/** Says how long the body was, and much more. */
async function handler(request: IncomingMessage, response: ServerResponse): Promise<void> {
  served = request.socket;
  let length = 0;
  for await (const chunk of request) length += chunk.length;
  response.setHeader('x-length', length);
  response.end(Buffer.alloc(ANSWER, 'a'));
}
const tls = { ...certificates.serving, clientAuthorities: [certificates.clientAuthority] };
const listener = await listen({ handler, tls, address: '127.0.0.1', port: 0 });

const test = suite('requests in turn');
test.after(async () => {
  await listener.close(0);
  rmSync(folder, { recursive: true });
});

const bodies: readonly number[] = [0, 1_000, 20_000, 100_000, 1_000_000, 5_000_000];
for (const length of bodies)
  test(`a body of ${length} bytes may follow an answer that nobody has read yet`, async () => {
    const socket = connect({ ca: certificates.authority, host: '127.0.0.1', port: listener.port });
    // 'close' follows
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    const request = (size: number): Buffer =>
      Buffer.concat([Buffer.from(`PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`), Buffer.alloc(size, 'b')]);
    served = undefined;
    const exchanged = () => (served?.bytesRead ?? 0) + (served?.bytesWritten ?? 0);
    socket.write(request(7));
    while (exchanged() < ANSWER) await quiet(exchanged);
    socket.write(request(length));
    await quiet(exchanged);
    socket.write(request(length + 1));
    const lengths: string[] = [];
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      for (const [, found = ''] of chunk.toString('latin1').matchAll(/x-length: (\d+)/gi)) lengths.push(found);
      if (bytes > 3 * ANSWER) socket.end();
    });
    await new Promise((resolve) => socket.once('close', resolve));
    assert.equal(lengths, ['7', String(length), String(length + 1)]);
  });

test.run();
