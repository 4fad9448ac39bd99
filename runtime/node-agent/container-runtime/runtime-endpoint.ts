/** Where the container runtime listens, as the configuration says it. */
import path from 'node:path';

/** Bytes that the address of a Unix socket takes (`sun_path` of unix(7), without its end). */
const MAX_SOCKET_PATH = 107;

/**
 * @param endpoint `unix:///run/containerd/containerd.sock`, or an absolute path
 * @returns the path of the socket
 * @throws Error that names the field and says what is wrong with it
 */
export function runtimeSocket(endpoint: string): string {
  const wrong = (problem: string): Error => new Error(`containerRuntimeEndpoint: ${problem}`);
  const scheme = /^([a-z]+):/.exec(endpoint)?.[1] ?? 'unix';
  if (scheme !== 'unix') throw wrong(`protocol "${scheme}" is not supported: the runtime is asked over a Unix socket, unix:///PATH`);
  const socket = endpoint.replace(/^unix:(?:\/\/)?/, '');
  if (!path.isAbsolute(socket)) throw wrong(`"${endpoint}" names no absolute path: it must be unix:///PATH`);
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH)
    throw wrong(`"${socket}" has ${Buffer.byteLength(socket)} bytes, and the path of a socket at most ${MAX_SOCKET_PATH}`);
  return socket;
}
