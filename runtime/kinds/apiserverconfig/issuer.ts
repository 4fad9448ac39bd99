/** Issuers of JSON web tokens: where they are, whom their tokens are for, and by which certificates they are trusted. */
import { X509Certificate } from 'node:crypto';
import type { Issuer, JWTAuthenticator } from '../../../generated/apiserverconfig/v1beta1/types.ts';
import { pemBlocks } from '../../certificates/pem.ts';
import { duplicate, type FieldError, invalid, required } from '../../contract/field-error.ts';
import { trimRight } from '../../go-text/trim-right.ts';
import { eachItem } from '../core/findings.ts';
import { joined, NONE } from '../joined.ts';

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

/** Several audiences need a policy. */
export function matchPolicy({ audiences, audienceMatchPolicy: policy = '' }: Issuer): readonly FieldError[] {
  const count = audiences?.length ?? 0;
  const isMissing = count > 1 ? policy !== MATCH_ANY : count === 1 && policy !== '' && policy !== MATCH_ANY;
  if (!isMissing) return NONE;
  const allowed = count > 1 ? 'must be MatchAny for multiple audiences' : 'must be empty or MatchAny for single audience';
  return [invalid('.audienceMatchPolicy', policy, `audienceMatchPolicy ${allowed}`)];
}

/** The other place of keys is another one. */
export function otherPlace({ url, discoveryURL = '' }: Issuer): readonly FieldError[] {
  if (!url || !discoveryURL || trimRight(discoveryURL, '/') !== trimRight(url, '/')) return NONE;
  return [invalid('.discoveryURL', discoveryURL, 'discoveryURL must be different from URL')];
}

/** The text itself is not shown: it may be another file's than that of an authority. */
export function authority(text: string): readonly FieldError[] {
  const problem = text === '' ? undefined : authorityProblem(text);
  return problem === undefined ? NONE : [invalid('', '<omitted>', problem)];
}

function authorityProblem(text: string): string | undefined {
  const certificates = [...pemBlocks(text)].filter(({ type, hasHeaders }) => type === 'CERTIFICATE' && !hasHeaders);
  if (certificates.length === 0) return 'data does not contain any valid RSA or ECDSA certificates';
  try {
    for (const { bytes } of certificates) new X509Certificate(bytes);
    return undefined;
  } catch {
    return 'a certificate cannot be read';
  }
}
