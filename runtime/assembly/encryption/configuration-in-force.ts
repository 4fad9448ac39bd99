/**
 * The configuration of --encryption-provider-config in force, with the open services that it names. When the file changes, a new
 * configuration replaces it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EncryptionConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import { readFileText } from '../../files/file-text.ts';
import { FileWatch } from '../../files/file-watch.ts';
import type { FollowedFiles } from '../../files/followed-files.ts';
import type { Log } from '../../observability/log.ts';
import type { EncryptionWork } from '../../storage/encryption/encryption-work.ts';
import { javascriptSecretBoxes, secretBoxes } from '../../storage/encryption/secret-box.ts';
import type { StoreCheck } from '../../storage/storage.ts';
import { EncryptionFigures } from './encryption-figures.ts';
import { type EncryptionFile, parseEncryption, permissionWarning, serviceGrace, usesSecretBox } from './encryption-file.ts';
import type { CallTracing, KeyServiceParts } from './key-service-client.ts';
import type { WatchedKeyService } from './key-service-watch.ts';

const FLAG = '--encryption-provider-config';

/** Milliseconds between two reads of the file, as in 1.32. If the file system reports a change, the file is read at once. */
const RELOAD_INTERVAL = 60_000;

export interface ConfigurationParts {
  /** path, or '' if the flag is not set */
  readonly file: string;
  /** whether the file is read again when it changes */
  readonly reloads: boolean;
  readonly log: Log;
  readonly followedFiles: FollowedFiles;
  readonly source: () => Promise<Omit<EncryptionFile, 'file' | 'reloads'>>;
  /** the least milliseconds for which services may take until they are healthy; default: 10 seconds, as in 1.32 */
  readonly patience?: number;
}

/** What a store makes of a configuration. */
export interface Configured {
  readonly services: readonly WatchedKeyService[];
}

/**
 * @param services receives each service as soon as it is opened, so that all of them can be closed if this throws
 * @returns the result, which has these services
 * @throws Error for parts of the configuration that contradict each other
 */
export type MakeConfigured<C extends Configured> = (
  configuration: EncryptionConfiguration,
  parts: KeyServiceParts,
  services: WatchedKeyService[],
) => C;

/** @typeParam C what the store makes of a configuration */
interface InForce<C> {
  readonly configured: C;
  /** milliseconds for which its services stay open after another configuration has replaced it */
  readonly grace: number;
}

/** The text that was read last, and the function that reads another text. */
interface Source<C> {
  readonly file: string;
  readonly text: string;
  readonly read: (text: string) => Promise<InForce<C>>;
}

const SLOW =
  'secretbox is computed in JavaScript, which takes about seven times as long: the optional package sodium-native is not installed, or not made for this machine';

export class ConfigurationInForce<C extends Configured> {
  readonly #parts: ConfigurationParts;
  readonly #source: Source<C> | undefined;
  readonly #tracing: CallTracing;
  readonly #old = new Set<InForce<C>>();
  #current: InForce<C>;
  #watch: FileWatch | undefined;
  #isClosed = false;
  readonly figures: EncryptionFigures;

  private constructor(parts: ConfigurationParts, { figures, tracing }: KeyServiceParts, current: InForce<C>, source?: Source<C>) {
    this.#parts = parts;
    this.figures = figures;
    this.#tracing = tracing;
    this.#current = current;
    this.#source = source;
  }

  /**
   * Reads the file and waits up to 10 seconds until the services are healthy. If one is not, the start goes on: what needs it fails, and
   * health checks report it.
   * @param none what is in force if there is no file
   * @throws Error for an invalid configuration, in the words of 1.32
   */
  static async read<C extends Configured>(parts: ConfigurationParts, none: C, make: MakeConfigured<C>): Promise<ConfigurationInForce<C>> {
    const { file, reloads, log } = parts;
    const services: KeyServiceParts = { log, figures: new EncryptionFigures(), tracing: {} };
    if (file === '') return new ConfigurationInForce(parts, services, { configured: none, grace: 0 });
    const source = { ...(await parts.source()), file, reloads };
    const text = await readFileText(file);
    const read = async (changed: string): Promise<InForce<C>> => {
      const warning = permissionWarning(file);
      if (warning !== undefined) log.warn({}, warning);
      const configuration = await parseEncryption(changed, source);
      if (usesSecretBox(configuration) && secretBoxes() === javascriptSecretBoxes) log.warn({}, SLOW);
      return inForce(configuration, services, make);
    };
    const current = await read(text);
    for (const problem of await problemsOf(current.configured.services, parts.patience ?? PATIENCE))
      log.error({ problem }, 'the start goes on without a key management service');
    return new ConfigurationInForce(parts, services, current, reloads ? { file, text, read } : undefined);
  }

