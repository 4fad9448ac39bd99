import type { ClusterTrustBundle } from '../../../generated/certificates/v1alpha1/types.ts';
import { parseCertificate } from '../../certificates/certificate-chain.ts';
import { type PemBlock, pemBlocks } from '../../certificates/pem.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { NONE } from '../../validation/joined.ts';
import { invalidAs } from '../findings.ts';

/** A bundle of a signer is named after it, with a colon for the slash and one more at the end. */
function nameMessages(name: string, signerName: string): readonly string[] {
  if (signerName === '')
    return name.includes(':') ? ['ClusterTrustBundle without signer name must not have ":" in its name'] : dnsSubdomain(name);
  const prefix = `${signerName.replaceAll('/', ':')}:`;
  if (!name.startsWith(prefix)) return [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
  return dnsSubdomain(name.slice(prefix.length));
}

export function namedAfterSigner({ metadata: { name = '' }, spec }: ClusterTrustBundle): readonly FieldError[] {
  return name === '' ? NONE : invalidAs(nameMessages(name, spec.signerName ?? ''), '.metadata.name', name);
}

export function trustAnchors(pem: string): readonly FieldError[] {
  return anchorProblems(pem).map((problem) => invalid('', '<value omitted>', problem));
}

function anchorProblems(pem: string): readonly string[] {
  const problems: string[] = [];
  const indices = new Map<string, number[]>();
  for (const [index, block] of [...pemBlocks(pem)].entries()) {
    const problem = anchorProblem(block);
    if (problem !== undefined) problems.push(`entry ${index} ${problem}`);
    const key = block.bytes.toString('latin1');
    indices.set(key, [...(indices.get(key) ?? []), index]);
  }
  if (problems.length > 0) return problems;
  if (indices.size === 0) return ['at least one trust anchor must be provided'];
  return [...indices.values()].filter((same) => same.length > 1).map((same) => `duplicate trust anchor (indices [${same.join(' ')}])`);
}

function anchorProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (hasHeaders) return 'has PEM block headers';
  const certificate = parseCertificate(bytes);
  if (certificate === undefined) return 'does not parse as X.509';
  return certificate.ca ? undefined : 'does not have the CA bit set';
}
