import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { addressText, parseAddress } from '../formats/ip-text.ts';

/** Tells whether a request has headers by which proxies tell where it came from. */
export const isForwarded = (headers: IncomingHttpHeaders): boolean =>
  headers['x-forwarded-for'] !== undefined || headers['x-real-ip'] !== undefined;

/** Lists the addresses that a request came from: those in headers of proxies, which any client can also make up, and then the address of the connection. */
export function sourceAddresses({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): readonly string[] {
  const { remoteAddress } = socket;
  if (!isForwarded(headers)) return remoteAddress === undefined ? [] : [plain(remoteAddress)];
  const { 'x-forwarded-for': forwarded, 'x-real-ip': real } = headers;
  const addresses = String(forwarded ?? '')
    .split(',')
    .flatMap((each) => goAddress(each.trim()) ?? []);
  const other = typeof real === 'string' ? goAddress(real) : undefined;
  if (other !== undefined && !addresses.includes(other)) addresses.push(other);
  if (remoteAddress !== undefined && addresses.at(-1) !== plain(remoteAddress)) addresses.push(plain(remoteAddress));
  return addresses;
}

/** Matches the zeros before the other digits of a number in an IPv4 address. */
const LEADING_ZEROS = /(?<![^.:])0+(?=\d+(?:\.|$))/g;

/** Reads an address from a header as 1.32 does, which allows leading zeros. @returns undefined if it is no address, or has a zone */
function goAddress(text: string): string | undefined {
  const parsed = parseAddress(text.replace(LEADING_ZEROS, ''));
  return typeof parsed === 'string' || parsed.zone !== '' ? undefined : plain(addressText(parsed));
}

/** Writes an IPv4 address that a socket of IPv6 shows in its own form (`::ffff:192.0.2.1`) as IPv4. */
const plain = (address: string): string => (address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address);
