/** What a driver reports of a device that is a network interface. */

import { type FieldError, invalid, tooLong } from '../../contract/field-error.ts';
import { ipRange } from '../../formats/addresses.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { invalidAs } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { validateTexts } from './collections.ts';

const INTERFACE_LENGTH = 256;
const HARDWARE_ADDRESS_LENGTH = 128;
const ADDRESSES_LIMIT = 16;

export function validateNetworkData(data: Struct | undefined, path: string): FieldError[] {
  if (data === undefined) return [];
  return [
    ...atMostBytes(data.interfaceName, `${path}.interfaceName`, INTERFACE_LENGTH),
    ...atMostBytes(data.hardwareAddress, `${path}.hardwareAddress`, HARDWARE_ADDRESS_LENGTH),
    ...validateTexts(data.ips, `${path}.ips`, ADDRESSES_LIMIT, validateInterfaceAddress),
  ];
}

function atMostBytes(text: string | undefined, path: string, limit: number): FieldError[] {
  return isLongerThan(text ?? '', limit) ? [tooLong(path, limit)] : [];
}

/** An address with the length of its prefix, which must have its one canonical spelling. */
function validateInterfaceAddress(text: string, path: string): readonly FieldError[] {
  const errors = invalidAs(ipRange(text), path, text);
  if (errors.length > 0) return errors;
  const slash = text.lastIndexOf('/');
  const canonical = `${canonicalAddress(text.slice(0, slash))}/${Number(text.slice(slash + 1))}`;
  return text === canonical ? [] : [invalid(path, text, `must be in canonical form (${canonical})`)];
}

/** @param address a valid one; an IPv4 address that is written as an IPv6 one becomes IPv4 */
function canonicalAddress(address: string): string {
  if (!address.includes(':')) return address.split('.').map(Number).join('.');
  const compressed = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(compressed) ?? [];
  if (high === undefined || low === undefined) return compressed;
  return [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]).join('.');
}
