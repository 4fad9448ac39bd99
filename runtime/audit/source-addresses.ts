import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { addressText, parseAddress } from '../formats/ip-text.ts';

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
    .flatMap((each) => goAddress(each.trim()) ?? []);
  const other = typeof real === 'string' ? goAddress(real) : undefined;
  if (other !== undefined && !addresses.includes(other)) addresses.push(other);
  if (remoteAddress !== undefined && addresses.at(-1) !== plain(remoteAddress)) addresses.push(plain(remoteAddress));
  return addresses;
}

/** Zeros before the other digits of a number. */
const LEADING_ZEROS = /(?<![^.:])0+(?=\d+(?:\.|$))/g;

/** What a proxy says, as Go reads and writes it. @returns undefined for what is no address, one of a single link among them */
function goAddress(text: string): string | undefined {
  const parsed = parseAddress(text.replace(LEADING_ZEROS, ''));
  return typeof parsed === 'string' || parsed.zone !== '' ? undefined : plain(addressText(parsed));
}

/** An address of IPv4 on a socket of IPv6. */
const plain = (address: string): string => (address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address);
