import { type FieldError, invalid, required, tooLong } from '../../contract/field-error.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';

const SUBDOMAIN_LENGTH = 253;
const LABEL_LENGTH = 63;
/** of a domain, a slash, and a path that may be a subdomain, a dot and a label */
const SIGNER_NAME_LENGTH = SUBDOMAIN_LENGTH + 1 + SUBDOMAIN_LENGTH + 1 + LABEL_LENGTH;

/** A domain of two labels or more, a slash, and a path of labels, such as `example.com/serving`. */
export function validateSignerName(signerName: string, path: string): FieldError[] {
  if (signerName === '') return [required(path)];
  const [domain = '', name, ...others] = signerName.split('/');
  if (name === undefined || others.length > 0)
    return [invalid(path, signerName, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  return [
    ...(isLongerThan(domain, SUBDOMAIN_LENGTH) ? [tooLong(path, SUBDOMAIN_LENGTH)] : []),
    ...firstBadLabel(domain, dnsLabel, path),
    ...(domain.includes('.') ? [] : [invalid(path, domain, 'should be a domain with at least two segments separated by dots')]),
    ...firstBadLabel(name, dnsSubdomain, path),
    ...(isLongerThan(signerName, SIGNER_NAME_LENGTH) ? [tooLong(path, SIGNER_NAME_LENGTH)] : []),
  ];
}

/** Only the first label that is wrong: more of them would say the same. */
function firstBadLabel(text: string, syntax: (label: string) => readonly string[], path: string): FieldError[] {
  for (const label of text.split('.')) {
    const messages = syntax(label);
    if (messages.length > 0) return messages.map((message) => invalid(path, text, `validating label ${JSON.stringify(label)}: ${message}`));
  }
  return [];
}
