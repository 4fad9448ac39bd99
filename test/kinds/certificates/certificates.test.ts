import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RuleContext } from '../../../runtime/contract/kind.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { certificateChainProblem } from '../../../runtime/kinds/certificates/certificate-chain.ts';
import { rules as certificateSigningRequestRules } from '../../../runtime/kinds/certificates/certificate-signing-request.ts';
import { rules as bundle } from '../../../runtime/kinds/certificates/cluster-trust-bundle.ts';
import { validateSignerName } from '../../../runtime/kinds/certificates/signer-name.ts';
import { signingRequestProblem } from '../../../runtime/kinds/certificates/signing-request.ts';
import { identity, lines, object, ruleContext } from '../context.ts';

const test = suite('signing requests and trust bundles');
const rules = certificateSigningRequestRules(identity);
x509.cryptoProvider.set(webcrypto as Crypto);

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const SCHEMES = [
  ECDSA,
  { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2048 },
  { name: 'RSA-PSS', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2048, saltLength: 32 },
  { name: 'Ed25519' },
];

async function request(scheme: (typeof SCHEMES)[number]): Promise<string> {
  const keys = (await webcrypto.subtle.generateKey(scheme, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    name: 'CN=x',
    keys,
    signingAlgorithm: scheme as webcrypto.EcdsaParams,
  });
  return made.toString('pem');
}