  get current(): C {
    return this.#current.configured;
  }

  /** Closes the services of all configurations and stops watching the file. */
  close(): void {
    this.#isClosed = true;
    this.#watch?.close();
    for (const each of [...this.#old, this.#current]) close(each);
  }

  /**
   * Follows the file, if the configuration reloads.
   * @param use puts another configuration in force; if it throws, the former one stays
   * @param oneCheck whether one health check covers all services
   */
  follow(use: (next: C) => Promise<void> | void, oneCheck: boolean): EncryptionWork {
    const source = this.#source;
    if (source !== undefined) this.#watch = this.#followed(source, use);
    return {
      closing: () => this.close(),
      checks: oneCheck ? [{ name: 'kms-providers', check: () => this.#problem() }] : this.#checks(),
      showFigures: (metrics) => this.figures.show(metrics),
      traceCalls: (tracer) => {
        this.#tracing.tracer = tracer;
      },
    };
  }

  #followed(source: Source<C>, use: (next: C) => Promise<void> | void): FileWatch {
    const { log, followedFiles } = this.#parts;
    const { file, text } = source;
    return new FileWatch({
      file,
      text,
      interval: RELOAD_INTERVAL,
      triesAgain: 'by-interval',
      followedFiles,
      changed: async (changed) => {
        await this.#replace(await source.read(changed), use);
        this.figures.reloaded('success');
        log.info({ file }, `${FLAG}: the file has been read again`);
      },
      failed: (error) => {
        this.figures.reloaded('failure');
        log.error({ err: error, file }, `${FLAG}: the new text of the file is not used`);
      },
    });
  }

  async #replace(next: InForce<C>, use: (next: C) => Promise<void> | void): Promise<void> {
    try {
      const problems = await problemsOf(
        next.configured.services,
        Math.max(next.grace, this.#parts.patience ?? PATIENCE),
        () => this.#isClosed,
      );
      if (this.#isClosed) return close(next);
      if (problems.length > 0) throw new Error(`health check for new transformers failed: ${problems.join(', ')}`);
      await use(next.configured);
    } catch (error) {
      close(next);
      throw error;
    }
    const before = this.#current;
    this.#current = next;
    this.#old.add(before);
    setTimeout(() => {
      this.#old.delete(before);
      close(before);
    }, before.grace).unref();
  }

  /** The problems of all services, each with the name that its own check would have, as in 1.32. */
  #problem(): string | undefined {
    const problems = this.#checks().flatMap(({ name, check }) => {
      const problem = check();
      return problem === undefined ? [] : [`${name}: ${problem}`];
    });
    return problems.length > 1 ? `[${problems.join(', ')}]` : problems[0];
  }

  #checks(): StoreCheck[] {
    return this.current.services.map((service, index) => ({ name: `kms-provider-${index}`, check: () => service.problem }));
  }
}

function close({ configured }: InForce<Configured>): void {
  for (const service of configured.services) service.close();
}

function inForce<C extends Configured>(
  configuration: EncryptionConfiguration,
  parts: KeyServiceParts,
  make: MakeConfigured<C>,
): InForce<C> {
  const services: WatchedKeyService[] = [];
  try {
    return { configured: make(configuration, parts, services), grace: serviceGrace(configuration) };
  } catch (error) {
    for (const each of services) each.close();
    throw error;
  }
}

/** Milliseconds that services may take until they are healthy, and between two looks at one of them. */
const PATIENCE = 10_000;
const BETWEEN_LOOKS = 500;

/** Waits for a limited time until all services are healthy. @param isClosed whether nobody waits any more. @returns the problems of those that are not */
async function problemsOf(services: readonly WatchedKeyService[], patience: number, isClosed = () => false): Promise<string[]> {
  const until = performance.now() + patience;
  const problems = await Promise.all(
    services.map(async (service) => {
      let problem = await service.look();
      while (problem !== undefined && performance.now() < until && !isClosed()) {
        await sleep(BETWEEN_LOOKS);
        problem = await service.look();
      }
      return problem;
    }),
  );
  return problems.filter((problem) => problem !== undefined);
}
