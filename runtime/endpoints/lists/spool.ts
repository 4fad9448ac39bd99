/**
 * What of an answer is too large to be held in memory until its beginning is known: a file that has no name, so that it goes with whoever has
 * it open. Written once to its end, then read once.
 */
import type { FileHandle } from 'node:fs/promises';
import type { ByteBudget, ByteLease } from '../byte-budget.ts';
import { lengthOf, Part } from '../chunks.ts';
import { openSpoolFile } from './spool-file.ts';

export class Spool {
  /** bytes that were written */
  length = 0;
  readonly #directory: string;
  readonly #budget: ByteBudget;
  readonly #user: string;
  #file: FileHandle | undefined;
  #lease: ByteLease | undefined;

  /**
   * Makes no file before something is written.
   * @param directory on a disk; others may not read it
   * @param budget what all files may hold together. @param user whose list it is
   */
  constructor(directory: string, budget: ByteBudget, user: string) {
    this.#user = user;
    this.#directory = directory;
    this.#budget = budget;
  }

  /** Takes the parts over. One call at a time. @throws StatusError where too much is spooled; Error of the system, where the disk is full */
  async write(parts: readonly Part[]): Promise<void> {
    this.#lease ??= await this.#budget.open(0, this.#user);
    this.#file ??= await openSpoolFile(this.#directory);
    await this.#lease.take(lengthOf(parts));
    for (const part of parts) {
      await writeAll(this.#file, part.bytes, this.length);
      this.length += part.length;
      part.sent();
    }
  }

  /** All that was written. @throws Error of the system */
  async *parts(): AsyncGenerator<Part, void> {
    for (let at = 0; at < this.length; ) {
      const part = Part.empty(this.length - at);
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

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
