import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BootstrapTokens } from '../../runtime/authentication/bootstrap-tokens.ts';
import { kubernetesText, TestObjects } from './objects.ts';

const test = suite('bootstrap tokens');
const TOKEN = 'abcdef.0123456789abcdef';
const GOOD = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' };
const TYPE = 'bootstrap.kubernetes.io/token';

interface Row {
  readonly data?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly key?: string;
  readonly metadata?: object;
  readonly token?: string;
  /** undefined: nobody */
  readonly groups?: readonly string[];
}

const soon = new Date(Date.now() + 60_000).toISOString();
const rows: Readonly<Record<string, Row>> = {
  'a good one': { groups: ['system:bootstrappers'] },
  'with more groups, sorted, each once': {
    data: { 'auth-extra-groups': 'system:bootstrappers:b,system:bootstrappers:a,system:bootstrappers:b' },
    groups: ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b'],
  },
  'with a group of another kind': { data: { 'auth-extra-groups': 'system:bootstrappers:a,system:masters' } },
  'with a group that ends in a hyphen': { data: { 'auth-extra-groups': 'system:bootstrappers:a-' } },
  'that ends later': { data: { expiration: soon }, groups: ['system:bootstrappers'] },
  'that has ended': { data: { expiration: '2020-01-01T00:00:00Z' } },
  'whose end is no time': { data: { expiration: 'tomorrow' } },
  'whose end is a day that there is not': { data: { expiration: '2999-02-30T00:00:00Z' } },
  'whose end is an hour that there is not': { data: { expiration: '2999-02-28T24:00:00Z' } },
  'whose end is in small letters': { data: { expiration: '2999-02-28t10:00:00z' } },
  'whose end is a day without a time': { data: { expiration: '2999-02-28' } },
  'whose end has a fraction after a comma, as Go reads it': {
    data: { expiration: '2999-02-28T1:00:00,5+01:00' },
    groups: ['system:bootstrappers'],
  },
  'with another secret': { data: { 'token-secret': '0123456789abcdeg' } },
  'with a longer secret': { data: { 'token-secret': '0123456789abcdef0' } },
  'with another id inside': { data: { 'token-id': 'abcdeg' } },
  'that is not for authentication': { data: { 'usage-bootstrap-authentication': 'false' } },
  'whose use is not "true" to the letter': { data: { 'usage-bootstrap-authentication': 'True' } },
  'of another type': { type: 'Opaque' },
  'in another namespace': { key: 'secrets/default/bootstrap-token-abcdef' },
  'under another name': { key: 'secrets/kube-system/token-abcdef' },
  'that is being deleted': { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
  'in capital letters': { token: TOKEN.toUpperCase() },
  'without its second part': { token: 'abcdef' },
  'with a line end behind it': { token: `${TOKEN}\n` },
};
for (const [
  name,
  { data = {}, type = TYPE, key = 'secrets/kube-system/bootstrap-token-abcdef', metadata, token = TOKEN, groups },
] of Object.entries(rows))
  test(`${name} ${groups === undefined ? 'is nobody' : 'is known'}`, () => {
    const objects = new TestObjects();
    const values = Object.entries({ ...GOOD, ...data }).map(([field, value]) => [field, Buffer.from(value).toString('base64')]);
    objects.put(key, { type, data: Object.fromEntries(values) }, metadata);
    const user = new BootstrapTokens(objects, kubernetesText).find(token);
    assert.equal(user, groups && { name: 'system:bootstrap:abcdef', uid: '', groups, extra: {} });
  });
test('a secret without data is nobody', () => {
  const objects = new TestObjects();
  objects.put('secrets/kube-system/bootstrap-token-abcdef', { type: TYPE });
  assert.is(new BootstrapTokens(objects, kubernetesText).find(TOKEN), undefined);
});
test.run();
