import { duplicate, type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import { eachItem, needed } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

const SELECTIONS = ['cluster', 'controlplane', 'etcd'];
const PROTOCOLS = ['Direct', 'GRPC', 'HTTPConnect'];

export const rules: KindRules = { validate: ({ egressSelections }) => validateSelections(egressSelections ?? []) };

function validateSelections(selections: readonly Struct[]): readonly FieldError[] {
  const seen = new Set<string>();
  return eachItem(selections, 'egressSelections', ({ name, connection }, at) => {
    const canonical = name.toLowerCase();
    const twice = seen.has(canonical);
    seen.add(canonical);
    return [
      ...(SELECTIONS.includes(canonical) ? [] : [notSupported(`${at}.name`, name, SELECTIONS)]),
      ...(twice ? [duplicate(`${at}.name`, name)] : []),
      ...validateConnection(connection, `${at}.connection`),
    ];
  });
}

function validateConnection({ proxyProtocol, transport }: Struct, at: string): readonly FieldError[] {
  const path = `${at}.transport`;
  if (!PROTOCOLS.includes(proxyProtocol)) return [notSupported(`${at}.proxyProtocol`, proxyProtocol, PROTOCOLS)];
  if (proxyProtocol === 'Direct')
    return transport === undefined ? [] : [invalid(path, 'direct', 'Transport config should be absent for direct connect')];
  if (transport === undefined) return [required(path, `transport must be set for ${proxyProtocol}`)];
  return validateTransport(transport, path, proxyProtocol);
}

function validateTransport({ tcp, uds }: Struct, at: string, protocol: string): readonly FieldError[] {
  if (uds === undefined && protocol === 'GRPC') return [required(`${at}.uds`, 'UDS must be set with GRPC')];
  if (tcp !== undefined && uds !== undefined && protocol !== 'GRPC')
    return [invalid(`${at}.tcp`, tcp.url, 'TCP and UDS cannot both be set')];
  if (uds !== undefined) return needed(uds.udsName, `${at}.uds.udsName`, 'UDSName should be present for UDS connections');
  return tcp === undefined ? [required(`${at}.tcp`, 'One of TCP or UDS must be set')] : validateTcp(tcp, `${at}.tcp`);
}

function validateTcp({ url, tlsConfig }: Struct, at: string): readonly FieldError[] {
  const isHttps = url?.startsWith('https://') === true;
  if (!isHttps && !url?.startsWith('http://'))
    return [invalid(`${at}.url`, url ?? '', 'supported connection protocols are http:// and https://')];
  if (!isHttps)
    return tlsConfig === undefined ? [] : [invalid(`${at}.tlsConfig`, 'nil', 'TLSConfig config should not be present when using HTTP')];
  if (tlsConfig === undefined) return [required(`${at}.tlsConfig`, 'TLSConfig must be present when using HTTPS')];
  return [
    ...needed(tlsConfig.clientCert, `${at}.tlsConfig.clientCert`, 'Using TLS requires clientCert'),
    ...needed(tlsConfig.clientKey, `${at}.tlsConfig.clientKey`, 'Using TLS requires clientKey'),
  ];
}
