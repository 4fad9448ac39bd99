/** Our own server in a folder of its own, started and stopped as often as needed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Connection } from './load/connection.ts';
import { type ProcessFigures, processFigures } from './process-figures.ts';
import { requestText, type Target } from './target.ts';

/** This checkout. */
export const ROOT = path.join(import.meta.dirname, '../..');
const TOKEN = 'bench-token';
/** Of a user to whom nothing is allowed but what roles say. */
export const ORDINARY_TOKEN = 'bench-ordinary-token';
export const ORDINARY_USER = 'bench-ordinary';
/** milliseconds */
const START_LIMIT = 30_000;
const STOP_LIMIT = 15_000;
const POLL = 2;
/** after a start, before its memory is read */
const SETTLE = 500;

export interface Started {
  /** from the start of the process until /readyz answered 200 */
  readonly readyMs: number;
  readonly figures: ProcessFigures | undefined;
}

export class OwnServer {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  readonly #flags: readonly string[];
  readonly #checkout: string;
  #port = 0;
  #child: ChildProcess | undefined;
  #isRemoved = false;
  /** removed with it */
  readonly #others: OwnServer[] = [];

  /** @param flags besides those that say where it listens and whom it believes. @param checkout folder of the server's source */
  constructor(flags: readonly string[], checkout: string) {
    this.#flags = flags;
    this.#checkout = checkout;
    const users = [`${TOKEN},bench,bench,"system:masters"`, `${ORDINARY_TOKEN},${ORDINARY_USER},${ORDINARY_USER}`];
    writeFileSync(path.join(this.#folder, 'tokens.csv'), `${users.join('\n')}\n`, { mode: 0o600 });
  }

  /** Of the same checkout, in a folder of its own. @param flags besides those of this one, before which they go */
  another(flags: readonly string[]): OwnServer {
    if (this.#isRemoved) throw new Error('the server is not wanted any more');
    const other = new OwnServer([...this.#flags, ...flags], this.#checkout);
    this.#others.push(other);
    return other;
  }

  /** Of the running server. */
  get target(): Target {
    const authority = path.join(this.#folder, 'data/pki/ca.crt');
    return {
      host: '127.0.0.1',
      port: this.#port,
      token: TOKEN,
      ...(existsSync(authority) && { authority: readFileSync(authority, 'utf8') }),
      ...(this.#child?.pid !== undefined && { pid: this.#child.pid }),
    };
  }

  /**
   * @param by `node` starts the server itself, `npm` goes through `npm start`, whose processes count too
   * @param nodeFlags of `node`
   * @throws Error with what the server said when it ends or is not ready in time
   */
  async start(by: 'node' | 'npm', nodeFlags: readonly string[] = []): Promise<Started> {
    this.#port = await freePort();
    // the bench was interrupted: nobody would stop it any more
    if (this.#isRemoved) throw new Error('the server is not wanted any more');
    const flags = [
      `--secure-port=${this.#port}`,
      `--data-dir=${path.join(this.#folder, 'data')}`,
      `--token-auth-file=${path.join(this.#folder, 'tokens.csv')}`,
      ...this.#flags,
    ];
    const [command, args] =
      by === 'node'
        ? [process.execPath, [...nodeFlags, ...argumentsOf(this.#checkout), ...flags]]
        : ['npm', ['start', '--silent', '--', ...flags]];
    const began = performance.now();
    const child = spawn(command, args, { cwd: this.#checkout, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.#child = child;
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said = (said + bytes).slice(-2_000)));
    while (!(await this.#isReady())) {
      if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}:\n${said}`);
      if (performance.now() - began > START_LIMIT) throw new Error(`the server was not ready in time:\n${said}`);
      await new Promise((resolve) => setTimeout(resolve, POLL));
    }
    const readyMs = performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, SETTLE));
    return { readyMs, figures: processFigures(child.pid as number) };
  }

  async #isReady(): Promise<boolean> {
    try {
      const { authority: _, ...target } = this.target;
      const connection = await Connection.open(target);
      const { status } = await connection.exchange(requestText(target, 'GET', '/readyz'));
      connection.close();
      return status === 200;
    } catch {
      return false;
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const { pid } = child;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    // npm passes it on
    process.kill(pid, 'SIGTERM');
    const tooLate = setTimeout(() => process.kill(-pid, 'SIGKILL'), STOP_LIMIT);
    await ended;
    clearTimeout(tooLate);
  }

  /** Ends the server and forgets what it has stored. */
  async clear(): Promise<void> {
    await this.stop();
    rmSync(path.join(this.#folder, 'data'), { recursive: true, force: true });
  }

  /** Ends it and all others of it for good. */
  async remove(): Promise<void> {
    this.#isRemoved = true;
    for (const other of this.#others.splice(0)) await other.remove();
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** What `npm start` of a checkout gives Node: its flags and the entry point. */
function argumentsOf(checkout: string): string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(checkout, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const words = scripts.start.split(' ');
  return words.slice(words.findIndex((word) => path.basename(word) === 'node') + 1);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
