/** Finds the proxy for a server: that of the configuration, or that of the environment by the rules of Go's `ProxyFromEnvironment`. */
import { BlockList, isIP } from 'node:net';

export interface ProxyServer {
  readonly kind: 'http' | 'socks';
  /** http, https or socks5 */
  readonly url: URL;
  /** header `Proxy-Authorization` */
  readonly authorization?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param named proxy of the configuration; '' for none; undefined leaves it to the environment
 * @throws TypeError for a proxy that is not a URL or has an unknown scheme
 */
export function proxyOf(server: URL, named: string | undefined, environment: Environment = process.env): ProxyServer | undefined {
  const text = named ?? environmentProxy(server, environment);
  if (text === undefined || text === '') return undefined;
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url === null || url.hostname === '') throw new TypeError(`${JSON.stringify(withoutPassword(text))} is no address of a proxy`);
  if (!SCHEMES.has(url.protocol)) throw new TypeError(`a proxy has the scheme http, https or socks5, not ${url.protocol.slice(0, -1)}`);
  const { username, password } = url;
  return {
    kind: url.protocol.startsWith('socks') ? 'socks' : 'http',
    url,
    ...(username !== '' && { authorization: basic(username, password) }),
  };
}

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:', 'socks5h:']);

const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`;

const withoutPassword = (text: string): string => text.replace(/\/\/[^/@]*@/, '//');

function environmentProxy(server: URL, environment: Environment): string | undefined {
  const variable = (name: string): string => environment[name] || environment[name.toLowerCase()] || '';
  const proxy = variable(server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  return proxy !== '' && needsProxy(server, variable('NO_PROXY')) ? proxy : undefined;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** @param exceptions names, addresses, networks and `*`, separated by commas */
export function needsProxy(server: URL, exceptions: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  if (host === 'localhost' || (isIP(host) !== 0 && LOOPBACK.check(host, family(host)))) return false;
  return !exceptions.split(',').some((exception) => covers(exception.trim().toLowerCase(), host, port));
}

function covers(exception: string, host: string, port: string): boolean {
  if (exception === '' || exception === '*') return exception === '*';
  if (exception.includes('/')) return inNetwork(host, exception);
  const [, name = '', onPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(exception) === 6 ? `[${exception}]` : exception) ?? [];
  if (onPort !== undefined && onPort !== port) return false;
  if (isIP(name) !== 0) return name === host;
  const domain = name.replace(/^\*(?=\.)/, '');
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function inNetwork(host: string, network: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  if (isIP(host) === 0 || isIP(address) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (isIP(address) === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), family(address));
  return list.check(host, family(host));
}

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
