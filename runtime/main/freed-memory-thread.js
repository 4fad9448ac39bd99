/**
 * Where the thread begins that has freed memory given back: plain JavaScript, for the same reason as the entry point of the program. Node's door to functions of the
 * system's libraries is experimental, from its version 26 on: without it, and with another library, nothing happens.
 */
import { parentPort } from 'node:worker_threads';

const LIBRARY = 'libc.so.6';

function findTrim() {
  if (process.platform !== 'linux') return undefined;
  try {
    const ffi = quietly(() => process.getBuiltinModule('node:ffi'));
    return ffi?.dlopen(LIBRARY, { malloc_trim: { arguments: ['u64'], return: 'i32' } }).functions.malloc_trim;
  } catch {
    return undefined;
  }
}

/**
 * Without a warning in the log, which says that it is experimental: nobody who reads that can do anything about it.
 * @template T
 * @param {() => T} load
 * @returns {T}
 */
function quietly(load) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

const trim = findTrim();
trim?.(0n);
parentPort?.postMessage(trim !== undefined);
