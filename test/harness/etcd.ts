/** etcd, where the machine has one that is recent enough: a member by itself, on loopback, with its store in a folder that goes with it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EtcdClient } from '../../runtime/storage/etcd/client/etcd-client.ts';
import { freePorts } from './free-ports.ts';
import { projectRoot } from './programs.ts';

const run = promisify(execFile);
/** Earlier ones tell the progress of a watch before its events. */
const OLDEST = [3, 5, 13] as const;
export const ETCD_MISSING = 'SKIPPED: etcd 3.5.13 is not on PATH';
/** Milliseconds in which a member has to answer, and to stop. */
const START_TIMEOUT = 30_000;
const STOP_TIMEOUT = 10_000;
/** Milliseconds after which one that hangs has not answered. */
const HANGING_ANSWER = 100;
const ATTEMPTS = 3;
/** A member waits for another leader before it leads: by itself it loses nothing where that is short, and starts in a fifth of the time. */
const SOON_LEADING = ['--election-timeout=100', '--heartbeat-interval=10'];
/** A process that has just been killed may still make a file. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 } as const;

/** @returns the path of etcd 3.5.13 or newer, from PATH or from where the continuous integration puts it; undefined where there is none */
export async function etcdProgram(): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), path.join(projectRoot, '.cache/bin')];
  for (const program of folders.map((folder) => path.join(folder, 'etcd')).filter((file) => existsSync(file)))
    if (await isRecent(program)) return program;
  return undefined;
}

async function isRecent(program: string): Promise<boolean> {
  try {
    const { stdout } = await run(program, ['--version'], { timeout: START_TIMEOUT });
    const version = /^etcd Version: (\d+)\.(\d+)\.(\d+)/m.exec(stdout)?.slice(1).map(Number) ?? [];
    const differs = OLDEST.findIndex((number, i) => number !== version[i]);
    return differs === -1 || (version[differs] ?? 0) > (OLDEST[differs] as number);
  } catch {
    return false;
  }
}

/** The program. Without one the process ends: its tests are skipped. */
export async function etcdOrSkip(): Promise<string> {
  const program = await etcdProgram();
  if (program !== undefined) return program;
  console.log(ETCD_MISSING);
  process.exit(0);
}

export interface EtcdTls {
  /** paths of PEM files: the member's certificate, with its key */
  readonly certificateFile: string;
  readonly keyFile: string;
  /** authority of its clients, which then have to show a certificate */
  readonly clientAuthorityFile?: string;
  /** authority of its own certificate, and what a client shows, for who waits until it answers */
  readonly authorityFile: string;
  readonly client?: { readonly certificateFile: string; readonly keyFile: string };
}

export interface EtcdSettings {
  readonly tls?: EtcdTls;
  /** write nothing through to the disk: true by default. What the process has written survives its being killed all the same */
  readonly unsafeNoFsync?: boolean;
  /** of clients; a free one by default */
  readonly port?: number;
  /** of its store: a folder that exists, and stays. One of its own by default, which goes with it */
  readonly directory?: string;
  /** more flags, such as `--max-request-bytes=8388608` */
  readonly flags?: readonly string[];
}

