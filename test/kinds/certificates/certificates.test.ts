import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RuleContext } from '../../../runtime/contract/kind-rules.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { OWN_WORK } from '../../../runtime/contract/request-context.ts';
import { signerName } from '../../../runtime/kinds/certificates/signer-name.ts';
import { authority, request } from '../../certificates/made.ts';
import { lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('signing requests and trust bundles');
const { rules } = await loadKind('certificates.k8s.io/v1', 'CertificateSigningRequest');
const { rules: bundle } = await loadKind('certificates.k8s.io/v1alpha1', 'ClusterTrustBundle');

const PEM = await request();
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

const requests: [string, ApiObject, (string | RegExp)[]][] = [
  ['a good one', csr({}), []],
  [
    'short',
    csr({ expirationSeconds: 599 }),
    [/^spec\.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds \(10 minutes\)$/],
  ],
  ['no usage', csr({ usages: undefined }), ['spec.usages: Required value']],
  ['no signer', csr({ signerName: '' }), ['spec.signerName: Required value']],
  ['a usage twice', csr({ usages: ['any', 'any'] }), ['spec.usages[1]: Duplicate value: "any"']],
  [
    'the signer of old',
    csr({ signerName: 'kubernetes.io/legacy-unknown' }),
    ['spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version'],
  ],
  ['no request', csr({ request: undefined }), ['spec.request: Invalid value: []byte(nil): PEM block type must be CERTIFICATE REQUEST']],
  ['an empty request', csr({ request: '' }), ['spec.request: Invalid value: []byte{}: PEM block type must be CERTIFICATE REQUEST']],
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
  await rules.prepareForCreate?.(value, { ...ruleContext(), request: { ...OWN_WORK, user } } satisfies RuleContext);
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
];
test('labels of a signer are quoted as Go quotes them', () =>
  assert.match(signerName('a.\u0001/b')[0]?.message ?? '', /^Invalid value: "a\.\\x01": validating label "\\x01": /));

for (const [name, count] of signers) test(`signer ${name}`, () => assert.is(signerName(name).length, count));

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

test('cells', async () => {
  const now = Date.parse('2026-01-01T00:00:05Z');
  const value = csr(
    { username: 'u', expirationSeconds: 3600 },
    { conditions: [condition('Approved'), condition('Failed')], certificate: 'AA==' },
  );
  assert.equal(await rowOf(value, now), ['x', '5s', 'example.com/s', 'u', '60m', 'Approved,Failed,Issued']);
  assert.equal(await rowOf(csr({}), now), ['x', '5s', 'example.com/s', '', '<none>', 'Pending']);
});

test.run();
