/**
 * Certificates of files that flags name are read again when the files change, as in 1.32: authorities of clients and of proxies, the serving certificate, and
 * the certificates for connections to node agents. A file that is wrong leaves as it is what it is used for, and nothing else.
 */

import { watchFiles } from '../../files/file-watches.ts';
import type { FollowedFiles } from '../../files/followed-files.ts';
import type { Log } from '../../observability/log.ts';

/** The most milliseconds between two readings of the files. */
const INTERVAL = 60_000;

/**
 * @param certificates the files, and what reads one of them and those that it is used with; it throws where one is wrong
 * @param changed gets the certificates whenever a file has changed
 * @returns ends it
 */
export function followCertificateFiles<T>(
  certificates: { readonly files: readonly string[]; reread(file: string): T },
  changed: (certificates: T) => void,
  log: Log,
  followedFiles: FollowedFiles,
): Promise<() => void> {
  return watchFiles(certificates.files, {
    interval: INTERVAL,
    followedFiles,
    changed: (file) => {
      changed(certificates.reread(file));
      log.info({ file }, 'certificates have been read again');
    },
    failed: (error, file) => log.error({ err: error, file }, 'the new certificates of a file are not used'),
  });
}
