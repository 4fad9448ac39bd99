/**
 * What of an answer is too large to be held in memory until its beginning is known: a file that has no name, so that it goes with whoever has
 * it open. Written once to its end, then read once. What the disk does not take stays in memory: lists go on when it is full.
 */
import type { FileHandle } from 'node:fs/promises';
import { constants } from 'node:os';
import { lengthOf, Part } from '../answers/chunks.ts';
import type { ByteBudget, ByteLease } from '../bodies/byte-budget.ts';
import { openSpoolFile } from './spool-file.ts';

export class Spool {
  /** bytes that were written */
  length = 0;
  readonly #directory: string;
  readonly #budget: ByteBudget;
  readonly #user: string;
  readonly #open: typeof openSpoolFile;
  /** the number of bytes in the file */
  #written = 0;
  /** the parts that follow those in the file */
  readonly #held: Part[] = [];
  #file: FileHandle | undefined;
  #lease: ByteLease | undefined;

  /**
   * Makes no file before something is written.
   * @param directory on a disk; others may not read it
   * @param budget what all files may hold together. @param user whose list it is
   */
  constructor(directory: string, budget: ByteBudget, user: string, open = openSpoolFile) {
    this.#open = open;
    this.#user = user;
    this.#directory = directory;
    this.#budget = budget;
  }

  /**
   * Takes the parts over. One call at a time.
   * @returns whether they are in the file, and not in memory
   * @throws StatusError where too much is spooled, Error of the system that is not about the disk
   */
  async write(parts: readonly Part[]): Promise<boolean> {
    this.#lease ??= await this.#budget.open(0, this.#user);
    await this.#lease.take(lengthOf(parts));
    for (const part of parts) {
      if (await this.#reachesFile(part.bytes)) part.sent();
      else this.#held.push(part);
      this.length += part.length;
    }
    return this.#held.length === 0;
  }

  /** Nothing does behind what did not. */
  async #reachesFile(bytes: Buffer): Promise<boolean> {
    if (this.#held.length > 0) return false;
    try {
      this.#file ??= await this.#open(this.#directory);
      await writeAll(this.#file, bytes, this.#written);
    } catch (error) {
      if (!DISK_FAILURES.has(-((error as NodeJS.ErrnoException).errno ?? 0))) throw error;
      return false;
    }
    this.#written += bytes.length;
    return true;
  }

  /** All that was written. @throws Error of the system */
  async *parts(): AsyncGenerator<Part, void> {
    yield* this.#fileParts();
    yield* this.#held;
  }

  async *#fileParts(): AsyncGenerator<Part, void> {
    for (let at = 0; at < this.#written; ) {
      const part = Part.empty(this.#written - at);
      const bytesRead = (await this.#file?.read(part.bytes, 0, part.length, at))?.bytesRead ?? 0;
      if (bytesRead === 0) throw new Error('a spool has become shorter');
      at += bytesRead;
      yield part.begin(bytesRead);
    }
  }

  async close(): Promise<void> {
    this.#lease?.close();
    await this.#file?.close();
  }
}

const { EDQUOT, EFBIG, EIO, ENOSPC, EROFS } = constants.errno;
/** The codes of errors of a disk that is full, or that fails. */
const DISK_FAILURES = new Set<number>([EDQUOT, EFBIG, EIO, ENOSPC, EROFS]);

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
