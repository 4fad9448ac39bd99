/** What a driver reports of a device that is a network interface. */
import type { FieldError } from '../../contract/field-error.ts';
import { ipRange } from '../../formats/addresses.ts';
import { NONE } from '../../validation/joined.ts';
import { invalidAs } from '../findings.ts';

/** An address with the length of its prefix, which must have its one canonical spelling. */
export function interfaceAddress(text: string): readonly FieldError[] {
  const errors = invalidAs(ipRange(text), '', text);
  if (errors.length > 0) return errors;
  const slash = text.lastIndexOf('/');
  const canonical = `${canonicalAddress(text.slice(0, slash))}/${Number(text.slice(slash + 1))}`;
  return text === canonical ? NONE : invalidAs([`must be in canonical form (${canonical})`], '', text);
}

/** @param address a valid one; an IPv4 address that is written as an IPv6 one becomes IPv4 */
function canonicalAddress(address: string): string {
  if (!address.includes(':')) return address.split('.').map(Number).join('.');
  const compressed = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(compressed) ?? [];
  if (high === undefined || low === undefined) return compressed;
  return [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]).join('.');
}
