/** A key management service that encrypts the keys of the store. */
import type { KMSConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { parseUrl } from '../../formats/url-text.ts';
import { NONE } from '../../validation/joined.ts';

const FIRST_VERSION = 'v1';
const VERSIONS = [FIRST_VERSION, 'v2'];

/** The second version puts names into paths. */
export function serviceName({ name, apiVersion }: KMSConfiguration): readonly FieldError[] {
  if (apiVersion === FIRST_VERSION || !name.includes(':')) return NONE;
  return [invalid('.name', name, `invalid KMS provider name ${name}, must not contain ':'`)];
}

/** @param seen names of services so far; changed */
export function serviceNameOnce({ name, apiVersion }: KMSConfiguration, at: string, seen: Set<string>): readonly FieldError[] {
  const isRepeated = apiVersion !== FIRST_VERSION && seen.has(name);
  seen.add(name);
  return isRepeated ? [invalid(`${at}.name`, name, repeatedService(name))] : NONE;
}

export const repeatedService = (name: string): string => `duplicate KMS provider name ${name}, names must be unique`;

export function endpoint(text: string): readonly FieldError[] {
  const problem = endpointProblem(text);
  return problem === undefined ? NONE : [invalid('', text, problem)];
}

function endpointProblem(text: string): string | undefined {
  const url = parseUrl(text);
  if ('error' in url) return `invalid endpoint for kms provider, error: ${url.error}`;
  return url.scheme === 'unix' ? undefined : `unsupported scheme ${JSON.stringify(url.scheme)} for KMS provider, only unix is supported`;
}

export function protocolVersion(version: string): readonly FieldError[] {
  if (VERSIONS.includes(version)) return NONE;
  // 1.32 names the field twice and the version nowhere; its users search for these words
  return [invalid('', version, 'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported')];
}
