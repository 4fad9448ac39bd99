/** Certificates that are issued for as long as their requests ask, counted under the names of 1.32. */
import { parseCertificate } from './certificate-chain.ts';
import { pemBlocks } from './pem.ts';

/** What is read of a request for a certificate. */
interface Signing {
  readonly spec: { readonly signerName?: string; readonly expirationSeconds?: number | null };
  /** in base64 */
  readonly status?: { readonly certificate?: string | null } | null;
}

/** What is known of the write that brings a certificate. */
interface WriteContext {
  /** nothing is stored */
  readonly dryRun: boolean;
  /** resolves identity placeholders */
  text(template: string): string;
  /** absent: nobody counts */
  count?(metric: string, labels: Readonly<Record<string, string>>): void;
}

const COUNTS = 'apiserver_certificates_registry_csr_';
/** Signers of others are as many as these like: they count as one. */
const OWN_SIGNERS = '${labelDomain}/';
/** Milliseconds by which the validity of any certificate may differ from what was asked for: it may begin in the past. */
const TOLERANCE = 5 * 60_000;

/** To be called when a changed request is stored, or would be. A request is counted once, with its certificate. */
export async function countIssued({ status }: Signing, { spec, status: before }: Signing, context: WriteContext): Promise<void> {
  const { signerName = '', expirationSeconds } = spec;
  if (context.dryRun || before?.certificate || !status?.certificate || typeof expirationSeconds !== 'number') return;
  const labels = { signerName: signerName.startsWith(context.text(OWN_SIGNERS)) ? signerName : 'other' };
  context.count?.(`${COUNTS}requested_duration_total`, labels);
  if (isHonored(expirationSeconds * 1_000, validity(status.certificate))) context.count?.(`${COUNTS}honored_duration_total`, labels);
}

/** @param wanted milliseconds. @param given the same */
const isHonored = (wanted: number, given: number): boolean => Math.abs(wanted - given) < TOLERANCE + wanted / 20;

/** Milliseconds for which the first certificate of a chain is valid; NaN where there is none. */
function validity(chain: string): number {
  for (const { bytes } of pemBlocks(Buffer.from(chain, 'base64').toString('latin1'))) {
    const certificate = parseCertificate(bytes);
    return certificate === undefined ? Number.NaN : certificate.validToDate.getTime() - certificate.validFromDate.getTime();
  }
  return Number.NaN;
}