async function authority(ca: boolean): Promise<string> {
  const keys = (await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const extensions = [new x509.BasicConstraintsExtension(ca)];
  const made = await x509.X509CertificateGenerator.createSelfSigned({ name: 'CN=ca', keys, signingAlgorithm: ECDSA, extensions });
  return `${made.toString('pem')}\n`;
}

const PEM = await request(ECDSA);
const CA = await authority(true);
const csr = (spec: object, status: object = {}): ApiObject =>
  object(
    'certificates.k8s.io/v1',
    'CertificateSigningRequest',
    { spec: { request: Buffer.from(PEM).toString('base64'), signerName: 'example.com/s', usages: ['client auth'], ...spec }, status },
    { namespace: undefined },
  );
const condition = (type: string, status = 'True'): object => ({ type, status });
const decided = (...types: string[]): ApiObject => csr({}, { conditions: types.map((type) => condition(type)) });

for (const scheme of SCHEMES)
  test(`a request signed with ${scheme.name} ${scheme.hash ?? ''}`, async () =>
    assert.is(signingRequestProblem(await request(scheme)), undefined));

function pemOf(der: Buffer): string {
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}

test('requests that are none', () => {
  assert.is(signingRequestProblem('not pem'), 'PEM block type must be CERTIFICATE REQUEST');
  assert.is(signingRequestProblem(CA), 'PEM block type must be CERTIFICATE REQUEST');
  assert.is(signingRequestProblem(pemOf(Buffer.from([0x30, 3, 2, 1, 0]))), 'x509: malformed certificate request');
});

test('every changed bit of a request is found', () => {
  const der = Buffer.from(PEM.replace(/-----.*-----|\s/g, ''), 'base64');
  for (let index = 0; index < der.length; index++) {
    const changed = Buffer.from(der);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    assert.is.not(signingRequestProblem(pemOf(changed)), undefined, `byte ${index}`);
  }
});

const requests: [string, ApiObject, (string | RegExp)[]][] = [
  ['a good one', csr({}), []],
  [
    'short',
    csr({ expirationSeconds: 599 }),
    [/^spec\.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds \(10 minutes\)$/],
  ],
  ['no usage', csr({ usages: undefined }), ['spec.usages: Required value']],
  ['a usage twice', csr({ usages: ['any', 'any'] }), ['spec.usages[1]: Duplicate value: "any"']],
  [
    'the signer of old',
    csr({ signerName: 'kubernetes.io/legacy-unknown' }),
    ['spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version'],
  ],
  ['no request', csr({ request: '' }), ['spec.request: Invalid value: []byte(nil): PEM block type must be CERTIFICATE REQUEST']],
  [
    'a request that is none',
    csr({ request: 'AAE=' }),
    ['spec.request: Invalid value: []byte{0x0, 0x1}: PEM block type must be CERTIFICATE REQUEST'],
  ],
  [
    'both decisions',
    decided('Approved', 'Denied'),
    ['status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive'],
  ],
  ['a decision twice', decided('Failed', 'Failed'), ['status.conditions[1].type: Duplicate value: "Failed"']],
];
for (const [name, value, expected] of requests)
  test(`request: ${name}`, () => {
    const found = lines(rules.validate?.(value, ruleContext()));
    assert.is(found.length, expected.length, found.join('\n'));
    for (const [index, line] of expected.entries()) {
      if (typeof line === 'string') assert.is(found[index], line);
      else assert.match(found[index] as string, line);
    }
  });

test('who asks is recorded, whatever the client claims', async () => {
  const value = csr({ username: 'faked', groups: ['faked'], extra: { a: ['b'] } });
  const user = { name: 'jane', uid: '', groups: ['g'], extra: {} };
  await rules.prepareForCreate?.(value, { ...ruleContext(), user } satisfies RuleContext);
  assert.is(value.spec.username, 'jane');
  assert.equal(value.spec.groups, ['g']);
  assert.not.ok('extra' in value.spec || 'uid' in value.spec);
});

test('approval takes conditions and no certificate, with times', () => {
  const stored = csr({}, { certificate: 'AAAA' });
  const sent = csr({ signerName: 'other.com/s' }, { certificate: 'BBBB', conditions: [condition('Approved')] });
  rules.parts?.approval?.take(stored, sent, ruleContext());
  assert.is(stored.spec.signerName, 'example.com/s');
  assert.is(stored.status.certificate, 'AAAA');
  const now = '2026-01-01T00:00:00Z';
  assert.equal(stored.status.conditions, [{ type: 'Approved', status: 'True', lastUpdateTime: now, lastTransitionTime: now }]);
});

const statusChanges: [string, ApiObject, ApiObject, string[]][] = [
  ['a failure', decided('Failed'), csr({}), []],
  ['an approval', decided('Approved'), csr({}), ['status.conditions: Forbidden: updates may not add a condition of type "Approved"']],
  [
    'a decision taken back',
    csr({}),
    decided('Denied'),
    ['status.conditions: Forbidden: updates may not remove a condition of type "Denied"'],
  ],
  ['a certificate', csr({}, { certificate: Buffer.from(CA).toString('base64') }), csr({}), []],
  [
    'another certificate',
    csr({}, { certificate: Buffer.from(CA).toString('base64') }),
    csr({}, { certificate: 'AAAA' }),
    ['status.certificate: Forbidden: updates may not modify existing certificate content'],
  ],
];
for (const [name, value, old, expected] of statusChanges)
  test(`status: ${name}`, () => assert.equal(lines(rules.validateStatusUpdate?.(value, old, ruleContext())), expected));

const signers: [string, number][] = [
  ['example.com/s', 0],
  ['example.com/a.b', 0],
  ['example/s', 1],
  ['example.com', 1],
  ['a.b/c/d', 1],
  ['Example.com/s', 1],
  ['example.com/', 1],
  ['', 1],
];
for (const [name, count] of signers) test(`signer ${name}`, () => assert.is(validateSignerName(name, 'p').length, count));

test('chains of certificates', () => {
  assert.is(certificateChainProblem(''), undefined);
  assert.is(certificateChainProblem(CA + CA), undefined);
  assert.is(certificateChainProblem(`text before\n${CA}`), undefined);
  assert.is(certificateChainProblem('x'), 'must contain at least one CERTIFICATE PEM block');
  assert.is(certificateChainProblem(PEM), 'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"');
});

const LEAF = await authority(false);
const bundles: [string, string, object, string[]][] = [
  ['of no signer', 'x', { trustBundle: CA }, []],
  ['of a signer', 'example.com:s:x', { signerName: 'example.com/s', trustBundle: CA }, []],
  [
    'of a signer, named otherwise',
    'x',
    { signerName: 'example.com/s', trustBundle: CA },
    ['metadata.name: Invalid value: "x": ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:'],
  ],
  ['empty', 'x', { trustBundle: '' }, ['spec.trustBundle: Invalid value: "<value omitted>": at least one trust anchor must be provided']],
  [
    'an anchor twice',
    'x',
    { trustBundle: CA + CA },
    ['spec.trustBundle: Invalid value: "<value omitted>": duplicate trust anchor (indices [0 1])'],
  ],
  ['a leaf', 'x', { trustBundle: LEAF }, ['spec.trustBundle: Invalid value: "<value omitted>": entry 0 does not have the CA bit set']],
  [
    'a request',
    'x',
    { trustBundle: PEM },
    ['spec.trustBundle: Invalid value: "<value omitted>": entry 0 has bad block type: CERTIFICATE REQUEST'],
  ],
];
for (const [label, name, spec, expected] of bundles)
  test(`bundle ${label}`, () =>
    assert.equal(
      lines(bundle.validate?.(object('certificates.k8s.io/v1alpha1', 'ClusterTrustBundle', { spec }, { name }), ruleContext())),
      expected,
    ));

test('cells', () => {
  const now = Date.parse('2026-01-01T00:00:05Z');
  const value = csr(
    { username: 'u', expirationSeconds: 3600 },
    { conditions: [condition('Approved'), condition('Failed')], certificate: 'AA==' },
  );
  assert.equal(rules.cells?.(value, now), ['x', '5s', 'example.com/s', 'u', '60m', 'Approved,Failed,Issued']);
  assert.equal(rules.cells?.(csr({}), now), ['x', '5s', 'example.com/s', '', '<none>', 'Pending']);
});

test.run();
