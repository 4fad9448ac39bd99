/** The administrator's client configuration, which a start writes when all else is ready, and a running server when it has renewed its certificates. */
import { join } from 'node:path';
import type { ServerCredentials } from '../assembly/setup/server-credentials.ts';
import { ADMINISTRATORS_CONFIGURATION } from '../assembly/store/store-folder.ts';
import type { Identity } from '../contract/identity.ts';
import { FileUnwritable } from '../files/atomic-file.ts';
import type { Log } from '../observability/log.ts';
import { type ClientConfiguration, writeClientConfiguration } from '../server/certificates/client-configuration.ts';

/** Milliseconds until a file that the disk does not take is tried again. */
const AGAIN = 5_000;

/**
 * On a disk that is full, or fails, it is told, and written later: the server answers without it.
 * @returns its path
 * @throws FileUnwritable for another reason
 */
export function writeAdministratorsConfiguration(
  { directory, certificates }: Pick<ServerCredentials, 'directory' | 'certificates'>,
  identity: Identity,
  server: string,
  log: Log,
): string {
  const file = join(directory, ADMINISTRATORS_CONFIGURATION);
  const { authority, administrator: user } = certificates;
  const configuration = { file, name: identity.names.defaultService as string, server, authority, user };
  try {
    writeClientConfiguration(configuration);
  } catch (error) {
    if (!isOfDisk(error)) throw error;
    log.warn({ reason: error.message }, 'the client configuration is not up to date; it is tried again');
    writeLater(configuration, log);
  }
  return file;
}

const isOfDisk = (error: unknown): error is FileUnwritable => error instanceof FileUnwritable && error.isOfDisk;

function writeLater(configuration: ClientConfiguration, log: Log): void {
  const attempt = (): void => {
    try {
      writeClientConfiguration(configuration);
    } catch (error) {
      if (isOfDisk(error)) writeLater(configuration, log);
      else log.error({ err: error }, 'the client configuration is not up to date');
    }
  };
  setTimeout(attempt, AGAIN).unref();
}
