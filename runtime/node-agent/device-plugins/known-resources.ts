/**
 * Keeps the names of resources that plugins have registered on the disk. A restarted agent counts none of their devices until the plugins register again.
 * With the names it can report that, so that the node does not keep its old counts.
 */
import path from 'node:path';
import { writeFileAtomically } from '../../files/atomic-file.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import type { Log } from '../../observability/log.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';

const FILE = 'known-resources.json';
/** Most names. Further ones are ignored. */
const MAX_NAMES = 256;
/** Most bytes of the file, far more than that many names need. */
const MOST_BYTES = 1024 * 1024;

export class KnownResources {
  readonly #file: string;
  readonly #log: Log;
  readonly #names: Set<string>;

  /** @param folder must exist */
  constructor(folder: string, log: Log) {
    this.#file = path.join(folder, FILE);
    this.#log = log;
    this.#names = new Set(this.#read());
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  add(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    this.#write();
  }

  delete(name: string): void {
    if (this.#names.delete(name)) this.#write();
  }

  /** A damaged file counts as empty. It is written anew when plugins register. */
  #read(): string[] {
    try {
      const names: unknown = parseNativeJson(readRegularFile(this.#file, MOST_BYTES));
      if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names.slice(0, MAX_NAMES);
      throw new Error('it holds no list of names');
    } catch (error) {
      const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (!isAbsent) this.#log.warn({ err: error, file: this.#file }, 'what resources plugins had registered is not known');
      return [];
    }
  }

  /** A failure to write is only logged, because the file matters only for the next start. */
  #write(): void {
    try {
      writeFileAtomically(this.#file, `${JSON.stringify([...this.#names])}\n`, 0o600);
    } catch (error) {
      this.#log.error({ err: error }, 'what resources plugins have registered is not kept');
    }
  }
}
