/** A server of a test's own: a process on a free port, with a folder and tokens that nobody else has. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dialect } from '../../runtime/contract/identity.ts';
import { programFile, projectRoot } from './programs.ts';

export { projectRoot };

/** Those of the program that runs the server by which it is to be run, for `nodeFlags`. */
export const NODE_FLAGS: readonly string[] =
  (JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8')) as { scripts: { start: string } }).scripts.start.match(
    /--\S+/g,
  ) ?? [];

/** `admin` may do everything; `alice` is in the groups dev and qa and has no rights of her own. */
export const tokens = { admin: 'admin-token', alice: 'alice-token' } as const;
const TOKEN_FILE = 'admin-token,admin,admin-uid,"system:masters"\nalice-token,alice,1001,"dev,qa"\n';

export interface ServerOptions {
  readonly dialect: Dialect;
  /** whether the server knows the tokens of the harness; an aggregated one does not. True by default */
  readonly tokenFile?: boolean;
  /** after the ones that the harness gives */
  readonly flags?: readonly string[];
  /** where the store, the tokens and the client configuration go, kept when the server ends; absent: a temporary folder that goes with it */
  readonly directory?: string;
  /** 0 or absent: a free one */
  readonly port?: number;
  /** folder of the checkout whose sources the process runs; absent: this one, and its bundle where there is one */
  readonly root?: string;
  /** path of a module that the process loads before the server */
  readonly preload?: string;
  /** of the program that runs the server, such as those of `npm start`; absent: none */
  readonly nodeFlags?: readonly string[];
  /** of the process, besides what this one has */
  readonly env?: Readonly<Record<string, string>>;
  /** told of the process as soon as it is there, long before it is ready */
  readonly spawned?: (pid: number) => void;
  /** milliseconds until it must be ready; absent: far above what a start takes, for machines under load */
  readonly patience?: number;
}

export interface TestServer {
  readonly dialect: Dialect;
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly directory: string;
  /** path of the administrator's client configuration */
  readonly kubeconfig: string;
  readonly tokens: typeof tokens;
  /** what the process wrote to standard error so far */
  log(): string;
  /** lines of the log that report a fault of the server itself: records of level error and above, and what Node prints when it gives up */
  faults(): string[];
  running(): boolean;
  /** bytes of memory that the process holds now */
  residentBytes(): Promise<number>;
  /** SIGTERM, then SIGKILL if that takes longer than 15 s. @returns the exit code, null when a signal ended it */
  stop(): Promise<number | null>;
  /** SIGKILL, as a crash would */
  kill(): Promise<void>;
}

/** The server ended, or was not ready in time. */
export class ServerStartError extends Error {
  readonly exitCode: number | null;
  /** both streams */
  readonly output: string;
  constructor(message: string, exitCode: number | null, output: string) {
    super(`${message}\n${output}`);
    this.exitCode = exitCode;
    this.output = output;
  }
}

/** Milliseconds. */
const READY_TIMEOUT = 30_000;
const STOP_TIMEOUT = 15_000;

/** Starts a server that is to refuse to start. @returns how it ended. @throws Error where it does start */
export async function refusedStart(options: ServerOptions): Promise<ServerStartError> {
  let server: TestServer;
  try {
    server = await startServer(options);
  } catch (error) {
    if (error instanceof ServerStartError) return error;
    throw error;
  }
  await server.kill();
  throw new Error(`the server of ${options.directory} started, where it was to refuse`);
}

