/** What 1.32 says of addresses and ranges that it takes, though they are not written as they should be. */
import { addressText, parseAddress, parseRange } from '../../formats/ip-text.ts';

const IPV6_BYTES = 16;
const FUTURE = 'was accepted, but will be invalid in a future Kubernetes release';

function notCanonical(path: string, what: string, text: string, canonical: string): string[] {
  if (text === canonical) return [];
  const shown = [text, canonical].map((each) => JSON.stringify(each));
  return [`${path}: IPv6 ${what} ${shown[0]} is not in RFC 5952 canonical format (${shown[1]}), which may cause controller apply-loops`];
}

export function addressWarnings(text: string, path: string): string[] {
  const address = parseAddress(text);
  if (typeof address === 'string') return [`${path}: IP address ${FUTURE}: ${address}`];
  return address.bytes.length === IPV6_BYTES ? notCanonical(path, 'address', text, addressText(address)) : [];
}

export function rangeWarnings(text: string, path: string): string[] {
  const range = parseRange(text);
  if (typeof range === 'string') return [`${path}: IP prefix ${FUTURE}: ${range}`];
  const { address, bits } = range;
  return address.bytes.length === IPV6_BYTES ? notCanonical(path, 'prefix', text, `${addressText(address)}/${bits}`) : [];
}
