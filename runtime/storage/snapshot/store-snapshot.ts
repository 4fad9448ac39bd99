/** Snapshots of a store that is served from: its data is copied beside it first, so that who takes a snapshot holds nobody up, however slow they are. */
import { readdirSync, rmSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { dataFile } from '../lmdb/store-files/store-files.ts';
import type { FolderStorage } from '../storage.ts';
import { snapshotBytes } from './snapshot-file.ts';

/** Folders of copies that a process has under way. */
const NAME = /^snapshot-\d+$/;

export interface SnapshotSource {
  /**
   * Takes a snapshot, which ends when the stream is closed.
   * @returns undefined while another snapshot is under way
   * @throws Error if the disk does not have enough space
   */
  take(): Promise<Readable> | undefined;
}

export class StoreSnapshots implements SnapshotSource {
  readonly #storage: Pick<FolderStorage, 'copyTo' | 'currentRevision'>;
  readonly #dialect: string;
  readonly #copy: string;
  #isUnderWay = false;

  /** @param directory where there is room for a copy, on a disk of the server's own */
  constructor(storage: Pick<FolderStorage, 'copyTo' | 'currentRevision'>, dialect: string, directory: string) {
    this.#storage = storage;
    this.#dialect = dialect;
    this.#copy = join(directory, `snapshot-${process.pid}`);
  }

  take(): Promise<Readable> | undefined {
    if (this.#isUnderWay) return undefined;
    this.#isUnderWay = true;
    return this.#take();
  }

  async #take(): Promise<Readable> {
    const revision = this.#storage.currentRevision();
    const made = new Date().toISOString();
    try {
      await this.#storage.copyTo(this.#copy);
      const { size } = await stat(dataFile(this.#copy));
      const header = { dialect: this.#dialect, revision, made, bytes: size };
      const bytes = Readable.from(snapshotBytes(header, dataFile(this.#copy)), { objectMode: false });
      return bytes.once('close', () => void this.#end());
    } catch (error) {
      await this.#end();
      throw error;
    }
  }

  async #end(): Promise<void> {
    await rm(this.#copy, { recursive: true, force: true });
    this.#isUnderWay = false;
  }
}

export const isSnapshotCopy = (name: string): boolean => NAME.test(name.replace(/\.part$/, ''));

/** Removes copies that a process left which ended in between. To be called before anybody serves. @throws Error of the system */
export function removeLeftSnapshots(directory: string): void {
  for (const name of readdirSync(directory)) if (isSnapshotCopy(name)) rmSync(join(directory, name), { recursive: true, force: true });
}
