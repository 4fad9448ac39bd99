/** The functions of IP addresses and ranges that Kubernetes adds to CEL. */
import type { FunctionDeclaration, Library } from '../../environment/declarations.ts';
import { BOOL, INT, STRING } from '../../types/type.ts';
import { costSize } from '../../values/describe.ts';
import { ErrorValue, NO_SUCH_OVERLOAD, type Value } from '../../values/value.ts';
import { declared, member, plain } from '../overloads.ts';
import { TRAVERSAL, traversalUnits } from '../standard/costs.ts';
import { CIDR, CidrValue, IP, IpValue } from './address-values.ts';

const units = (size: number): number => Math.ceil(size * TRAVERSAL);
const parsed: FunctionDeclaration['cost'] = ([text]) => traversalUnits(text);

const predicate = (name: string, id: string, holds: (ip: IpValue) => boolean): FunctionDeclaration =>
  declared(name, [member(id, [IP], BOOL, holds)]);

function isCanonical(text: string): Value {
  const ip = IpValue.parse(text);
  return ip instanceof ErrorValue ? ip : ip.toString() === text;
}

export const ipLibrary: Library = {
  name: 'kubernetes.net.ip',
  since: 30,
  types: [IP],
  functions: [
    declared('ip', [plain('string_to_ip', [STRING], IP, IpValue.parse)], (args, overload) =>
      overload === 'cidr_ip' ? 1 : traversalUnits(args[0]),
    ),
    declared('isIP', [plain('is_ip', [STRING], BOOL, (text: string) => IpValue.parse(text) instanceof IpValue)], parsed),
    declared('ip.isCanonical', [plain('ip_is_canonical', [STRING], BOOL, isCanonical)], ([text]) => units(costSize(text) * 2)),
    declared('string', [plain('ip_to_string', [IP], STRING, (ip: IpValue) => ip.toString())]),
    declared('family', [member('ip_family', [IP], INT, ({ family }: IpValue) => BigInt(family))]),
    predicate('isUnspecified', 'ip_is_unspecified', (ip) => ip.isUnspecified()),
    predicate('isLoopback', 'ip_is_loopback', (ip) => ip.isLoopback()),
    predicate('isLinkLocalMulticast', 'ip_is_link_local_multicast', (ip) => ip.isLinkLocalMulticast()),
    predicate('isLinkLocalUnicast', 'ip_is_link_local_unicast', (ip) => ip.isLinkLocalUnicast()),
    predicate('isGlobalUnicast', 'ip_is_global_unicast', (ip) => ip.isGlobalUnicast()),
  ],
};

/** As in 1.32, the error of an invalid address does not show the text, while that of an invalid range does. */
function containsIpText(cidr: CidrValue, text: string): Value {
  const ip = IpValue.parse(text);
  return ip instanceof ErrorValue ? NO_SUCH_OVERLOAD : cidr.containsIp(ip);
}

function containsCidrText(cidr: CidrValue, text: string): Value {
  const part = CidrValue.parse(text);
  return part instanceof ErrorValue ? part : cidr.containsCidr(part);
}

/** Both addresses are traversed as far as the prefix of the range. */
const compared = (cidr: Value | undefined): number => units(costSize(cidr) * 2);

export const cidrLibrary: Library = {
  name: 'net.cidr',
  since: 30,
  types: [CIDR],
  functions: [
    declared('cidr', [plain('string_to_cidr', [STRING], CIDR, CidrValue.parse)], parsed),
    declared('isCIDR', [plain('is_cidr', [STRING], BOOL, (text: string) => CidrValue.parse(text) instanceof CidrValue)], parsed),
    declared('string', [plain('cidr_to_string', [CIDR], STRING, (cidr: CidrValue) => cidr.toString())]),
    declared('ip', [member('cidr_ip', [CIDR], IP, ({ bytes }: CidrValue) => new IpValue(bytes))]),
    declared('prefixLength', [member('cidr_prefix_length', [CIDR], INT, ({ bits }: CidrValue) => BigInt(bits))]),
    declared('masked', [member('cidr_masked', [CIDR], CIDR, (cidr: CidrValue) => cidr.masked())]),
    declared(
      'containsIP',
      [
        member('cidr_contains_ip_string', [CIDR, STRING], BOOL, containsIpText),
        member('cidr_contains_ip_ip', [CIDR, IP], BOOL, (cidr: CidrValue, ip: IpValue) => cidr.containsIp(ip)),
      ],
      ([cidr, other], overload) => compared(cidr) + (overload === 'cidr_contains_ip_string' ? traversalUnits(other) : 0),
    ),
    declared(
      'containsCIDR',
      [
        member('cidr_contains_cidr_string', [CIDR, STRING], BOOL, containsCidrText),
        member('cidr_contains_cidr', [CIDR, CIDR], BOOL, (cidr: CidrValue, part: CidrValue) => cidr.containsCidr(part)),
      ],
      // 1.32 also charges for masking the range
      ([cidr, other], overload) =>
        compared(cidr) + traversalUnits(cidr) + 1 + (overload === 'cidr_contains_cidr_string' ? traversalUnits(other) : 0),
    ),
  ],
};
