/** An issuer of JSON web tokens: where it is, whom its tokens are for, and by which certificates it is trusted. */

import { X509Certificate } from 'node:crypto';
import { pemBlocks } from '../../certificates/pem.ts';
import { duplicate, type FieldError, invalid, required } from '../../contract/field-error.ts';
import { plainHttpsUrl } from '../../formats/urls.ts';
import { trimRight } from '../../go-text/trim-right.ts';
import { eachItem, invalidAs } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

const MATCH_ANY = 'MatchAny';

export function validateIssuer(issuer: Struct, at: string): readonly FieldError[] {
  const { url, discoveryURL, audiences, audienceMatchPolicy, certificateAuthority } = issuer;
  return [
    ...(url === '' ? [required(`${at}.url`)] : invalidAs(plainHttpsUrl(url), `${at}.url`, url)),
    ...(discoveryURL ? validateDiscoveryUrl(discoveryURL, url, `${at}.discoveryURL`) : []),
    ...validateAudiences(audiences ?? [], `${at}.audiences`),
    ...validateMatchPolicy(audienceMatchPolicy ?? '', audiences?.length ?? 0, `${at}.audienceMatchPolicy`),
    ...(certificateAuthority ? validateAuthority(certificateAuthority, `${at}.certificateAuthority`) : []),
  ];
}

function validateDiscoveryUrl(discovery: string, url: string, at: string): readonly FieldError[] {
  const isSame = url !== '' && trimRight(discovery, '/') === trimRight(url, '/');
  return [
    ...(isSame ? [invalid(at, discovery, 'discoveryURL must be different from URL')] : []),
    ...invalidAs(plainHttpsUrl(discovery), at, discovery),
  ];
}

function validateAudiences(audiences: readonly string[], at: string): readonly FieldError[] {
  if (audiences.length === 0) return [required(at, `at least one ${at} is required`)];
  const seen = new Set<string>();
  return eachItem(audiences, at, (audience, path) => {
    const errors = audience === '' ? [required(path)] : [];
    if (seen.has(audience)) errors.push(duplicate(path, audience));
    seen.add(audience);
    return errors;
  });
}

function validateMatchPolicy(policy: string, audiences: number, at: string): readonly FieldError[] {
  if (audiences > 1 && policy !== MATCH_ANY) return [invalid(at, policy, 'audienceMatchPolicy must be MatchAny for multiple audiences')];
  if (audiences === 1 && policy !== '' && policy !== MATCH_ANY)
    return [invalid(at, policy, 'audienceMatchPolicy must be empty or MatchAny for single audience')];
  return [];
}

/** The text itself is not shown: it may be another file's than that of an authority. */
function validateAuthority(text: string, at: string): readonly FieldError[] {
  const certificates = [...pemBlocks(text)].filter(({ type, hasHeaders }) => type === 'CERTIFICATE' && !hasHeaders);
  if (certificates.length === 0) return [invalid(at, '<omitted>', 'data does not contain any valid RSA or ECDSA certificates')];
  try {
    for (const { bytes } of certificates) new X509Certificate(bytes);
    return [];
  } catch {
    return [invalid(at, '<omitted>', 'a certificate cannot be read')];
  }
}
