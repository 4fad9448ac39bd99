/** Encryption in the store: what a file given with --encryption-provider-config must fulfil. Errors never show a key. */
import type { Key, ProviderConfiguration, ResourceConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { eachItem } from '../findings.ts';
import { serviceNameOnce } from './key-service.ts';

const PROVIDERS = ['kms', 'aesgcm', 'aescbc', 'secretbox', 'identity'] as const;
const NO_PROVIDER = 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity';
const SEVERAL_PROVIDERS = 'more than one provider specified in a single element, should split into different list elements';
/** Go passes over it in base64. */
const LINE_END = /[\r\n]/g;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Each has resources and providers; the names of key services differ in all of them. */
export function lists(configurations: readonly ResourceConfiguration[]): readonly FieldError[] {
  const services = new Set<string>();
  return eachItem(configurations, '', (configuration, at) =>
    joined(
      atLeastOne(configuration.resources, `${at}.resources`),
      atLeastOne(configuration.providers, `${at}.providers`),
      eachItem(configuration.providers, `${at}.providers`, ({ kms }, path) =>
        kms === undefined ? NONE : serviceNameOnce(kms, `${path}.kms`, services),
      ),
    ),
  );
}

function atLeastOne(list: readonly unknown[] | null, path: string): readonly FieldError[] {
  return list !== null && list.length > 0 ? NONE : [required(path, `at least one resources${path} is required`)];
}

export function oneProvider(provider: ProviderConfiguration): readonly FieldError[] {
  const stated = PROVIDERS.filter((name) => provider[name] !== undefined);
  if (stated.length === 1) return NONE;
  const problem = stated.length === 0 ? NO_PROVIDER : SEVERAL_PROVIDERS;
  return [invalid('', stated.join(', '), problem)];
}

export const aesKey = (key: Key): readonly FieldError[] => secretOfLength(key, [16, 24, 32]);
export const secretboxKey = (key: Key): readonly FieldError[] => secretOfLength(key, [32]);

function secretOfLength({ secret }: Key, lengths: readonly number[]): readonly FieldError[] {
  const problem = secret === '' ? undefined : secretProblem(secret, lengths);
  return problem === undefined ? NONE : [invalid('.secret', 'REDACTED', problem)];
}

/** @param lengths in bytes */
function secretProblem(secret: string, lengths: readonly number[]): string | undefined {
  if (!BASE64.test(secret.replaceAll(LINE_END, ''))) return 'secrets must be base64 encoded';
  const { length } = Buffer.from(secret, 'base64');
  if (lengths.includes(length)) return undefined;
  return `secret is not of the expected length, got ${length}, expected one of [${lengths.join(' ')}]`;
}
