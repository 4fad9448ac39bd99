import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ClientTrust, trustOf } from '../../runtime/delegation/client-trust.ts';
import { issueCertificate } from '../../runtime/server/certificates/certificate-issuer.ts';

const authority = (commonName: string): string =>
  issueCertificate(
    {
      commonName,
      organizations: [],
      usage: 'authority',
      names: [],
      notBefore: Date.now() - 1_000,
      notAfter: Date.now() + 3_600_000,
    },
    undefined,
  ).certificate;
const [ONE, TWO] = [authority('one'), authority('two')];
const BROKEN = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

const NO_RULES = { names: [], headers: { username: [], uid: [], group: [], extraPrefix: [] } };
const before: ClientTrust = {
  clientAuthorities: ONE,
  proxyAuthorities: ONE,
  proxyRules: { names: ['gate'], headers: { username: ['X-User'], uid: [], group: [], extraPrefix: [] } },
};
const FULL = {
  'client-ca-file': ONE,
  'requestheader-client-ca-file': TWO,
  'requestheader-allowed-names': '["gate","door"]',
  'requestheader-username-headers': '["X-Remote-User"]',
  'requestheader-uid-headers': '["X-Remote-Uid"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
};

function read(data: Record<string, string>, old: ClientTrust = {}, withUids = false): { trust: ClientTrust; problems: string[] } {
  const problems: string[] = [];
  return { trust: trustOf(data, old, withUids, ({ message }) => problems.push(message)), problems };
}

const test = suite('what a config map says of client certificates');
test('is read whole', () => {
  const headers = { username: ['X-Remote-User'], uid: [], group: ['X-Remote-Group'], extraPrefix: ['X-Remote-Extra-'] };
  assert.equal(read(FULL), {
    trust: { clientAuthorities: ONE, proxyAuthorities: TWO, proxyRules: { names: ['gate', 'door'], headers } },
    problems: [],
  });
  assert.equal(read(FULL, {}, true).trust.proxyRules?.headers.uid, ['X-Remote-Uid']);
});
test('says nothing where it is empty', () => assert.equal(read({}), { trust: { proxyRules: NO_RULES }, problems: [] }));
test('may have several authorities in one text', () => assert.is(read({ 'client-ca-file': ONE + TWO }).trust.clientAuthorities, ONE + TWO));
const UNUSABLE: [name: string, data: Record<string, string>, problem: string, stays: (keyof ClientTrust)[]][] = [
  ['no certificate', { ...FULL, 'client-ca-file': 'none' }, 'client-ca-file: it holds no certificate in PEM form', ['clientAuthorities']],
  [
    'a broken certificate',
    { ...FULL, 'requestheader-client-ca-file': ONE + BROKEN },
    'requestheader-client-ca-file: ',
    ['proxyAuthorities'],
  ],
  [
    'no list',
    { ...FULL, 'requestheader-allowed-names': '"gate"' },
    'requestheader: requestheader-allowed-names is no list of texts',
    ['proxyRules'],
  ],
  [
    'numbers',
    { ...FULL, 'requestheader-group-headers': '[1]' },
    'requestheader: requestheader-group-headers is no list of texts',
    ['proxyRules'],
  ],
  ['no JSON', { ...FULL, 'requestheader-username-headers': 'X-Remote-User' }, 'requestheader: ', ['proxyRules']],
];
for (const [name, data, problem, stays] of UNUSABLE)
  test(`leaves in force what was, where it has ${name}`, () => {
    const { trust, problems } = read(data, before);
    assert.is(problems.length, 1);
    assert.ok(problems[0]?.startsWith(problem), problems[0]);
    const sound = read(FULL).trust;
    assert.equal(trust, { ...sound, ...Object.fromEntries(stays.map((member) => [member, before[member]])) });
  });
test('takes authorities back', () => assert.equal(read({}, before).trust, { proxyRules: NO_RULES }));
test.run();
