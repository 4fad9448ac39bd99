/**
 * What Node can do here without a server of ours: the listener that we use, answering every request with the same bytes.
 *
 *   node test/bench/bare-server.ts FOLDER
 *
 * FOLDER gets the certificates. `GET /BYTES` is answered with that many; the parent process is told the port.
 */
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { ensureCertificates } from '../../runtime/server/certificates/certificates.ts';

const folder = process.argv[2] as string;
await ensureCertificates({ folder, names: ['127.0.0.1'], administrator: 'bench' });
const [key, cert] = ['server.key', 'server.crt'].map((file) => readFileSync(path.join(folder, file))) as [Buffer, Buffer];
const answers = new Map<string, Buffer>();

const server = createSecureServer({ key, cert, allowHTTP1: true }, (request, response) => {
  let answer = answers.get(request.url);
  if (answer === undefined) {
    answer = Buffer.alloc(Number(request.url.slice(1)), 'x');
    answers.set(request.url, answer);
  }
  response.setHeader('content-type', 'application/json');
  response.setHeader('content-length', answer.length);
  response.end(answer);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
