import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Whether proxies before say where a request came from. */
export const isForwarded = (headers: IncomingHttpHeaders): boolean =>
  headers['x-forwarded-for'] !== undefined || headers['x-real-ip'] !== undefined;

/** Where a request came from: what proxies before say first, which anybody can claim, then the address of the connection. */
export function sourceAddresses({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): readonly string[] {
  const { remoteAddress } = socket;
  if (!isForwarded(headers)) return remoteAddress === undefined ? [] : [plain(remoteAddress)];
  const { 'x-forwarded-for': forwarded, 'x-real-ip': real } = headers;
  const addresses = String(forwarded ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => isIP(each) !== 0);
  if (typeof real === 'string' && isIP(real) !== 0 && !addresses.includes(real)) addresses.push(real);
  if (remoteAddress !== undefined && addresses.at(-1) !== plain(remoteAddress)) addresses.push(plain(remoteAddress));
  return addresses;
}

/** An address of IPv4 on a socket of IPv6. */
const plain = (address: string): string => (address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address);
