import type { IPBlock, NetworkPolicyPort } from '../../../generated/networking/v1/types.ts';
import type { Predicate } from '../../contract/kind.ts';
import { masked, type ParsedRange, parseLenientRange } from '../../formats/ip-text.ts';
import { portNumber } from '../../formats/ports.ts';

export const isOfUnnamedPort: Predicate<number, NetworkPolicyPort> = (_end, _old, _context, _scope, { port }) => typeof port !== 'string';

/** The end of a range is only looked at where the range begins with a number. */
export const isLastPort: Predicate<number, NetworkPolicyPort> = (end, _old, _context, _scope, { port }) =>
  typeof port !== 'number' || portNumber(end).length === 0;

export const isStrictlyWithin: Predicate<string, IPBlock> = (text, _old, _context, _scope, { cidr }) =>
  isPart(parseLenientRange(text), parseLenientRange(cidr));

function isPart(part: ParsedRange | undefined, whole: ParsedRange | undefined): boolean {
  if (part === undefined || whole === undefined) return false;
  if (part.address.bytes.length !== whole.address.bytes.length || part.bits <= whole.bits) return false;
  const network = masked(whole.address.bytes, whole.bits);
  return masked(part.address.bytes, whole.bits).every((byte, index) => byte === network[index]);
}
