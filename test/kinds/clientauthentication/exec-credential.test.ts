import * as assert from 'uvu/assert';
import { type FileCases, fileSuite, fileText } from '../../files/cases.ts';
import { fileKinds } from '../../files/reader.ts';

const cases: FileCases = {
  kinds: fileKinds(),
  name: { group: 'client.authentication.${groupDomain}', kind: 'ExecCredential' },
  apiVersion: 'client.authentication.k8s.io/v1',
};
const credentials = fileSuite('credentials of programs', cases, [
  ['no answer yet', { spec: { interactive: true, cluster: { server: 'https://a' } } }, []],
  ['a token', { status: { token: 't', expirationTimestamp: '2026-01-01T00:00:00Z' } }, []],
  ['a certificate', { status: { clientCertificateData: 'c', clientKeyData: 'k' } }, []],
  ['nothing', { status: {} }, ['status: Required value: exec plugin did not return a token or a certificate with its key']],
  [
    'a certificate without its key',
    { status: { token: 't', clientCertificateData: 'c' } },
    ['status.clientKeyData: Required value: a certificate and its key come together'],
  ],
  [
    'a key without its certificate',
    { status: { clientKeyData: 'k' } },
    ['status.clientCertificateData: Required value: a certificate and its key come together'],
  ],
]);
credentials('end at a time', async () => {
  const members = { status: { token: 't', expirationTimestamp: '2026-01-01T01:00:00+01:00' } };
  const { object } = await cases.kinds.parse(fileText(cases, members), 'program', cases.name);
  assert.is(object.status.expirationTimestamp, '2026-01-01T00:00:00Z');
});
credentials('of the older version become the newer', async () => {
  const older = { ...cases, apiVersion: 'client.authentication.k8s.io/v1beta1' };
  const { object, apiVersion } = await cases.kinds.parse(fileText(older, { status: { token: 't' } }), 'program', cases.name);
  assert.is(apiVersion, older.apiVersion);
  assert.is(object.apiVersion, cases.apiVersion);
  assert.equal(object.status, { token: 't' });
});
credentials.run();
