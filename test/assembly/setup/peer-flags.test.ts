/** How servers of one store are told to pass requests on to one another. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type PeerSettings, peerSettings } from '../../../runtime/assembly/setup/peer-flags.ts';

const test = suite('flags of requests that servers pass on to one another');

type Given = Partial<Parameters<typeof peerSettings>[0]>;

const NONE: Parameters<typeof peerSettings>[0] = {
  'peer-ca-file': '',
  'peer-advertise-ip': '',
  'peer-advertise-port': '',
  'proxy-client-cert-file': '',
  'proxy-client-key-file': '',
  'etcd-servers': ['http://127.0.0.1:2379'],
};
const settings = (given: Given, isOn = true): PeerSettings | undefined => peerSettings({ ...NONE, ...given }, () => isOn);

const refused: readonly (readonly [name: string, given: Given, message: string])[] = [
  [
    'authorities without a certificate to show',
    { 'peer-ca-file': 'ca.crt' },
    'error building peer proxy handler, proxy-cert-file not specified',
  ],
  [
    'authorities without the key of that certificate',
    { 'peer-ca-file': 'ca.crt', 'proxy-client-cert-file': 'a.crt' },
    'error building peer proxy handler, proxy-key-file not specified',
  ],
  ['a name in place of an address', { 'peer-advertise-ip': 'localhost' }, '--peer-advertise-ip: "localhost" is no IP address'],
  ['no port', { 'peer-advertise-port': '65536' }, '--peer-advertise-port: "65536" is no port'],
];
for (const [name, given, message] of refused)
  test(`${name} is refused`, () =>
    assert.throws(
      () => settings(given),
      (error: Error) => error.message === message,
    ));

const chosen: readonly (readonly [name: string, given: Given, isOn: boolean, expected: PeerSettings | undefined])[] = [
  ['without the gate there is nothing', {}, false, undefined],
  ['with the gate others are told where clients reach this server', {}, true, { advertised: undefined, authorityFile: '' }],
  ['a store of its own has no other servers', { 'etcd-servers': [] }, true, undefined],
  ['an address by itself does nothing', { 'peer-advertise-ip': '192.0.2.1' }, true, { advertised: undefined, authorityFile: '' }],
  [
    'address and port together are told',
    { 'peer-advertise-ip': '2001:db8::1', 'peer-advertise-port': '6444' },
    true,
    { advertised: { ip: '2001:db8::1', port: 6444 }, authorityFile: '' },
  ],
  [
    'with authorities requests are passed on',
    { 'peer-ca-file': 'ca.crt', 'proxy-client-cert-file': 'a.crt', 'proxy-client-key-file': 'a.key' },
    true,
    { advertised: undefined, authorityFile: 'ca.crt' },
  ],
];
for (const [name, given, isOn, expected] of chosen) test(name, () => assert.equal(settings(given, isOn), expected));

test.run();
