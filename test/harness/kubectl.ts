/** The stock command-line client, where the machine has one that is recent enough. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, startServer, type TestServer } from './server.ts';

const run = promisify(execFile);
/** Minor version of release 1. */
const OLDEST = 32;
/** Milliseconds of a command; less than a test file has. */
const LONGEST = 240_000;
export const KUBECTL_MISSING = 'SKIPPED: kubectl 1.32 is not on PATH';

/** @returns the path of kubectl 1.32 or newer, from PATH or from where the continuous integration puts it; undefined where there is none */
export async function findKubectl(): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), path.join(projectRoot, '.cache/bin')];
  const candidates = folders.map((folder) => path.join(folder, 'kubectl')).filter((file) => existsSync(file));
  for (const candidate of candidates) {
    const client = await recentClient(candidate);
    if (client !== undefined) return client;
  }
  return undefined;
}

/** @returns the program itself, or the client of its version beside it where it runs one of the version of the server */
async function recentClient(program: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(program, ['version', '--client', '-o', 'json']);
    const { minor, gitVersion } = JSON.parse(stdout).clientVersion;
    if (Number.parseInt(minor, 10) < OLDEST) return undefined;
    const own = path.join(path.dirname(realpathSync(program)), `kubectl.1.${Number.parseInt(minor, 10)}`);
    return gitVersion.endsWith('-dispatcher') && existsSync(own) ? own : program;
  } catch {
    return undefined;
  }
}

export interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Path of a client configuration, and a folder of the test's own. */
export type KubectlTarget = Pick<TestServer, 'kubeconfig' | 'directory'>;

export class Kubectl {
  readonly #program: string;
  readonly #home: string;
  readonly #options: readonly string[];

  private constructor(program: string, server: KubectlTarget, home: string) {
    this.#program = program;
    this.#home = home;
    this.#options = [`--kubeconfig=${server.kubeconfig}`, `--cache-dir=${path.join(home, 'cache')}`];
  }

  /** With a home folder of its own below the server's: nothing of the user's is read, nothing left behind. */
  static async create(program: string, server: KubectlTarget): Promise<Kubectl> {
    const home = path.join(server.directory, 'kubectl');
    await mkdir(home, { recursive: true });
    return new Kubectl(program, server, home);
  }

  /** Runs a command line, split at spaces. @returns what it printed @throws Error when it fails */
  async run(command: string | readonly string[], input?: unknown): Promise<string> {
    const output = await this.try(command, input);
    if (output.code !== 0) throw new Error(`kubectl ${command} ended with ${output.code}\n${output.stdout}${output.stderr}`);
    return output.stdout;
  }

  /** As `run`, whatever comes of it. @param input for standard input; what is no text is sent as JSON */
  try(command: string | readonly string[], input?: unknown, environment?: Readonly<Record<string, string>>): Promise<Output> {
    const child = this.start(command, environment);
    // one that has ended reads no more: its code and what it printed say why
    child.stdin?.on('error', () => {});
    child.stdin?.end(input === undefined || typeof input === 'string' ? (input ?? '') : JSON.stringify(input));
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
    });
  }

  /** A command that goes on until it is killed, such as a watch; ended after some minutes at the latest. */
  start(command: string | readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const given = typeof command === 'string' ? command.split(' ') : command;
    const env = { PATH: process.env.PATH, HOME: this.#home, KUBECACHEDIR: path.join(this.#home, 'cache'), ...environment };
    // by this name it owns what it writes
    const common = { argv0: 'kubectl', cwd: this.#home, env } as const;
    const child = spawn(this.#program, [...this.#options, ...given], { ...common, timeout: LONGEST, killSignal: 'SIGKILL' });
    const end = () => child.kill('SIGKILL');
    process.once('exit', end);
    child.once('close', () => process.removeListener('exit', end));
    return child;
  }
}

/** A server of the dialect that kubectl knows, with kubectl for it. Without kubectl the process ends: its tests are skipped. */
export async function startWithKubectl(): Promise<{ server: TestServer; kubectl: Kubectl }> {
  const program = await findKubectl();
  if (program === undefined) {
    console.log(KUBECTL_MISSING);
    process.exit(0);
  }
  // Nothing here makes the service accounts that the plugin asks for.
  const server = await startServer({ dialect: 'kubernetes', flags: ['--disable-admission-plugins=ServiceAccount'] });
  return { server, kubectl: await Kubectl.create(program, server) };
}
