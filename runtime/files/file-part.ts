/**
 * What files hold that are used together, such as a certificate and its key. Files of flags make several of these: a wrong file of one part does not keep
 * another part from being read again, as in 1.32.
 */
export interface FilePart<T> {
  readonly value: T;
  /** @returns the part as it is now where this file belongs to it, otherwise the part itself. @throws what reading throws */
  reread(file: string): FilePart<T>;
}

/** @throws what `read` throws */
export function filePart<T>(files: readonly string[], read: () => T): FilePart<T> {
  const part: FilePart<T> = { value: read(), reread: (file) => (files.includes(file) ? filePart(files, read) : part) };
  return part;
}
