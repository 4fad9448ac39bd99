/**
 * Certificates from files that flags name follow their files, as in 1.32: authorities of clients and of proxies, what the server serves with, and by what it
 * knows node agents and they know it. A file that is wrong leaves in force what it held before.
 */

import { readFileText } from '../files/file-text.ts';
import { FileWatch } from '../files/file-watch.ts';
import type { FollowedFiles } from '../files/followed-files.ts';
import type { Log } from '../observability/log.ts';

/** Milliseconds. */
const INTERVAL = 60_000;

/**
 * @param certificates the files, and what reads them all; it throws where one is wrong
 * @param changed gets the certificates whenever a file has changed
 * @returns ends it
 */
export async function followCertificateFiles<T>(
  { files, reread }: { readonly files: readonly string[]; reread(): T },
  changed: (certificates: T) => void,
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
