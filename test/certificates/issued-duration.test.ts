/** Which certificates count as issued for as long as their requests ask. */
import { webcrypto } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countIssued } from '../../runtime/certificates/issued-duration.ts';
import { ruleContext } from '../kinds/context.ts';
import { x509 } from './made.ts';

const test = suite('durations of issued certificates');
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const keys = (await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;

/** In base64. @param seconds that it is valid */
async function certificate(seconds: number): Promise<string> {
  const notBefore = new Date('2026-01-01T00:00:00Z');
  const notAfter = new Date(notBefore.getTime() + seconds * 1_000);
  const made = await x509.X509CertificateGenerator.createSelfSigned({ name: 'CN=x', keys, signingAlgorithm: ECDSA, notBefore, notAfter });
  return Buffer.from(`${made.toString('pem')}\n`).toString('base64');
}

const ISSUED = await certificate(3_600);
const OWN = 'kubernetes.io/kube-apiserver-client';

interface Row {
  readonly name: string;
  readonly signerName?: string;
  readonly expirationSeconds?: number | undefined;
  readonly before?: string;
  readonly certificate?: string | undefined;
  readonly dryRun?: boolean;
  readonly counted: readonly string[];
}

const BOTH = [`requested ${OWN}`, `honored ${OWN}`];
const REQUESTED = [`requested ${OWN}`];
const rows: Row[] = [
  { name: 'as long as was asked', counted: BOTH },
  { name: 'longer by less than five minutes and a twentieth', expirationSeconds: 3_144, counted: BOTH },
  { name: 'longer by more', expirationSeconds: 3_142, counted: REQUESTED },
  { name: 'shorter by less than five minutes and a twentieth', expirationSeconds: 4_105, counted: BOTH },
  { name: 'shorter by more', expirationSeconds: 4_106, counted: REQUESTED },
  { name: 'a signer of another domain', signerName: 'example.com/signer', counted: ['requested other', 'honored other'] },
  { name: 'no duration is asked for', expirationSeconds: undefined, counted: [] },
  { name: 'no certificate yet', certificate: undefined, counted: [] },
  { name: 'a certificate that was there before', before: ISSUED, counted: [] },
  { name: 'a dry run', dryRun: true, counted: [] },
  { name: 'what is no certificate', certificate: 'AAAA', counted: REQUESTED },
];
for (const row of rows)
  test(row.name, async () => {
    const { signerName = OWN, before, dryRun = false, counted } = row;
    const expirationSeconds = 'expirationSeconds' in row ? row.expirationSeconds : 3_600;
    const spec = { signerName, ...(expirationSeconds !== undefined && { expirationSeconds }) };
    const issued = 'certificate' in row ? row.certificate : ISSUED;
    const seen: string[] = [];
    const count = (metric: string, labels: Readonly<Record<string, string>>): void => {
      seen.push(`${/csr_(\w+)_duration_total$/.exec(metric)?.[1]} ${labels.signerName}`);
    };
    const status = issued === undefined ? {} : { certificate: issued };
    await countIssued(
      { spec, status },
      { spec, status: before === undefined ? {} : { certificate: before } },
      { ...ruleContext(), dryRun, count },
    );
    assert.equal(seen, counted);
  });
test.run();
