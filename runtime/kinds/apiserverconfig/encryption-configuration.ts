/** Encryption in the store: what a file given with --encryption-provider-config must fulfil. Errors never show a key. */
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules } from '../../contract/kind.ts';
import { eachItem, needed } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { validateEncryptedResources } from './encrypted-resources.ts';
import { validateKeyService } from './key-service.ts';

const PROVIDERS = ['kms', 'aesgcm', 'aescbc', 'secretbox', 'identity'] as const;
const KEY_LENGTHS = { aesgcm: [16, 24, 32], aescbc: [16, 24, 32], secretbox: [32] } as const;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function rules({ text }: Identity): KindRules {
  const eventsGroup = text('events.${groupDomain}');
  return {
    validate: ({ resources }) => validateAll(resources ?? [], eventsGroup),
  };
}

function validateAll(lists: readonly Struct[], eventsGroup: string): readonly FieldError[] {
  if (lists.length === 0) return [atLeastOne('resources', 'resources')];
  const services = new Set<string>();
  return eachItem(lists, 'resources', ({ resources, providers }, at) => [
    ...((resources ?? []).length === 0 ? [atLeastOne(`${at}.resources`, `${at}.resources`)] : []),
    ...validateEncryptedResources(resources ?? [], `${at}.resources`, eventsGroup),
    ...((providers ?? []).length === 0 ? [atLeastOne(`${at}.providers`, `${at}.providers`)] : []),
    ...eachItem<Struct>(providers, `${at}.providers`, (provider, path) => validateProvider(provider, path, services)),
  ]);
}

function atLeastOne(path: string, what: string): FieldError {
  return required(path, `at least one ${what} is required`);
}

/** @param services names of key services so far; changed */
function validateProvider(provider: Struct, at: string, services: Set<string>): readonly FieldError[] {
  const stated = PROVIDERS.filter((name) => provider[name] !== undefined);
  const [name, ...others] = stated;
  if (name === undefined)
    return [invalid(at, '', 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity')];
  if (others.length > 0)
    return [
      invalid(at, stated.join(', '), 'more than one provider specified in a single element, should split into different list elements'),
    ];
  if (name === 'kms') return validateKeyService(provider.kms, `${at}.kms`, services);
  return name === 'identity' ? [] : validateKeys(provider[name].keys ?? [], `${at}.${name}.keys`, KEY_LENGTHS[name]);
}

function validateKeys(keys: readonly Struct[], path: string, lengths: readonly number[]): readonly FieldError[] {
  if (keys.length === 0) return [atLeastOne(path, 'keys')];
  return eachItem(keys, path, ({ name, secret }, at) => [
    ...needed(name, `${at}.name`, 'name is a mandatory field for a key'),
    ...validateSecret(secret, `${at}.secret`, lengths),
  ]);
}

function validateSecret(secret: string, at: string, lengths: readonly number[]): readonly FieldError[] {
  if (secret === '') return [required(at, 'secret is a mandatory field for a key')];
  if (!BASE64.test(secret)) return [invalid(at, 'REDACTED', 'secrets must be base64 encoded')];
  const { length } = Buffer.from(secret, 'base64');
  if (lengths.includes(length)) return [];
  return [invalid(at, 'REDACTED', `secret is not of the expected length, got ${length}, expected one of [${lengths.join(' ')}]`)];
}
