/** Prepares what a data directory needs before a process serves from it, at the first start: certificates and the keys of tokens. */
import { join } from 'node:path';
import { type TokenKeys, tokenKeysOf } from '../../authentication/service-accounts/keys.ts';
import type { Identity } from '../../contract/identity.ts';
import { makeDataDirectory } from '../../server/data-directory.ts';
import { prepareCertificates, type ServerCertificates } from '../../server/listener/serving-certificates.ts';
import type { Flags } from './flags.ts';

export interface ServerCredentials {
  /** path of the data directory */
  readonly directory: string;
  readonly certificates: ServerCertificates;
  /** absent: an external signer has the keys */
  readonly tokenKeys: TokenKeys | undefined;
}

/** Makes the data directory if it is missing. @returns its path @throws Error if it cannot be used */
export function dataDirectory(flags: Flags): string {
  const directory = flags['data-dir'] === '' ? join(process.cwd(), 'data') : flags['data-dir'];
  makeDataDirectory(directory);
  return directory;
}

/**
 * Makes the missing files. Processes that start together must call it only once.
 * @throws Error that names the flag whose file cannot be read
 */
export async function prepareFiles(flags: Flags, identity: Identity): Promise<ServerCredentials> {
  const directory = dataDirectory(flags);
  const certificates = await prepareCertificates(flags, directory, identity);
  return { directory, certificates, tokenKeys: tokenKeysOf(flags, certificates.folder) };
}
