/** The client's side of SOCKS version 5 (RFC 1928), with user names and passwords (RFC 1929). The proxy resolves host names. */
import { isIPv4 } from 'node:net';
import type { Readable, Writable } from 'node:stream';

export interface SocksUser {
  /** '' for no authentication */
  readonly username: string;
  readonly password: string;
}

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const PASSWORD = 2;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

const FAILURES: readonly string[] = [
  '',
  'general failure',
  'connection not allowed',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'time to live expired',
  'command not supported',
  'address type not supported',
];

/** Resolves when the socket is connected to the target. @throws Error if the proxy refuses; the reason of the signal */
export async function socksConnect(
  socket: Readable & Writable,
  { host, port }: { readonly host: string; readonly port: number },
  { username, password }: SocksUser,
  signal: AbortSignal,
): Promise<void> {
  const methods = username === '' ? [NO_AUTHENTICATION] : [NO_AUTHENTICATION, PASSWORD];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await read(socket, 2, signal);
  if (version !== VERSION) throw new Error('it does not speak SOCKS version 5');
  if (method === PASSWORD) await authenticate(socket, username, password, signal);
  else if (method !== NO_AUTHENTICATION) throw new Error('it takes no way of authentication that the client has');
  const place = Buffer.alloc(2);
  place.writeUInt16BE(port);
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressOf(host), place]));
  const [, reply = 1, , type] = await read(socket, 4, signal);
  if (reply !== 0) throw new Error(FAILURES[reply] ?? `failure ${reply}`);
  // the proxy's own address is read only to get to the end of its answer
  const length = type === IPV4 ? 4 : type === IPV6 ? 16 : ((await read(socket, 1, signal))[0] ?? 0);
  await read(socket, length + 2, signal);
}

async function authenticate(socket: Readable & Writable, username: string, password: string, signal: AbortSignal): Promise<void> {
  const [name, secret] = [Buffer.from(username), Buffer.from(password)];
  if (name.length > 255 || secret.length > 255) throw new Error('its user name and password may have 255 bytes');
  socket.write(Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([secret.length]), secret]));
  const [, status] = await read(socket, 2, signal);
  if (status !== 0) throw new Error('it does not take the user name and password');
}

function addressOf(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([IPV4, ...host.split('.').map(Number)]);
  // an IPv6 address is sent as a name, which the proxy understands too
  const name = Buffer.from(host);
  if (name.length > 255) throw new Error('the name of the server is too long');
  return Buffer.concat([Buffer.from([NAME, name.length]), name]);
}

/** Reads exactly so many bytes. The bytes behind them stay in the socket. */
async function read(socket: Readable, length: number, signal: AbortSignal): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  while (bytes.length < length) {
    signal.throwIfAborted();
    const chunk = socket.read() as Buffer | null;
    if (chunk !== null) bytes = Buffer.concat([bytes, chunk]);
    else if (socket.readableEnded || socket.destroyed) throw new Error('it ended the connection');
    else await readable(socket, signal);
  }
  if (bytes.length > length) socket.unshift(bytes.subarray(length));
  return bytes.subarray(0, length);
}

function readable(socket: Readable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      for (const event of ['readable', 'end', 'close']) socket.removeListener(event, done);
      socket.removeListener('error', failed);
      signal.removeEventListener('abort', aborted);
      resolve();
    };
    const failed = (error: Error): void => {
      done();
      reject(error);
    };
    const aborted = (): void => failed(signal.reason as Error);
    for (const event of ['readable', 'end', 'close']) socket.on(event, done);
    socket.on('error', failed);
    signal.addEventListener('abort', aborted, { once: true });
  });
}
