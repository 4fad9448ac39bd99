/** `make cluster`: what it prints works. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../harness/free-ports.ts';
import { projectRoot } from '../harness/server.ts';

const machine = suite('a cluster on one machine');
for (const dialect of ['kubernetes', 'cluster'])
  machine(`in dialect ${dialect}: a checkpoint is made by the line that is printed, and all of it goes at the end`, async () => {
    const ports = [`--port=${await freePort()}`, `--secure-port=${await freePort()}`];
    const child = spawn(process.execPath, ['test/node-agent/one-machine.ts', `--dialect=${dialect}`, ...ports], {
      cwd: projectRoot,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exit = once(child, 'exit');
    try {
      const printed = await Promise.race([untilPrinted(child), exit.then(async () => Promise.reject(new Error(await text(child.stderr))))]);
      const [, cert = '', key = '', url = ''] = /--cert (\S+) --key (\S+) -X POST (\S+)/.exec(printed) ?? [];
      const { status, body } = await post(url, readFileSync(cert, 'utf8'), readFileSync(key, 'utf8'));
      assert.is(status, 200, body);
      const [archive = ''] = (JSON.parse(body) as { items: string[] }).items;
      assert.match(archive, /\/checkpoints\/checkpoint-web_default-nginx-.*\.tar$/);
      assert.ok(existsSync(archive));
      child.kill('SIGINT');
      assert.equal(await exit, [0, null]);
      assert.not(existsSync(archive));
    } finally {
      if (child.exitCode === null) child.kill('SIGTERM');
    }
  });
machine.run();

async function untilPrinted({ stdout }: { readonly stdout: NodeJS.ReadableStream }): Promise<string> {
  let out = '';
  for await (const part of stdout.setEncoding('utf8')) {
    out += part;
    if (/checkpoint\/default\/web\/nginx\n/.test(out)) return out;
  }
  throw new Error(`it ended: ${out}`);
}

function post(url: string, cert: string, key: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = https.request(url, { method: 'POST', cert, key, rejectUnauthorized: false, agent: false });
    request.once('error', reject);
    request.once('response', (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    request.end();
  });
}
