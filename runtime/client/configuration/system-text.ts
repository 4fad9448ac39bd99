/** Messages of errors of the file system, in the words of 1.32. */

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  EPERM: 'operation not permitted',
};

/** @returns a text such as `open a: no such file or directory`, or the message of any other error */
export function systemText(error: unknown, file: string): string {
  const { code = '', syscall = 'open', message } = error as NodeJS.ErrnoException;
  const known = WORDS[code];
  return known === undefined ? message : `${syscall} ${file}: ${known}`;
}
