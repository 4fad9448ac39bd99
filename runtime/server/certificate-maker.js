/**
 * Makes the certificates that a server lacks, then ends: node certificate-maker.js NEEDS, which are `CertificateNeeds` as JSON.
 * Plain JavaScript, as every entry point of a server's processes (see runtime/main/cluster-apiserver.js).
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { makeCertificates } = await import('./certificates.ts');
await makeCertificates(JSON.parse(process.argv[2] ?? ''));
