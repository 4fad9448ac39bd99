/**
 * An admission webhook that allows everything, as fast as Node can: what asking webhooks takes is held against a request to it.
 *
 *   node test/bench/allowing-webhook.ts FOLDER
 *
 * FOLDER gets the certificates, of which `ca.crt` is the authority. The parent process is told the port.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { ensureCertificates } from '../../runtime/server/certificates.ts';

const folder = process.argv[2] as string;
await ensureCertificates({ folder, names: ['127.0.0.1'], administrator: 'bench' });
const [key, cert] = ['server.key', 'server.crt'].map((file) => readFileSync(path.join(folder, file))) as [Buffer, Buffer];

const server = createServer({ key, cert, keepAliveTimeout: 60_000 }, (request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { apiVersion, kind, request: asked } = JSON.parse(Buffer.concat(parts).toString());
    const answer = JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, allowed: true } });
    response.setHeader('content-type', 'application/json');
    response.setHeader('content-length', Buffer.byteLength(answer));
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
