/** Files of a test's own, and the names of both dialects. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { identity as identityData } from '../../../generated/identity.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';

export const kubernetes = createIdentity(identityData, 'kubernetes');
export const cluster = createIdentity(identityData, 'cluster');

/** It goes with the process. */
export const folder = mkdtempSync(path.join(tmpdir(), 'client-configuration-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** @param name below the folder. @returns the path of the file that has been written */
export function file(name: string, text = '', mode = 0o600): string {
  const target = path.join(folder, name);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text, { mode });
  return target;
}

/** Of an authority that the server does not know. */
export async function otherCertificate(): Promise<[certificate: string, key: string]> {
  const { ensureCertificates } = await import('../../../runtime/server/certificates/certificates.ts');
  const { administrator } = await ensureCertificates({ folder: path.join(folder, 'other'), names: ['localhost'], administrator: 'other' });
  return [administrator.certificate, administrator.key];
}
