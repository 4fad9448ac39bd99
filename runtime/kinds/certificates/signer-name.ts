import type { CertificateSigningRequestSpec } from '../../../generated/certificates/v1/types.ts';
import { type FieldError, invalid, tooLong } from '../../contract/field-error.ts';
import type { Predicate } from '../../contract/kind.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';
import { goQuote } from '../../go-text/quote.ts';
import { NONE } from '../../validation/joined.ts';
import { invalidAs } from '../findings.ts';

const SUBDOMAIN_LENGTH = 253;
const LABEL_LENGTH = 63;
/** of a domain, a slash, and a path that may be a subdomain, a dot and a label */
const SIGNER_NAME_LENGTH = SUBDOMAIN_LENGTH + 1 + SUBDOMAIN_LENGTH + 1 + LABEL_LENGTH;

/** Requests of v1beta1 that named no signer were for the legacy one, which later versions do not take. */
export const isAllowed: Predicate<string, CertificateSigningRequestSpec> = (name, _old, { text, request }) =>
  name !== text('${labelDomain}/legacy-unknown') || request.version.endsWith('/v1beta1');

/** A domain of two labels or more, a slash, and a path of labels, such as `example.com/serving`. */
export function signerName(name: string): readonly FieldError[] {
  if (name === '') return NONE;
  const [domain = '', path, ...others] = name.split('/');
  if (path === undefined || others.length > 0)
    return [invalid('', name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  return [
    ...(isLongerThan(domain, SUBDOMAIN_LENGTH) ? [tooLong('', SUBDOMAIN_LENGTH)] : []),
    ...invalidAs(firstBadLabel(domain, dnsLabel), '', domain),
    ...invalidAs(domain.includes('.') ? NONE : ['should be a domain with at least two segments separated by dots'], '', domain),
    ...invalidAs(firstBadLabel(path, dnsSubdomain), '', path),
    ...(isLongerThan(name, SIGNER_NAME_LENGTH) ? [tooLong('', SIGNER_NAME_LENGTH)] : []),
  ];
}

/** Only the first label that is wrong: more of them would say the same. */
function firstBadLabel(text: string, syntax: (label: string) => readonly string[]): readonly string[] {
  for (const label of text.split('.')) {
    const messages = syntax(label);
    if (messages.length > 0) return messages.map((message) => `validating label ${goQuote(label)}: ${message}`);
  }
  return NONE;
}
