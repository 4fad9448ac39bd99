/**
 * Runs programs that get credentials. A credential is kept until it expires or the server refuses it.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
import { spawn } from 'node:child_process';
import type { Identity } from '../../contract/identity.ts';
import { ConfigurationError, type ExecSettings } from './configuration.ts';
import type { ExecCredential, PrintedAnswer } from './exec-credential.ts';
import { parseConfigurationText } from './parse.ts';

/** What a program is told about the cluster, if it has asked for that with `provideClusterInfo`. */
export interface ExecCluster {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  /** base64 */
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  /** the configuration's extension for credential programs of this cluster */
  readonly config?: unknown;
}

export interface ExecOptions {
  /** names of the dialect */
  readonly identity: Pick<Identity, 'text'>;
  readonly cluster?: ExecCluster;
  /** whether the standard input is a terminal; absent: it is found out */
  readonly isTerminal?: boolean;
  /** why the standard input cannot be used; absent: it can */
  readonly stdinUnavailable?: string;
  readonly now?: () => number;
}

/** The most bytes that a program may print. */
const MAX_OUTPUT = 1024 * 1024;

/** Plugins by their settings: clients with the same settings share one, so that the program runs once for all of them. */
const plugins = new Map<string, WeakRef<ExecPlugin>>();

export class ExecPlugin {
  readonly #settings: ExecSettings;
  readonly #options: ExecOptions;
  #credential: ExecCredential | undefined;
  #running: Promise<ExecCredential> | undefined;

  /** @throws ConfigurationError for an unknown version */
  constructor(settings: ExecSettings, options: ExecOptions) {
    const known = ['v1', 'v1beta1'].map((version) => options.identity.text(`client.authentication.\${groupDomain}/${version}`));
    if (!known.includes(settings.apiVersion))
      throw new ConfigurationError(`exec plugin: invalid apiVersion ${JSON.stringify(settings.apiVersion)}`);
    this.#settings = settings;
    this.#options = options;
  }

  /** @returns the plugin that all callers with the same settings share. @throws ConfigurationError as the constructor */
  static of(settings: ExecSettings, options: ExecOptions): ExecPlugin {
    const { identity, now, ...told } = options;
    const key = JSON.stringify([settings, told, identity.text('${environmentPrefix}')]);
    const known = now === undefined ? plugins.get(key)?.deref() : undefined;
    if (known !== undefined) return known;
    const made = new ExecPlugin(settings, options);
    for (const [other, plugin] of plugins) if (plugin.deref() === undefined) plugins.delete(other);
    if (now === undefined) plugins.set(key, new WeakRef(made));
    return made;
  }

  /** @returns the current credential. If there is none, the program runs, once for all callers that wait. @throws ConfigurationError if it fails */
  async get(): Promise<ExecCredential> {
    const known = this.#credential;
    if (known !== undefined && !this.#isExpired(known)) return known;
    this.#running ??= this.#refresh().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Must be called when the server has refused a credential: the next `get` runs the program. */
  refused(credential: ExecCredential): void {
    if (this.#credential === credential) this.#credential = undefined;
  }

  #isExpired({ expires }: ExecCredential): boolean {
    return expires !== undefined && (this.#options.now ?? Date.now)() > expires;
  }

  async #refresh(): Promise<ExecCredential> {
    const { apiVersion, provideClusterInfo = false } = this.#settings;
    const interactive = this.#isInteractive();
    const cluster = provideClusterInfo && this.#options.cluster !== undefined ? { cluster: this.#options.cluster } : {};
    const told = { kind: 'ExecCredential', apiVersion, spec: { ...cluster, interactive } };
    const output = await this.#run(JSON.stringify(told), interactive);
    const answer = await decoded(output);
    const { credentialOf } = await import('./exec-credential.ts');
    try {
      this.#credential = credentialOf(answer, apiVersion);
      return this.#credential;
    } catch (error) {
      throw new ConfigurationError((error as Error).message, { cause: error });
    }
  }

  /** @throws ConfigurationError if the program needs a terminal and there is none */
  #isInteractive(): boolean {
    const { isTerminal = process.stdin.isTTY === true, stdinUnavailable } = this.#options;
    const refuse = (why: string): never => {
      throw new ConfigurationError(`exec plugin cannot support interactive mode: ${why}`);
    };
    switch (this.#settings.interactiveMode) {
      case 'Never':
        return false;
      case 'IfAvailable':
        return isTerminal && stdinUnavailable === undefined;
      case 'Always':
        if (!isTerminal) return refuse('standard input is not a terminal');
        if (stdinUnavailable !== undefined)
          return refuse(`standard input is unavailable${stdinUnavailable === '' ? '' : `: ${stdinUnavailable}`}`);
        return true;
      default:
        return refuse(`unknown interactiveMode: ${JSON.stringify(this.#settings.interactiveMode ?? '')}`);
    }
  }

  /** @returns what the program prints. @throws ConfigurationError if it fails */
  #run(told: string, interactive: boolean): Promise<string> {
    const { command, args = [], env = [] } = this.#settings;
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const child = spawn(command, [...args], {
      env: { ...process.env, ...variables, [this.#options.identity.text('${environmentPrefix}_EXEC_INFO')]: told },
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= MAX_OUTPUT) return;
      child.kill();
      // one that does not end can print no more
      child.stdout.destroy();
      reject(new ConfigurationError(`exec: executable ${command} printed more than ${MAX_OUTPUT} bytes`));
    });
    child.on('error', (error: NodeJS.ErrnoException) => reject(this.#notRun(error)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString());
      else
        reject(
          new ConfigurationError(`exec: executable ${command} failed with ${signal === null ? `exit code ${code}` : `signal ${signal}`}`),
        );
    });
    return promise;
  }

  #notRun(error: NodeJS.ErrnoException): ConfigurationError {
    const { command, installHint } = this.#settings;
    if (error.code !== 'ENOENT' && error.code !== 'EACCES') return new ConfigurationError(`exec: ${error.message}`, { cause: error });
    const help =
      'The client configuration names it as the program that gets credentials. It has to be installed, and to be found by that name.';
    const hint = installHint ? `\n\n${installHint}` : '';
    return new ConfigurationError(`exec: executable ${command} not found\n\n${help}${hint}`, { cause: error });
  }
}

/** @throws ConfigurationError */
async function decoded(output: string): Promise<PrintedAnswer> {
  try {
    const answer = await parseConfigurationText(output);
    if (typeof answer !== 'object' || answer === null) throw new Error('it is no object');
    return answer;
  } catch (error) {
    throw new ConfigurationError(`decoding stdout: ${(error as Error).message}`, { cause: error });
  }
}
