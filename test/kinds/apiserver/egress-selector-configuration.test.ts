import { type FileCases, fileSuite } from '../../files/cases.ts';
import { fileKinds } from '../../files/reader.ts';

const cases: FileCases = {
  kinds: fileKinds(),
  name: { group: 'apiserver.${groupDomain}', kind: 'EgressSelectorConfiguration' },
  apiVersion: 'apiserver.k8s.io/v1beta1',
};
const to = (proxyProtocol: string, transport?: object) => ({
  egressSelections: [{ name: 'cluster', connection: { proxyProtocol, transport } }],
});
const AT = 'egressSelections[0].connection';
const tlsConfig = { clientCert: '/c', clientKey: '/k' };

fileSuite('selections of proxies', cases, [
  ['no proxy', to('Direct'), []],
  ['a socket', to('GRPC', { uds: { udsName: '/s' } }), []],
  ['an address', to('HTTPConnect', { tcp: { url: 'https://a', tlsConfig } }), []],
  ['another protocol', to('SOCKS'), [`${AT}.proxyProtocol: Unsupported value: "SOCKS": supported values: "Direct", "GRPC", "HTTPConnect"`]],
  [
    'other servers, and some twice',
    { egressSelections: ['node', 'etcd', 'ETCD', 'Master'].map((name) => ({ name, connection: { proxyProtocol: 'Direct' } })) },
    [
      'egressSelections[0].name: Unsupported value: "node": supported values: "cluster", "controlplane", "etcd"',
      'egressSelections[2].name: Duplicate value: "ETCD"',
      'egressSelections[3].name: Unsupported value: "Master": supported values: "cluster", "controlplane", "etcd"',
    ],
  ],
  ['the former name of the control plane', { egressSelections: [{ name: 'master', connection: { proxyProtocol: 'Direct' } }] }, []],
  [
    'a place of no proxy',
    to('Direct', { uds: {} }),
    [`${AT}.transport: Invalid value: "direct": Transport config should be absent for direct connect`],
  ],
  ['no place', to('HTTPConnect'), [`${AT}.transport: Required value: transport must be set for HTTPConnect`]],
  ['neither place', to('HTTPConnect', {}), [`${AT}.transport.tcp: Required value: One of TCP or UDS must be set`]],
  ['no socket', to('GRPC', { tcp: { url: 'http://a' } }), [`${AT}.transport.uds: Required value: UDS must be set with GRPC`]],
  [
    'a socket without a name',
    to('GRPC', { uds: {} }),
    [`${AT}.transport.uds.udsName: Required value: UDSName should be present for UDS connections`],
  ],
  [
    'both places',
    to('HTTPConnect', { uds: { udsName: '/s' }, tcp: { url: 'http://a' } }),
    [`${AT}.transport.tcp: Invalid value: "http://a": TCP and UDS cannot both be set`],
  ],
  [
    'another scheme',
    to('HTTPConnect', { tcp: { url: 'ftp://a' } }),
    [`${AT}.transport.tcp.url: Invalid value: "ftp://a": supported connection protocols are http:// and https://`],
  ],
  [
    'certificates without TLS',
    to('HTTPConnect', { tcp: { url: 'http://a', tlsConfig } }),
    [`${AT}.transport.tcp.tlsConfig: Invalid value: "nil": TLSConfig config should not be present when using HTTP`],
  ],
  [
    'TLS without certificates',
    to('HTTPConnect', { tcp: { url: 'https://a', tlsConfig: {} } }),
    ['clientCert', 'clientKey'].map((name) => `${AT}.transport.tcp.tlsConfig.${name}: Required value: Using TLS requires ${name}`),
  ],
]).run();
