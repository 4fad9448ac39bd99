import { type FieldError, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { ipAddress, ordinaryIp } from '../../formats/addresses.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { portNumber } from '../../formats/ports.ts';
import type { Struct } from '../struct.ts';
import { PROTOCOLS } from './containers.ts';
import { eachItem, invalidAs, needed, neededOneOf } from './findings.ts';

type List = readonly Struct[] | undefined;

function validate({ subsets }: ApiObject): readonly FieldError[] {
  return eachItem(subsets as List, 'subsets', ({ addresses, notReadyAddresses, ports }, at) => [
    ...((addresses ?? []).length + (notReadyAddresses ?? []).length > 0
      ? []
      : [required(at, 'must specify `addresses` or `notReadyAddresses`')]),
    ...eachItem(addresses as List, `${at}.addresses`, validateEndpoint),
    ...eachItem(notReadyAddresses as List, `${at}.notReadyAddresses`, validateEndpoint),
    ...eachItem(ports as List, `${at}.ports`, (port, path) => validatePort(port, path, ports.length > 1)),
  ]);
}

function validateEndpoint({ ip = '', hostname, nodeName }: Struct, path: string): readonly FieldError[] {
  return [
    ...invalidAs(ipAddress(ip), `${path}.ip`, ip),
    ...(hostname ? invalidAs(dnsLabel(hostname), `${path}.hostname`, hostname) : []),
    ...(nodeName === undefined ? [] : invalidAs(dnsSubdomain(nodeName), `${path}.nodeName`, nodeName)),
    ...invalidAs(ordinaryIp(ip), `${path}.ip`, ip),
  ];
}

function validatePort({ name, port, protocol, appProtocol }: Struct, path: string, needsName: boolean): readonly FieldError[] {
  return [
    ...(name ? invalidAs(dnsLabel(name), `${path}.name`, name) : needsName ? needed(name, `${path}.name`) : []),
    ...invalidAs(portNumber(port), `${path}.port`, port ?? 0),
    ...neededOneOf(protocol, `${path}.protocol`, PROTOCOLS),
    ...(appProtocol === undefined ? [] : invalidAs(qualifiedName(appProtocol), `${path}.appProtocol`, appProtocol)),
  ];
}

export const rules: KindRules = {
  validate,
};
