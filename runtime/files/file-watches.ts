import { readFileText } from './file-text.ts';
import { FileWatch, type FileWatchOptions } from './file-watch.ts';

export interface FileWatchesOptions extends Pick<FileWatchOptions, 'interval' | 'followedFiles'> {
  /** called when a file has another text than before; what it throws goes to `failed` */
  readonly changed: (file: string) => void;
  /** gets why a file could not be read, or what `changed` threw */
  readonly failed: (error: unknown, file: string) => void;
}

/** Follows several files that somebody reads together, such as a certificate and its key. @returns ends it */
export async function watchFiles(files: readonly string[], { changed, failed, ...options }: FileWatchesOptions): Promise<() => void> {
  const watches = await Promise.all(
    files.map(
      async (file) =>
        new FileWatch({
          ...options,
          file,
          text: await readFileText(file),
          // the other files may be what was wrong, and their texts the same afterwards
          triesAgain: 'whenever-read',
          changed: async () => changed(file),
          failed: (error) => failed(error, file),
        }),
    ),
  );
  return () => {
    for (const watch of watches) watch.close();
  };
}
