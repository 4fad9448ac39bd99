/**
 * Memory that was freed, on its way back to the system. glibc keeps it in heaps of its own, one for each thread or two, and gives back their ends alone: what
 * lies below one piece in use stays. Its function `malloc_trim` gives back all pages that nothing is on.
 */

const LIBRARY = 'libc.so.6';

type Trim = (left: bigint) => unknown;

let trim: Trim | undefined;

/**
 * Takes some milliseconds for 100 MB. Node's door to such functions is experimental, from its version 26 on: without it, and with another library, nothing happens.
 * @returns whether it was asked for
 */
export function giveBackFreedMemory(): boolean {
  trim ??= findTrim() ?? NOTHING;
  trim(0n);
  return trim !== NOTHING;
}

const NOTHING: Trim = () => {};

function findTrim(): Trim | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const ffi = quietly(() => process.getBuiltinModule('node:ffi') as typeof import('node:ffi') | undefined);
    const signature = { malloc_trim: { arguments: ['u64'], return: 'i32' } } as const;
    return ffi?.dlopen(LIBRARY, signature).functions.malloc_trim;
  } catch {
    return undefined;
  }
}

/** Without a warning in the log, which says that it is experimental: nobody who reads that can do anything about it. */
function quietly<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
