/** Addresses of members. */

export interface EtcdAddress {
  /** as it was given, for messages */
  readonly text: string;
  /** as gRPC has it */
  readonly target: string;
  /** name or address, without brackets */
  readonly host: string;
  readonly tls: boolean;
}

/** @param text `http://HOST:PORT` or `https://HOST:PORT` @throws TypeError that says what is wrong */
export function parseAddress(text: string): EtcdAddress {
  const url = URL.parse(text);
  const wrong = (reason: string) => new TypeError(`${JSON.stringify(text)} is no address of etcd: ${reason}, as in https://10.0.0.1:2379.`);
  if (url === null) throw wrong('it has to be a URL');
  const { protocol, hostname, username, password, pathname, search, hash } = url;
  if (protocol !== 'http:' && protocol !== 'https:') throw wrong('it has to begin with http:// or https://');
  if (hostname === '') throw wrong('it has to name a host');
  if (username + password !== '') throw wrong('it may name no user; clients show a certificate');
  if ((pathname !== '' && pathname !== '/') || search !== '' || hash !== '') throw wrong('it has to end behind the port');
  const port = /:(\d+)\/?$/.exec(text)?.[1];
  if (port === undefined) throw wrong('it has to name a port');
  return { text, target: `dns:${hostname}:${Number(port)}`, host: hostname.replace(/^\[|\]$/g, ''), tls: protocol === 'https:' };
}
