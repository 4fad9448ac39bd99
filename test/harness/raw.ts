/** Bytes over TLS, for requests that no well-behaved client can send. */
import { once } from 'node:events';
import tls from 'node:tls';
import { type Answer, authority } from './client.ts';
import type { TestServer } from './server.ts';

/** An open connection that speaks HTTP/1.1, or nothing at all. */
export async function connect(server: TestServer): Promise<tls.TLSSocket> {
  const socket = tls.connect({ host: '127.0.0.1', port: server.port, ca: authority(server), ALPNProtocols: ['http/1.1'] });
  // What follows a refusal is often a reset.
  socket.on('error', () => {});
  await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]);
  return socket;
}

/** Sends `text` and reads until the server closes, or for `timeout` milliseconds. @returns the answers, in order; none where the server just closed */
export async function exchange(server: TestServer, text: string | Buffer, timeout = 5_000): Promise<Answer[]> {
  const socket = await connect(server);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const timer = setTimeout(() => socket.destroy(), timeout);
  socket.write(text);
  await closed;
  clearTimeout(timer);
  return parseAnswers(Buffer.concat(chunks));
}

/** Answers with a content-length, with chunks, or up to the end; interim ones (1xx) are left out. */
export function parseAnswers(bytes: Buffer): Answer[] {
  const answers: Answer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const [statusLine, ...lines] = bytes.toString('latin1', at, end).split('\r\n');
    const status = Number(statusLine?.split(' ')[1]);
    const headers = Object.fromEntries(
      lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2)).map(([name, value]) => [String(name).toLowerCase(), value]),
    );
    at = end + 4;
    if (status < 200) continue;
    const { body, next } = readBody(bytes, at, headers);
    at = next;
    const text = body.toString('utf8');
    const json = /^application\/(?:[\w.-]+\+)?json\b/.test(headers['content-type'] ?? '') && text !== '';
    answers.push({ status, headers, text, body: json ? JSON.parse(text) : undefined });
  }
  return answers;
}

function readBody(bytes: Buffer, start: number, headers: Record<string, string | undefined>): { body: Buffer; next: number } {
  const length = headers['content-length'];
  if (length !== undefined) return { body: bytes.subarray(start, start + Number(length)), next: start + Number(length) };
  if (headers['transfer-encoding'] !== 'chunked') return { body: bytes.subarray(start), next: bytes.length };
  const parts: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd < 0 ? 0 : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (lineEnd < 0) return { body: Buffer.concat(parts), next: bytes.length };
    at = lineEnd + 2;
    if (size === 0) return { body: Buffer.concat(parts), next: at + 2 };
    parts.push(bytes.subarray(at, at + size));
    at += size + 2;
  }
}
