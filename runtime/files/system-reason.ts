const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is no folder',
  ELOOP: 'its symbolic links lead in a circle',
  EEXIST: 'it is no folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  // of pipes and sockets that nobody serves
  ENXIO: 'it is not a regular file',
};

/** What the system says of a path, without the path and the call. */
export function systemReason(error: unknown): string {
  const { code = '', message = String(error) } = error as Partial<NodeJS.ErrnoException>;
  return REASONS[code] ?? message;
}
