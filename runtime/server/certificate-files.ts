/**
 * Certificates from files that flags name follow their files, as in 1.32: authorities of clients and of proxies, and what the server serves
 * with. A file that is wrong leaves in force what it held before.
 */

import { readFileText } from '../files/file-text.ts';
import { FileWatch } from '../files/file-watch.ts';
import type { FollowedFiles } from '../files/followed-files.ts';
import type { Log } from '../observability/log.ts';
import type { ServerCertificates } from './serving-certificates.ts';

/** Milliseconds. */
const INTERVAL = 60_000;

/**
 * @param changed gets the certificates whenever a file has changed
 * @returns ends it
 */
export async function followCertificateFiles(
  { files, reread }: ServerCertificates,
  changed: (certificates: ServerCertificates) => void,
  log: Log,
  followedFiles: FollowedFiles,
): Promise<() => void> {
  const watches = await Promise.all(
    files.map(
      async (file) =>
        new FileWatch({
          file,
          text: await readFileText(file),
          interval: INTERVAL,
          followedFiles,
          changed: async () => {
            changed(reread());
            log.info({ file }, 'certificates have been read again');
          },
          failed: (error) => log.error({ err: error, file }, 'the new certificates of a file are not used'),
        }),
    ),
  );
  return () => {
    for (const watch of watches) watch.close();
  };
}