/** Starts a server and waits until it says that it is ready. @throws ServerStartError */
export async function startServer(options: ServerOptions): Promise<TestServer> {
  const { directory, cleanUp } = await folder(options.directory);
  const tokenFile = path.join(directory, 'tokens.csv');
  await writeFile(tokenFile, TOKEN_FILE);
  const flags = [
    `--dialect=${options.dialect}`,
    `--secure-port=${options.port ?? 0}`,
    '--logging-format=json',
    `--data-dir=${path.join(directory, 'data')}`,
    ...(options.tokenFile === false ? [] : [`--token-auth-file=${tokenFile}`]),
    ...(options.flags ?? []),
  ];
  const running = new ServerProcess(flags, options);
  options.spawned?.(running.pid);
  try {
    const { url, kubeconfig } = await running.ready(options.patience ?? READY_TIMEOUT);
    return {
      dialect: options.dialect,
      url,
      port: Number(new URL(url).port),
      pid: running.pid,
      directory,
      kubeconfig,
      tokens,
      log: () => running.errors,
      faults: () => running.errors.split('\n').filter((line) => FAULT.test(line)),
      running: () => running.exitCode === undefined,
      residentBytes: () => residentBytes(running.pid),
      stop: async () => {
        const code = await running.stop();
        cleanUp();
        return code;
      },
      kill: async () => {
        await running.kill();
        cleanUp();
      },
    };
  } catch (error) {
    await running.kill();
    cleanUp();
    throw error;
  }
}

/** The given folder, which stays, or one of our own, which goes with the server or with the test. */
async function folder(given: string | undefined): Promise<{ directory: string; cleanUp: () => void }> {
  if (given !== undefined) return { directory: given, cleanUp: () => {} };
  const directory = await mkdtemp(path.join(tmpdir(), 'cluster-apiserver-test-'));
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove);
  return {
    directory,
    cleanUp: () => {
      process.removeListener('exit', remove);
      remove();
    },
  };
}

// An interrupted test leaves by its exit, so that servers and folders go with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Log records are lines of JSON. */
const FAULT = /"level":"(?:error|fatal)"|uncaught|unhandled|FATAL ERROR|^\s+at \S+.*:\d+:\d+\)?$/i;

class ServerProcess {
  /** undefined while it runs */
  exitCode: number | null | undefined;
  errors = '';
  #output = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;

  constructor(flags: readonly string[], { root, preload, nodeFlags = [], env }: ServerOptions) {
    const program = root === undefined ? programFile('cluster-apiserver') : path.join(root, 'runtime/main/cluster-apiserver.js');
    const before = [...nodeFlags, ...(preload === undefined ? [] : ['--import', preload])];
    const child = spawn(process.execPath, [...before, program, ...flags], {
      cwd: root ?? projectRoot,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(env && { env: { ...process.env, ...env } }),
    });
    this.#child = child;
    // A test that fails half way ends its process without having stopped the server.
    const end = () => child.kill('SIGKILL');
    process.once('exit', end);
    this.#ended = new Promise((resolve) => {
      const finish = (code: number | null) => {
        process.removeListener('exit', end);
        this.exitCode = code;
        resolve();
      };
      child.once('close', finish);
      child.once('error', () => finish(null));
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** @param patience milliseconds. @throws ServerStartError */
  async ready(patience: number): Promise<{ url: string; kubeconfig: string }> {
    const until = Date.now() + patience;
    for (;;) {
      const url = /^cluster-apiserver is ready at (https:\/\/\S+)$/m.exec(this.#output)?.[1];
      const kubeconfig = /^client configuration: (.+)$/m.exec(this.#output)?.[1];
      if (url !== undefined && kubeconfig !== undefined) return { url, kubeconfig };
      if (this.exitCode !== undefined) throw this.#failure(`the server ended with code ${this.exitCode}`);
      if (Date.now() > until) throw this.#failure(`the server was not ready after ${patience / 1_000} s`);
      await Promise.race([this.#ended, sleep(20)]);
    }
  }

  #failure(message: string): ServerStartError {
    return new ServerStartError(message, this.exitCode ?? null, `${this.#output}${this.errors}`);
  }

  async stop(): Promise<number | null> {
    if (this.exitCode !== undefined) return this.exitCode;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT);
    await this.#ended;
    clearTimeout(timer);
    return this.exitCode ?? null;
  }

  async kill(): Promise<void> {
    if (this.exitCode === undefined) this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

/** Bytes; 0 where the machine has no /proc. */
async function residentBytes(pid: number): Promise<number> {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return 0;
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(await readFile(status, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
