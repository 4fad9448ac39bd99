import { parseCertificate } from '../../certificates/certificate-chain.ts';
import { type PemBlock, pemBlocks } from '../../certificates/pem.ts';
import { type FieldError, invalid, tooLong } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { unchanged } from '../immutable.ts';
import { validateSignerName } from './signer-name.ts';

const MAX_BYTES = 1024 * 1024;

/** A bundle of a signer is named after it, with a colon for the slash and one more at the end. */
function nameMessages(name: string, signerName: string): readonly string[] {
  if (signerName === '')
    return name.includes(':') ? ['ClusterTrustBundle without signer name must not have ":" in its name'] : dnsSubdomain(name);
  const prefix = `${signerName.replaceAll('/', ':')}:`;
  if (!name.startsWith(prefix)) return [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
  return dnsSubdomain(name.slice(prefix.length));
}

function validate({ metadata, spec }: ApiObject): FieldError[] {
  const { signerName = '', trustBundle = '' } = spec;
  const name = metadata.name ?? '';
  return [
    ...(name === '' ? [] : nameMessages(name, signerName).map((message) => invalid('metadata.name', name, message))),
    ...(signerName === '' ? [] : validateSignerName(signerName, 'spec.signerName')),
    ...validateTrustBundle(trustBundle, 'spec.trustBundle'),
  ];
}

function validateTrustBundle(pem: string, path: string): FieldError[] {
  if (isLongerThan(pem, MAX_BYTES)) return [tooLong(path, MAX_BYTES)];
  const omitted = (detail: string): FieldError => invalid(path, '<value omitted>', detail);
  const errors: FieldError[] = [];
  const indices = new Map<string, number[]>();
  for (const [index, block] of [...pemBlocks(pem)].entries()) {
    const problem = anchorProblem(block);
    if (problem !== undefined) errors.push(omitted(`entry ${index} ${problem}`));
    const key = block.bytes.toString('latin1');
    indices.set(key, [...(indices.get(key) ?? []), index]);
  }
  if (errors.length > 0) return errors;
  if (indices.size === 0) return [omitted('at least one trust anchor must be provided')];
  return [...indices.values()]
    .filter((same) => same.length > 1)
    .map((same) => omitted(`duplicate trust anchor (indices [${same.join(' ')}])`));
}

function anchorProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (hasHeaders) return 'has PEM block headers';
  const certificate = parseCertificate(bytes);
  if (certificate === undefined) return 'does not parse as X.509';
  return certificate.ca ? undefined : 'does not have the CA bit set';
}

export const rules: KindRules = {
  validate,
  validateUpdate: (object, old) => unchanged(object.spec.signerName ?? '', old.spec.signerName ?? '', 'spec.signerName'),
};
