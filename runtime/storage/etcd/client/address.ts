/** Reads the addresses of etcd's members. */
import path from 'node:path';

export interface EtcdAddress {
  /** the address as it was given, for messages */
  readonly text: string;
  /** the address in the form of gRPC */
  readonly target: string;
  /** name or address, without brackets; for a socket file, the name that its certificate must have */
  readonly host: string;
  /** absent for a socket file */
  readonly port?: number;
  /** when connections use TLS; `withFiles` means if the client has authorities or a certificate of its own */
  readonly tls: 'always' | 'never' | 'withFiles';
}

/** @param text `http://HOST:PORT`, `https://HOST:PORT`, `unix:///PATH` or `unixs:///PATH` @throws TypeError that says what is wrong */
export function parseAddress(text: string): EtcdAddress {
  const [, scheme, file] = /^(unixs?):(?:\/\/)?(.*)$/s.exec(text) ?? [];
  if (scheme !== undefined && file !== undefined) return socketAddress(text, scheme, file);
  const url = URL.parse(text);
  if (url === null) throw wrong(text, 'it has to be a URL');
  const { protocol, hostname, username, password, pathname, search, hash } = url;
  if (protocol !== 'http:' && protocol !== 'https:') throw wrong(text, 'it has to begin with http://, https://, unix:// or unixs://');
  if (hostname === '') throw wrong(text, 'it has to name a host');
  if (username + password !== '') throw wrong(text, 'it may name no user; clients show a certificate');
  if ((pathname !== '' && pathname !== '/') || search !== '' || hash !== '') throw wrong(text, 'it has to end behind the port');
  const port = /:(\d+)\/?$/.exec(text)?.[1];
  if (port === undefined) throw wrong(text, 'it has to name a port');
  const host = hostname.replace(/^\[|\]$/g, '');
  return { text, target: `dns:${hostname}:${Number(port)}`, host, port: Number(port), tls: protocol === 'https:' ? 'always' : 'never' };
}

/**
 * Reads the address of a socket file as clients of etcd do.
 * @param file the path of the socket, absolute or relative to the working directory; its last part, without a port, is the name of the server
 */
function socketAddress(text: string, scheme: string, file: string): EtcdAddress {
  const name = path.posix.basename(file).replace(/:\d*$/, '');
  if (name === '' || file.includes('\0')) throw wrong(text, 'it has to name the file of a socket');
  return { text, target: `unix:${file}`, host: name, tls: scheme === 'unixs' ? 'always' : 'withFiles' };
}

const wrong = (text: string, reason: string): TypeError =>
  new TypeError(`${JSON.stringify(text)} is no address of etcd: ${reason}, as in https://10.0.0.1:2379.`);
