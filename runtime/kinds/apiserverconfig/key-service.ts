/** A key management service that encrypts the keys of the store. */
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { parseUrl } from '../../formats/url-text.ts';
import { parseDuration } from '../../schema/scalar/duration.ts';
import type { Struct } from '../struct.ts';

const FIRST_VERSION = 'v1';
const VERSIONS = [FIRST_VERSION, 'v2'];

/** @param seen names of services so far; changed */
export function validateKeyService(service: Struct, at: string, seen: Set<string>): FieldError[] {
  const { apiVersion, cachesize, timeout } = service;
  const errors = validateName(service, `${at}.name`, seen);
  if ((parseDuration(timeout) ?? 0n) <= 0n) errors.push(invalid(`${at}.timeout`, timeout, 'timeout should be a positive value'));
  errors.push(...validateEndpoint(service.endpoint, `${at}.endpoint`));
  if (apiVersion !== FIRST_VERSION && cachesize !== undefined)
    errors.push(invalid(`${at}.cachesize`, cachesize, 'cachesize is not supported in v2'));
  if (apiVersion === FIRST_VERSION && cachesize === 0)
    errors.push(invalid(`${at}.cachesize`, cachesize, 'cachesize should be a positive value, or negative to disable'));
  if (!VERSIONS.includes(apiVersion))
    errors.push(
      invalid(`${at}.apiVersion`, apiVersion, `unsupported apiVersion ${apiVersion} for KMS provider, only v1 and v2 are supported`),
    );
  return errors;
}

function validateName({ name, apiVersion }: Struct, at: string, seen: Set<string>): FieldError[] {
  const errors = name === '' ? [required(at, 'name is a mandatory field for a provider')] : [];
  if (apiVersion !== FIRST_VERSION && name.includes(':'))
    errors.push(invalid(at, name, `invalid KMS provider name ${name}, must not contain ':'`));
  if (apiVersion !== FIRST_VERSION && seen.has(name))
    errors.push(invalid(at, name, `duplicate KMS provider name ${name}, names must be unique`));
  seen.add(name);
  return errors;
}

function validateEndpoint(endpoint: string, at: string): FieldError[] {
  if (endpoint === '') return [invalid(at, '', 'endpoint is a mandatory field for a kms')];
  const url = parseUrl(endpoint);
  if ('error' in url) return [invalid(at, endpoint, `invalid endpoint for kms provider, error: ${url.error}`)];
  if (url.scheme === 'unix') return [];
  return [invalid(at, endpoint, `unsupported scheme ${JSON.stringify(url.scheme)} for KMS provider, only unix is supported`)];
}
