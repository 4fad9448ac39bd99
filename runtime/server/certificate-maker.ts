/** Makes the certificates that a server lacks, then ends: node certificate-maker.ts NEEDS, which are `CertificateNeeds` as JSON. */
import { enableCompileCache } from 'node:module';
import type { CertificateNeeds } from './certificates.ts';

enableCompileCache();
const { makeCertificates } = await import('./certificates.ts');
await makeCertificates(JSON.parse(process.argv[2] as string) as CertificateNeeds);
