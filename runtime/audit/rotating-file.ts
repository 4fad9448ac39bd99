/**
 * A file that lines are appended to, and that gives its place to a new one where it grows too large; as the rotation of 1.32 has it. Several processes
 * may append to it: each looks before it writes whether another one has begun a new file.
 */
import { statSync, write, writeSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { compressFile } from './compress-file.ts';
import { DiskPace } from './disk-pace.ts';
import { whileLocked } from './lock-file.ts';
import { encodeLine, LineBuffer, type LogLine, lineBytes, mostLineBytes } from './log-line.ts';

export interface Rotation {
  /** bytes from which a new file is begun */
  readonly maxBytes: number;
  /** milliseconds after which old files go; 0: they stay */
  readonly maxAge: number;
  /** old files that stay; 0: all */
  readonly maxBackups: number;
  readonly compress: boolean;
  /** other processes append to it, too */
  readonly isShared: boolean;
}

/** Milliseconds for which another process may still append to the file that it knows. */
const LATE = 2_000;

/** Milliseconds for which lines wait that nobody waits for. */
const PATIENCE = 1;

/** Bytes that the event loop waits for, at most: other threads copy more than that for less than it costs to ask them. */
const MOST_AT_ONCE = 256 * 1024;

/** Readable by its owner alone: records say who did what. */
const MODE = 0o600;
const COMPRESSED = '.gz';

export class RotatingFile {
  readonly #file: string;
  readonly #rotation: Rotation;
  /** told what keeps old files from being looked after */
  readonly #failed: (error: unknown) => void;
  readonly #pace: DiskPace;
  #handle: FileHandle | undefined;
  /** not a pipe, say, whose reader takes its time */
  #isOnDisk = false;
  #inode = 0;
  #size = 0;
  /** of the write that is under way */
  readonly #buffer = new LineBuffer();
  #waiting: LogLine[] = [];
  /** for who waits for `#waiting` */
  #written: PromiseWithResolvers<void> | undefined;
  /** somebody waits for it */
  #isAwaited = false;
  /** the write that is under way; does not fail */
  #busy: Promise<void> | undefined;
  /** at the end of this round of the event loop, or a little later */
  #soon: NodeJS.Immediate | undefined;
  #later: NodeJS.Timeout | undefined;
  /** what is done for old files, one after the other */
  #old: Promise<void> = Promise.resolve();

  constructor(file: string, rotation: Rotation, failed: (error: unknown) => void, pace = new DiskPace()) {
    this.#file = file;
    this.#rotation = rotation;
    this.#failed = failed;
    this.#pace = pace;
  }

  /** Opens it, so that what is wrong with it is known. @throws Error of the system */
  async open(): Promise<void> {
    this.#handle = await open(this.#file, 'a', MODE);
    const found = await this.#handle.stat();
    this.#isOnDisk = found.isFile();
    this.#inode = found.ino;
    this.#size = found.size;
    this.#lookAfterOld();
  }

  /**
   * Resolves when the lines are with the system, by the same promise for all that go together: those of this round of the event loop, at least, and
   * what comes while another write is under way.
   * @param isAwaited somebody waits for it: where nobody does it may go a little later, with lines that somebody waits for
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
   * Few lines are written at once, to a disk that is quick.
   * @returns undefined where all is written; what is left to be waited for
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

  /** As `#join`, which has more to do where this is not so. */
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

  /** Lines of other processes may come between two of these, but into none. */
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

  /** Goes on in the file that another process has begun, or with what it has written. */
  async #join(): Promise<void> {
    const found = await stat(this.#file).catch(() => undefined);
    if (found?.ino === this.#inode) this.#size = found.size;
    else await this.#reopen();
  }

  async #reopen(): Promise<void> {
    await this.#handle?.close();
    await this.open();
  }

  async #rotate(): Promise<void> {
    if (this.#rotation.isShared) await whileLocked(`${this.#file}.lock`, () => this.#giveUpFile());
    else await this.#giveUpFile();
    await this.#reopen();
  }

  /** Unless another process has. */
  async #giveUpFile(): Promise<void> {
    const found = await stat(this.#file).catch(() => undefined);
    if (found?.ino === this.#inode) await rename(this.#file, await freeBackupName(this.#file));
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
      else if (compress && !isCompressed && (!isShared || now - time > LATE)) await compressFile(file, `${file}${COMPRESSED}`, MODE);
    }
  }

  /** Resolves when all is written, and old files are looked after. */
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

/** No less than their bytes. */
function mostBytes(lines: readonly LogLine[]): number {
  let sum = 0;
  for (const line of lines) sum += mostLineBytes(line);
  return sum;
}

/** Past the promises of Node, which take more than the write. @throws Error of the system; the promise rejects with it */
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

async function freeBackupName(file: string): Promise<string> {
  for (let time = Date.now(); ; time++) {
    const name = backupName(file, new Date(time));
    const found = await stat(name).catch(() => stat(`${name}${COMPRESSED}`).catch(() => undefined));
    if (found === undefined) return name;
  }
}

/** Such as `audit-2026-11-26T05-10-15.123.log`. */
export function backupName(file: string, time: Date): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}-${time.toISOString().slice(0, 23).replaceAll(':', '-')}${ext}`);
}

const TIME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

interface Backup {
  readonly name: string;
  readonly time: number;
  readonly isCompressed: boolean;
}

/** @returns undefined for a file that is none */
function backupOf(file: string, name: string): Backup | undefined {
  const { name: base, ext } = path.parse(file);
  const isCompressed = name.endsWith(`${ext}${COMPRESSED}`);
  const plain = isCompressed ? name.slice(0, -COMPRESSED.length) : name;
  if (!plain.startsWith(`${base}-`) || !plain.endsWith(ext)) return undefined;
  const match = TIME.exec(plain.slice(base.length + 1, ext === '' ? undefined : -ext.length));
  return match === null ? undefined : { name, time: Date.parse(`${match[1]}${match[2]}:${match[3]}:${match[4]}Z`), isCompressed };
}
