/** Issuers of JSON web tokens: where they are, whom their tokens are for, and by which certificates they are trusted. */
import { X509Certificate } from 'node:crypto';
import type { Issuer, JWTAuthenticator } from '../../../generated/apiserverconfig/v1beta1/types.ts';
import { type PemBlock, pemBlocks } from '../../certificates/pem.ts';
import { duplicate, type FieldError, required } from '../../contract/field-error.ts';
import type { Predicate } from '../../contract/kind.ts';
import { trimRight } from '../../go-text/trim-right.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { eachItem } from '../findings.ts';

const MATCH_ANY = 'MatchAny';

/** No two have the same address, and tokens of each are for somebody. */
export function issuers(authenticators: readonly JWTAuthenticator[]): readonly FieldError[] {
  const seen = { url: new Set<string>(), discoveryURL: new Set<string>() };
  const again = (name: 'url' | 'discoveryURL', value: string | undefined, at: string): readonly FieldError[] => {
    if (!value) return NONE;
    if (seen[name].has(value)) return [duplicate(`${at}.${name}`, value)];
    seen[name].add(value);
    return NONE;
  };
  return eachItem(authenticators, '', ({ issuer }, item) => {
    const at = `${item}.issuer`;
    const path = `${at}.audiences`;
    const hasAudience = (issuer.audiences ?? []).length > 0;
    return joined(
      hasAudience ? NONE : [required(path, `at least one jwt${path} is required`)],
      again('url', issuer.url, at),
      again('discoveryURL', issuer.discoveryURL, at),
    );
  });
}

type OfIssuer = Predicate<string, Issuer>;

/** The other place of keys is another one. */
export const isElsewhere: OfIssuer = (discoveryURL, _old, _context, _scope, { url }) =>
  !url || !discoveryURL || trimRight(discoveryURL, '/') !== trimRight(url, '/');

/** Several audiences need a policy. */
export const suitsSeveral: OfIssuer = (policy, _old, _context, _scope, { audiences }) =>
  (audiences ?? NONE).length <= 1 || policy === MATCH_ANY;

export const suitsOne: OfIssuer = (policy, _old, _context, _scope, { audiences }) =>
  (audiences ?? NONE).length !== 1 || policy === '' || policy === MATCH_ANY;

export const hasCertificates = (text: string): boolean => certificatesIn(text).length > 0;

export function isReadable(text: string): boolean {
  try {
    for (const { bytes } of certificatesIn(text)) new X509Certificate(bytes);
    return true;
  } catch {
    return false;
  }
}

function certificatesIn(text: string): readonly PemBlock[] {
  return [...pemBlocks(text)].filter(({ type, hasHeaders }) => type === 'CERTIFICATE' && !hasHeaders);
}