/** A member that runs, or has been killed and may be started again. */
export class Etcd {
  /** `http://127.0.0.1:PORT`, or https */
  readonly address: string;
  readonly port: number;
  /** of its store */
  readonly directory: string;
  readonly #command: readonly [string, ...string[]];
  readonly #settings: EtcdSettings;
  #child: ChildProcess | undefined;
  readonly #endWithProcess = (): void => {
    this.#child?.kill('SIGKILL');
    this.#removeFolder();
  };

  /** @param peerPort of other members, of which there are none */
  constructor(program: string, port: number, peerPort: number, settings: EtcdSettings) {
    const { tls, directory, unsafeNoFsync = true, flags = [] } = settings;
    this.#settings = settings;
    this.port = port;
    this.address = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
    this.directory = directory ?? mkdtempSync(path.join(tmpdir(), 'cluster-etcd-'));
    const peer = `http://127.0.0.1:${peerPort}`;
    this.#command = [
      program,
      `--data-dir=${path.join(this.directory, 'member')}`,
      `--listen-client-urls=${this.address}`,
      `--advertise-client-urls=${this.address}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      ...SOON_LEADING,
      '--logger=zap',
      '--log-level=error',
      ...(unsafeNoFsync ? ['--unsafe-no-fsync'] : []),
      ...(tls === undefined ? [] : tlsFlags(tls)),
      ...flags,
    ];
    process.once('exit', this.#endWithProcess);
  }

  /** Of the process, for signals such as SIGSTOP. */
  get pid(): number {
    return this.#child?.pid as number;
  }

  /** Starts it and waits until it answers. @throws Error with what it printed */
  async start(): Promise<void> {
    const [program, ...flags] = this.#command;
    const child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env.PATH } });
    this.#child = child;
    let printed = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4_000);
    });
    const failed = once(child, 'close').then(([code]) => {
      throw new Error(`etcd ended with ${code} before it answered: ${printed}`);
    });
    // one of the two alone settles where it ends before: what it printed comes a little later than its end
    const answered = this.#answers(child).then((answers) => (answers ? undefined : failed));
    await Promise.race([failed, answered]);
    failed.catch(() => {});
  }

  /** @returns whether it answers; false where it has ended. @throws EtcdError where it says nothing for too long */
  async #answers(child: ChildProcess): Promise<boolean> {
    const client = this.client();
    try {
      for (const end = Date.now() + START_TIMEOUT; ; await delay(20)) {
        try {
          await client.range({ key: 'a', countOnly: true });
          return true;
        } catch (error) {
          if (hasEnded(child)) return false;
          if (Date.now() > end) throw error;
        }
      }
    } finally {
      client.close();
    }
  }

  /** A client of it, which the caller closes. */
  client(requestTimeout = 10_000): EtcdClient {
    const { tls } = this.#settings;
    const shown = tls?.client && { certificate: readFileSync(tls.client.certificateFile), key: readFileSync(tls.client.keyFile) };
    return new EtcdClient({ addresses: [this.address], requestTimeout, ...(tls && { ca: readFileSync(tls.authorityFile) }), ...shown });
  }

  /** Stops it, as a machine that hangs. Resolves when it says nothing any more: its threads are stopped a little later than they are told. */
  async hang(): Promise<void> {
    process.kill(this.pid, 'SIGSTOP');
    const client = this.client(HANGING_ANSWER);
    const answers = (): Promise<boolean> =>
      client.range({ key: 'a', countOnly: true }).then(
        () => true,
        () => false,
      );
    while (await answers());
    client.close();
  }

  /** After `hang`; nothing where it does not. */
  goOn(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  /** Kills it, as a machine that loses its power; its store stays. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Ends it and starts it again, at the same address with the same store. */
  async restart(): Promise<void> {
    await this.#end('SIGKILL');
    await this.start();
  }

  /** Ends it, and removes its store where that is its own. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
    process.removeListener('exit', this.#endWithProcess);
    this.#removeFolder();
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || hasEnded(child)) return;
    const closed = once(child, 'close');
    child.kill(signal);
    // a process that was stopped does not hear of it
    child.kill('SIGCONT');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT);
    await closed;
    clearTimeout(timer);
  }

  #removeFolder(): void {
    if (this.#settings.directory === undefined) rmSync(this.directory, REMOVAL);
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

function tlsFlags({ certificateFile, keyFile, clientAuthorityFile }: EtcdTls): string[] {
  const own = [`--cert-file=${certificateFile}`, `--key-file=${keyFile}`];
  return clientAuthorityFile === undefined ? own : [...own, '--client-cert-auth', `--trusted-ca-file=${clientAuthorityFile}`];
}

/** A member that answers. The process that starts it ends it when it ends itself, whatever it does before. */
export async function startEtcd(settings: EtcdSettings = {}): Promise<Etcd> {
  const program = await etcdOrSkip();
  for (let attempt = 1; ; attempt++) {
    const [port, peerPort] = (await freePorts(2)) as [number, number];
    const etcd = new Etcd(program, settings.port ?? port, peerPort, settings);
    try {
      await etcd.start();
      return etcd;
    } catch (error) {
      await etcd.stop();
      // a port that was free may have been taken since
      if (attempt === ATTEMPTS || !/address already in use/.test((error as Error).message)) throw error;
    }
  }
}
