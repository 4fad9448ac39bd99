/** What is wrong with a file of encryption where it is read again when it changes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseEncryption } from '../../../runtime/assembly/encryption/encryption-file.ts';
import { fileKinds } from '../../files/reader.ts';

const kinds = fileKinds();
const service = { kms: { apiVersion: 'v1', name: 'a', endpoint: 'unix:///a.sock' } };
const content = (resource: string): string =>
  JSON.stringify({
    kind: 'EncryptionConfiguration',
    apiVersion: 'apiserver.config.k8s.io/v1',
    resources: [{ resources: [resource], providers: [service, service, service] }],
  });
const problemOf = (resource: string, reloads: boolean): Promise<string | undefined> =>
  parseEncryption(content(resource), { file: 'file', kinds, featureEnabled: () => true, reloads }).then(
    () => undefined,
    (error: Error) => error.message,
  );
const repeated = (place: number): string =>
  `resources[0].providers[${place}].kms.name: Invalid value: "a": duplicate KMS provider name a, names must be unique`;

const files = suite('files of encryption that are read again');
files('have services of the first version with different names', async () => {
  assert.is(await problemOf('secrets', false), undefined);
  assert.is(await problemOf('secrets', true), `[${repeated(1)}, ${repeated(2)}]`);
});
files('are told of names beside all else that is wrong', async () => {
  const capital = 'resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters';
  assert.is(await problemOf('Secrets', true), `[${capital}, ${repeated(1)}, ${repeated(2)}]`);
});
files.run();
