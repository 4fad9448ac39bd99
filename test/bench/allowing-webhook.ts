/**
 * An admission webhook that allows everything, as fast as Node can, or after a while: what asking webhooks takes is held against a request to it.
 *
 *   node test/bench/allowing-webhook.ts FOLDER
 *
 * FOLDER gets the certificates, of which `ca.crt` is the authority. The parent process is told the port, and for any message of its own the last question.
 * A path such as `/after/10` has an answer wait for as many milliseconds.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { ensureCertificates } from '../../runtime/server/certificates/certificates.ts';

const folder = process.argv[2] as string;
await ensureCertificates({ folder, names: ['127.0.0.1'], administrator: 'bench' });
const [key, cert] = ['server.key', 'server.crt'].map((file) => readFileSync(path.join(folder, file))) as [Buffer, Buffer];

let lastQuestion = '';

const server = createServer({ key, cert, keepAliveTimeout: 60_000 }, (request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    lastQuestion = Buffer.concat(parts).toString();
    const { apiVersion, kind, request: asked } = JSON.parse(lastQuestion);
    const answer = JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, allowed: true } });
    response.setHeader('content-type', 'application/json');
    response.setHeader('content-length', Buffer.byteLength(answer));
    const milliseconds = Number(/^\/after\/(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
    if (milliseconds > 0) setTimeout(() => response.end(answer), milliseconds);
    else response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => process.send?.(lastQuestion));
process.on('disconnect', () => process.exit());
