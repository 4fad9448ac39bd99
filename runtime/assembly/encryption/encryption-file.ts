/** Reads the file that says which resources are encrypted, and how (--encryption-provider-config). No error shows a key. */

import { statSync } from 'node:fs';
import type { EncryptionConfiguration, ProviderConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import { aggregateText } from '../../contract/aggregate-text.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { ApiObject } from '../../contract/object.ts';
import { FileError } from '../../files/file-error.ts';
import type { FileKinds } from '../../files/file-kinds.ts';
import { repeatedService } from '../../kinds/apiserverconfig/key-service.ts';
import type { EncryptionRule } from '../../registry/encrypted-resources.ts';
import { readDuration } from '../../schema/scalar/duration.ts';
import type { CipherName } from '../../storage/encryption/ciphers.ts';
import type { NamedSecret } from '../../storage/encryption/providers.ts';

const WANTED = { group: 'apiserver.config.${groupDomain}', kind: 'EncryptionConfiguration' };

export interface EncryptionFile {
  /** the path, as error messages show it */
  readonly file: string;
  readonly kinds: FileKinds;
  readonly featureEnabled: (gate: string) => boolean;
  /** whether the file is read again when it changes */
  readonly reloads: boolean;
}

/** @returns the validated configuration. @throws Error in the words of 1.32 */
export async function parseEncryption(
  text: string,
  { file, kinds, featureEnabled, reloads }: EncryptionFile,
): Promise<EncryptionConfiguration> {
  if (text.trim() === '')
    throw new Error(`error while loading file: encryption provider configuration file ${JSON.stringify(file)} is empty`);
  let configuration: EncryptionConfiguration;
  try {
    const { object } = await kinds.parse(text, file, WANTED, (decoded) => (reloads ? repeatedServices(configurationOf(decoded)) : []));
    configuration = configurationOf(object);
  } catch (error) {
    throw error instanceof FileError ? new Error(wordsOf(error, file)) : error;
  }
  const services = servicesIn(configuration);
  if (services.some(({ kms }) => kms.apiVersion === 'v1') && !featureEnabled('KMSv1')) throw new Error(NO_FIRST_VERSION);
  return configuration;
}

const configurationOf = (object: ApiObject): EncryptionConfiguration => object as unknown as EncryptionConfiguration;

/**
 * Where the file is read again, services of the first version have different names too, because those tell whether a service is a new one.
 * The names of those of the second version differ everywhere.
 */
function repeatedServices(configuration: EncryptionConfiguration): readonly FieldError[] {
  const seen = new Set<string>();
  return servicesIn(configuration).flatMap(({ at, kms: { name, apiVersion } }) => {
    const isRepeated = apiVersion === 'v1' && seen.has(name);
    seen.add(name);
    return isRepeated ? [invalid(`${at}.name`, name, repeatedService(name))] : [];
  });
}

type Service = NonNullable<ProviderConfiguration['kms']>;

/** All key management services, each with the path of its field in the file. */
function servicesIn({ resources }: EncryptionConfiguration): { readonly at: string; readonly kms: Service }[] {
  return (resources ?? []).flatMap(({ providers }, rule) =>
    (providers ?? []).flatMap(({ kms }, place) => (kms === undefined ? [] : [{ at: `resources[${rule}].providers[${place}].kms`, kms }])),
  );
}

/**
 * How long the services of a configuration stay open after another one has replaced it, as in 1.32, so that calls under way can end.
 * @returns milliseconds
 */
export function serviceGrace(configuration: EncryptionConfiguration): number {
  const timeouts = servicesIn(configuration).map(
    ({ kms: { apiVersion, timeout } }) => (apiVersion === 'v1' ? 2 : 1) * (Number(readDuration(timeout ?? '3s')) / 1e6),
  );
  return 2 * timeouts.reduce((sum, each) => sum + each, 0);
}

const NO_FIRST_VERSION =
  'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.';

/** Matches a problem of a single field, which begins with the field's path. */
const OF_FIELD = /^resources(?:\[|:|\.)/;
const OTHER_KIND = /^unknown apiVersion\/kind: ([^,]+), Kind=(\S+);/;
const STRICT = /^(?:unknown|duplicate) field /;

function wordsOf({ problems }: FileError, file: string): string {
  const strict = problems.filter((problem) => STRICT.test(problem));
  const decoding = `error decoding encryption provider configuration file ${JSON.stringify(file)}: `;
  if (strict.length > 0) return `${decoding}strict decoding error: ${strict.join(', ')}`;
  if (problems.every((problem) => OF_FIELD.test(problem))) return aggregateText(problems);
  const other = OTHER_KIND.exec(problems[0] as string);
  if (other !== null) return `${decoding}no kind ${JSON.stringify(other[2])} is registered for version ${JSON.stringify(other[1])}`;
  return `${decoding}${problems.join(', ')}`;
}

/** Functions that make a provider of each kind. */
export interface ProviderMakers<P> {
  readonly keys: (name: CipherName, secrets: readonly NamedSecret[]) => P;
  /** @throws Error for a key management service that cannot be used */
  readonly service: (kms: Service) => P;
  readonly identity: P;
}

/** @throws what `makers` throw */
export function encryptionRules<P>(
  { resources }: EncryptionConfiguration,
  { keys, service, identity }: ProviderMakers<P>,
): EncryptionRule<P>[] {
  const providerOf = ({ aescbc, aesgcm, secretbox, kms }: ProviderConfiguration): P => {
    if (aescbc !== undefined) return keys('aescbc', secrets(aescbc.keys));
    if (aesgcm !== undefined) return keys('aesgcm', secrets(aesgcm.keys));
    if (secretbox !== undefined) return keys('secretbox', secrets(secretbox.keys));
    return kms === undefined ? identity : service(kms);
  };
  return (resources ?? []).map(({ resources: names, providers }) => ({
    resources: names ?? [],
    providers: (providers ?? []).map(providerOf),
  }));
}

const secrets = (keys: readonly { readonly name: string; readonly secret: string }[] | null): NamedSecret[] =>
  (keys ?? []).map(({ name, secret }) => ({ name, secret: Buffer.from(secret, 'base64') }));

/** Whether some provider encrypts with NaCl's secret box. */
export const usesSecretBox = ({ resources }: EncryptionConfiguration): boolean =>
  (resources ?? []).some(({ providers }) => (providers ?? []).some(({ secretbox }) => secretbox !== undefined));

/** @returns a warning if users other than the owner have access to the file; undefined otherwise */
export function permissionWarning(file: string): string | undefined {
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  return `--encryption-provider-config: ${file} has keys, and others than its owner may use it (mode ${mode.toString(8)}): mode 600 keeps them out`;
}
