/** The configuration of --encryption-provider-config that is in force, with the services that are open for it, and how another one takes its place when the file changes. */
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

/** Milliseconds, as in 1.32; where the file system tells of a change it is read at once. */
const RELOAD_INTERVAL = 60_000;

export interface ConfigurationParts {
  /** --encryption-provider-config; '' where there is none */
  readonly file: string;
  /** the file is read again when it changes */
  readonly reloads: boolean;
  readonly log: Log;
  readonly followedFiles: FollowedFiles;
  readonly source: () => Promise<Omit<EncryptionFile, 'file' | 'reloads'>>;
}

/** What a store makes of a configuration. */
export interface Configured {
  readonly services: readonly WatchedKeyService[];
}

/**
 * @param services where each service that is opened is put at once: all of them are closed where this throws
 * @returns it with these services
 * @throws Error for what does not fit together
 */
export type MakeConfigured<C extends Configured> = (
  configuration: EncryptionConfiguration,
  parts: KeyServiceParts,
  services: WatchedKeyService[],
) => C;

/** @typeParam C of the store */
interface InForce<C> {
  readonly configured: C;
  /** milliseconds that its services are good for behind it */
  readonly grace: number;
}

/** What was read, and how it is read again. */
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
  readonly figures: EncryptionFigures;

  private constructor(parts: ConfigurationParts, { figures, tracing }: KeyServiceParts, current: InForce<C>, source?: Source<C>) {
    this.#parts = parts;
    this.figures = figures;
    this.#tracing = tracing;
    this.#current = current;
    this.#source = source;
  }

  /**
   * Waits until services are well, for some time.
   * @param none what is in force where there is no file
   * @throws Error for a configuration that is wrong, in the words of 1.32
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
    await begun(current.configured.services, log);
    return new ConfigurationInForce(parts, services, current, reloads ? { file, text, read } : undefined);
  }

  get current(): C {
    return this.#current.configured;
  }

  /** Closes all that is open. */
  close(): void {
    this.#watch?.close();
    for (const each of [...this.#old, this.#current]) close(each);
  }

  /**
   * Follows the file, where that was asked for.
   * @param use puts another configuration in force. Where it throws, the one before stays
   * @param oneCheck whether one check tells of all services
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
      const looks = await Promise.all(next.configured.services.map((service) => service.look()));
      const problems = looks.filter((problem) => problem !== undefined);
      if (problems.length > 0) throw new Error(problems.join(', '));
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

  #problem(): string | undefined {
    return this.current.services.find(({ problem }) => problem !== undefined)?.problem;
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

/** Milliseconds that a start waits for services, and between looks at one. */
const LONGEST_BEGINNING = 10_000;
const BETWEEN_LOOKS = 500;

/** Waits until services are well, for some time: what needs one that is not fails then, and health checks tell. */
async function begun(services: readonly WatchedKeyService[], log: Log): Promise<void> {
  const until = performance.now() + LONGEST_BEGINNING;
  await Promise.all(
    services.map(async (service) => {
      let problem = await service.look();
      while (problem !== undefined && performance.now() < until) {
        await sleep(BETWEEN_LOOKS);
        problem = await service.look();
      }
      if (problem !== undefined) log.error({ problem }, 'the start goes on without a key management service');
    }),
  );
}
