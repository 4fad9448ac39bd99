/**
 * Appends lines to a file, which is renamed and followed by a new one before it grows too large, as in 1.32. Several processes may append to the same file:
 * each checks before it writes whether another one has begun a new file.
 */
import { type Stats, statSync, write, writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { compressFile, giveTo } from './compress-file.ts';
import { DiskPace } from './disk-pace.ts';
import { whileLocked } from './lock-file.ts';
import { encodeLine, LineBuffer, type LogLine, lineBytes, mostLineBytes } from './log-line.ts';

export interface Rotation {
  /** the most bytes of a file; a longer line has a file of its own */
  readonly maxBytes: number;
  /** milliseconds after which old files are removed; 0 if they stay */
  readonly maxAge: number;
  /** how many old files stay; 0 if all do */
  readonly maxBackups: number;
  /** whether old files are compressed */
  readonly compress: boolean;
  /** whether other processes append to the same file */
  readonly isShared: boolean;
}

/** Milliseconds for which another process may still append to a file that was renamed. */
const LATE = 2_000;

/** Milliseconds for which lines may wait for others if no caller waits for them. */
const PATIENCE = 1;

/** The most bytes that are written synchronously. Writing more takes longer than asking another thread to write. */
const MOST_AT_ONCE = 256 * 1024;

/** Only the owner may read a new file, because it tells who did what. What follows a file is for those for whom that one was. */
const MODE = 0o600;
const FOLDER_MODE = 0o700;
const COMPRESSED = '.gz';

export class RotatingFile {
  readonly #file: string;
  readonly #rotation: Rotation;
  /** is called with the error if old files cannot be removed or compressed */
  readonly #failed: (error: unknown) => void;
  readonly #pace: DiskPace;
  #handle: FileHandle | undefined;
  /** whether this is a regular file, and not, for example, a pipe, whose reader may be slow */
  #isOnDisk = false;
  /** the number by which the system tells the open file from another one of the same name */
  #inode = 0;
  /** the bytes of the open file */
  #size = 0;
  /** the lines of the write that is under way */
  readonly #buffer = new LineBuffer();
  /** the lines of the next write */
  #waiting: LogLine[] = [];
  /** the promise that all callers with waiting lines share */
  #written: PromiseWithResolvers<void> | undefined;
  /** whether a caller waits for that promise */
  #isAwaited = false;
  /** the write that is under way, which never rejects */
  #busy: Promise<void> | undefined;
  /** begins the next write at the end of this round of the event loop */
  #soon: NodeJS.Immediate | undefined;
  /** begins the next write a little later */
  #later: NodeJS.Timeout | undefined;
  /** the removing and compressing of old files, one round after the other */
  #old: Promise<void> = Promise.resolve();

  constructor(file: string, rotation: Rotation, failed: (error: unknown) => void, pace = new DiskPace()) {
    this.#file = file;
    this.#rotation = rotation;
    this.#failed = failed;
    this.#pace = pace;
  }

  /** Opens the file, with a folder for it, so that problems with it are known before there are lines. @throws Error of the system */
  async open(): Promise<void> {
    await mkdir(path.dirname(this.#file), { recursive: true, mode: FOLDER_MODE });
    await this.#open();
  }

  async #open(): Promise<void> {
    this.#handle = await open(this.#file, 'a', MODE);
    const found = await this.#handle.stat();
    this.#isOnDisk = found.isFile();
    this.#inode = found.ino;
    this.#size = found.size;
    this.#lookAfterOld();
  }

  /**
   * Writes lines, in one write with all lines of this round of the event loop and with those that come while another write is under way. It resolves when the
   * system has them; lines that are written together share a promise.
   * @param isAwaited whether somebody waits for the promise; if not, the lines may be written a little later, together with lines that somebody waits for
   * @throws Error of the system; the promise rejects with it
   */
  append(lines: readonly LogLine[], isAwaited = true): Promise<void> {
    for (const line of lines) this.#waiting.push(line);
    this.#isAwaited ||= isAwaited;
    this.#written ??= Promise.withResolvers();
    if (this.#busy === undefined) this.#schedule();
    return this.#written.promise;
  }

  #schedule(): void {
    if (this.#isAwaited) this.#soon ??= setImmediate(() => this.#write());
    else if (this.#soon === undefined) this.#later ??= setTimeout(() => this.#write(), PATIENCE);
  }

  #write(): void {
    clearImmediate(this.#soon);
    clearTimeout(this.#later);
    const [lines, written] = [this.#waiting, this.#written];
    this.#waiting = [];
    this.#soon = this.#later = this.#written = undefined;
    this.#isAwaited = false;
    const rest = this.#writeAtOnce(lines);
    if (rest === undefined) return written?.resolve();
    this.#busy = rest.then(
      () => this.#goOn(() => written?.resolve()),
      (error) => this.#goOn(() => written?.reject(error)),
    );
  }

  /**
   * Writes lines synchronously if they are few and the disk is quick, otherwise in another thread.
   * @returns undefined if all lines are written already, otherwise a promise for the rest
   */
  #writeAtOnce(lines: readonly LogLine[]): Promise<void> | undefined {
    const most = mostBytes(lines);
    if (most > MOST_AT_ONCE || !this.#isOnDisk || !this.#pace.isQuick) return this.#writeAll(lines);
    const begun = this.#pace.now;
    try {
      if (!this.#isStillThere() || this.#size + most > this.#rotation.maxBytes) return this.#writeAll(lines);
      for (const line of lines) this.#buffer.add(line);
      const bytes = this.#buffer.take();
      const count = writeSync((this.#handle as FileHandle).fd, bytes);
      this.#size += count;
      return count === bytes.length ? undefined : this.#writeOut(bytes.subarray(count));
    } catch (error) {
      return Promise.reject(error);
    } finally {
      this.#pace.wrote(begun);
    }
  }

  /** Does synchronously what `#join` does. @returns false if the file must be opened again, which only `#join` does */
  #isStillThere(): boolean {
    if (this.#handle === undefined) return false;
    if (!this.#rotation.isShared) return true;
    const found = statSync(this.#file, { throwIfNoEntry: false });
    if (found?.ino !== this.#inode) return false;
    this.#size = found.size;
    return true;
  }

  #goOn(settle: () => void): void {
    this.#busy = undefined;
    settle();
    if (this.#isAwaited) this.#write();
    else if (this.#waiting.length > 0) this.#schedule();
  }

  async #writeAll(lines: readonly LogLine[]): Promise<void> {
    if (this.#rotation.isShared || this.#handle === undefined) await this.#join();
    if (this.#size + mostBytes(lines) <= this.#rotation.maxBytes) return this.#writeLines(lines);
    let begin = 0;
    let size = 0;
    for (const [index, line] of lines.entries()) {
      const length = lineBytes(line);
      if (this.#size + size > 0 && this.#size + size + length > this.#rotation.maxBytes) {
        await this.#writeLines(lines.slice(begin, index));
        await this.#rotate();
        begin = index;
        size = 0;
      }
      size += length;
    }
    await this.#writeLines(lines.slice(begin));
  }

  /** Writes lines in as few writes as possible. No write ends inside a line, so lines of other processes may come between these lines, but not into one. */
  async #writeLines(lines: readonly LogLine[]): Promise<void> {
    const buffer = this.#buffer;
    for (const line of lines) {
      if (buffer.add(line)) continue;
      await this.#writeOut(buffer.take());
      if (!buffer.add(line)) await this.#writeOut(encodeLine(line));
    }
    await this.#writeOut(buffer.take());
  }

  async #writeOut(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    const begun = this.#pace.now;
    await writeWhole((this.#handle as FileHandle).fd, bytes);
    this.#pace.wrote(begun);
    this.#size += bytes.length;
  }

  /** Opens the file again if another process has begun a new one. Otherwise it takes over how long the file is now. */
  async #join(): Promise<void> {
    const found = await stat(this.#file).catch(() => undefined);
    if (found?.ino === this.#inode) this.#size = found.size;
    else await this.#reopen();
  }

  async #reopen(): Promise<void> {
    await this.#handle?.close();
    await this.#open();
  }

  async #rotate(): Promise<void> {
    let before: Stats | undefined;
    const giveUp = async (): Promise<void> => {
      before = await this.#giveUpFile();
    };
    if (this.#rotation.isShared) await whileLocked(`${this.#file}.lock`, giveUp);
    else await giveUp();
    await this.#reopen();
    if (before !== undefined) await giveTo(this.#file, before).catch(this.#failed);
  }

  /** Renames the file. @returns what it was; undefined if another process has renamed it already */
  async #giveUpFile(): Promise<Stats | undefined> {
    const found = await stat(this.#file).catch(() => undefined);
    if (found?.ino !== this.#inode) return undefined;
    await rename(this.#file, await freeBackupName(this.#file));
    return found;
  }

  #lookAfterOld(): void {
    this.#old = this.#old.then(() => this.#removeOld()).catch(this.#failed);
  }

  async #removeOld(): Promise<void> {
    const { maxAge, maxBackups, compress, isShared } = this.#rotation;
    const folder = path.dirname(this.#file);
    const backups = (await readdir(folder)).flatMap((name) => backupOf(this.#file, name) ?? []).sort((a, b) => b.time - a.time);
    const times = [...new Set(backups.map(({ time }) => time))];
    const kept = new Set(maxBackups > 0 ? times.slice(0, maxBackups) : times);
    const now = Date.now();
    const oldest = maxAge > 0 ? now - maxAge : Number.NEGATIVE_INFINITY;
    for (const { name, time, isCompressed } of backups) {
      const file = path.join(folder, name);
      if (!kept.has(time) || time < oldest) await rm(file, { force: true });
      else if (compress && !isCompressed && (!isShared || now - time > LATE)) await compressFile(file, `${file}${COMPRESSED}`);
    }
  }

  /** Closes the file when all lines are written, and old files are removed and compressed. */
  async close(): Promise<void> {
    while (this.#busy !== undefined || this.#waiting.length > 0) {
      if (this.#busy === undefined) this.#write();
      await this.#busy;
    }
    await this.#old;
    await this.#handle?.close();
    this.#handle = undefined;
  }
}

/** Returns a number of bytes that the lines do not exceed. */
function mostBytes(lines: readonly LogLine[]): number {
  let sum = 0;
  for (const line of lines) sum += mostLineBytes(line);
  return sum;
}

/** Writes all bytes, with Node's callbacks, because its promises would take longer than the write. @throws Error of the system; the promise rejects with it */
function writeWhole(descriptor: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const from = (at: number): void => {
      write(descriptor, bytes, at, bytes.length - at, null, (error, count) => {
        if (error !== null) reject(error);
        else if (at + count < bytes.length) from(at + count);
        else resolve();
      });
    };
    from(0);
  });
}

/** Finds a name for the old file that no other one has, by the time or, if that is taken, by one of the next milliseconds. */
async function freeBackupName(file: string): Promise<string> {
  for (let time = Date.now(); ; time++) {
    const name = backupName(file, new Date(time));
    const found = await stat(name).catch(() => stat(`${name}${COMPRESSED}`).catch(() => undefined));
    if (found === undefined) return name;
  }
}

/** Makes the path of an old file, such as `audit-2026-11-26T05-10-15.123.log`, in the form of 1.32. */
export function backupName(file: string, time: Date): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}-${time.toISOString().slice(0, 23).replaceAll(':', '-')}${ext}`);
}

const TIME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

/** An old file. */
interface Backup {
  readonly name: string;
  readonly time: number;
  readonly isCompressed: boolean;
}

/** Reads the name of a file in the folder. @returns undefined if it is not the name of an old file */
function backupOf(file: string, name: string): Backup | undefined {
  const { name: base, ext } = path.parse(file);
  const isCompressed = name.endsWith(`${ext}${COMPRESSED}`);
  const plain = isCompressed ? name.slice(0, -COMPRESSED.length) : name;
  if (!plain.startsWith(`${base}-`) || !plain.endsWith(ext)) return undefined;
  const match = TIME.exec(plain.slice(base.length + 1, ext === '' ? undefined : -ext.length));
  return match === null ? undefined : { name, time: Date.parse(`${match[1]}${match[2]}:${match[3]}:${match[4]}Z`), isCompressed };
}
