/** The store of a data directory with what flags have encrypted of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EncryptionConfiguration, KMSConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import { readFileText } from '../../files/file-text.ts';
import { FileWatch } from '../../files/file-watch.ts';
import type { FollowedFiles } from '../../files/followed-files.ts';
import type { Log } from '../../observability/log.ts';
import { EncryptedResources, type ResourceOfPrefix } from '../../registry/encrypted-resources.ts';
import { EncryptingStorage } from '../../storage/encryption/encrypting-storage.ts';
import { javascriptSecretBoxes, secretBoxes } from '../../storage/encryption/secret-box.ts';
import { StoreEncryption } from '../../storage/encryption/store-encryption.ts';
import type { FolderStorage, StoreCheck, Terms } from '../../storage/storage.ts';
import { EncryptionFigures } from './encryption-figures.ts';
import {
  type EncryptionFile,
  encryptionRules,
  parseEncryption,
  permissionWarning,
  serviceGrace,
  usesSecretBox,
} from './encryption-file.ts';
import { type CallTracing, KeyService } from './key-service.ts';

const FLAG = '--encryption-provider-config';

/** Milliseconds, as in 1.32; where the file system tells of a change it is read at once. */
const RELOAD_INTERVAL = 60_000;

export interface EncryptionParts {
  /** --encryption-provider-config; '' where there is none */
  readonly file: string;
  /** the file is read again when it changes */
  readonly reloads: boolean;
  readonly log: Log;
  readonly followedFiles: FollowedFiles;
  readonly resourceOf: ResourceOfPrefix;
  /** of values before they are encrypted */
  readonly termsOf: Terms['of'];
  readonly source: () => Promise<Omit<EncryptionFile, 'file' | 'reloads'>>;
}

/**
 * @param open the store with its values as they are on the disk. It is closed where this fails.
 * @throws Error for a configuration that is wrong, in the words of 1.32
 */
export async function openEncrypted(open: () => FolderStorage, given: EncryptionParts): Promise<FolderStorage> {
  const { file, reloads, log } = given;
  const parts: Parts = { ...given, figures: new EncryptionFigures(), tracing: {} };
  // what is encrypted is an error then
  if (file === '') return encrypted(open(), parts, { resources: new EncryptedResources([], parts.resourceOf), services: [], grace: 0 });
  const source = { ...(await parts.source()), file, reloads };
  const text = await readFileText(file);
  const read = async (changed: string): Promise<InForce> => {
    const warning = permissionWarning(file);
    if (warning !== undefined) log.warn({}, warning);
    const configuration = await parseEncryption(changed, source);
    if (usesSecretBox(configuration) && secretBoxes() === javascriptSecretBoxes) log.warn({}, SLOW);
    return inForce(configuration, parts);
  };
  const configured = await read(text);
  await begun(configured.services, log);
  try {
    return await encrypted(open(), parts, configured, reloads ? { file, text, read } : undefined);
  } catch (error) {
    for (const service of configured.services) service.close();
    throw error;
  }
}

interface Parts extends EncryptionParts {
  readonly figures: EncryptionFigures;
  readonly tracing: CallTracing;
}

/** A configuration with what is open for it. */
interface InForce {
  readonly resources: EncryptedResources;
  readonly services: readonly KeyService[];
  /** milliseconds that its services are good for behind it */
  readonly grace: number;
}

const SLOW =
  'secretbox is computed in JavaScript, which takes about seven times as long: the optional package sodium-native is not installed, or not made for this machine';

/** @throws Error for what it does not fit together */
function inForce(configuration: EncryptionConfiguration, { log, resourceOf, figures, tracing }: Parts): InForce {
  const services: KeyService[] = [];
  const service = (kms: KMSConfiguration): KeyService => {
    if (kms.apiVersion === 'v1')
      throw new Error(`KMS provider ${kms.name}: this server speaks version v2 with key management services, not v1`);
    const made = new KeyService(kms, { log, figures, tracing });
    services.push(made);
    return made;
  };
  try {
    const resources = new EncryptedResources(encryptionRules(configuration, service), resourceOf);
    return { resources, services, grace: serviceGrace(configuration) };
  } catch (error) {
    for (const each of services) each.close();
    throw error;
  }
}

/** Milliseconds that a start waits for services, and between looks at one. */
const LONGEST_BEGINNING = 10_000;
const BETWEEN_LOOKS = 500;

/** Waits until services are well, for some time: what needs one that is not fails then, and health checks tell. */
async function begun(services: readonly KeyService[], log: Log): Promise<void> {
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

interface Followed {
  readonly file: string;
  readonly text: string;
  readonly read: (text: string) => Promise<InForce>;
}

async function encrypted(
  storage: FolderStorage,
  { termsOf, log, followedFiles, figures, tracing }: Parts,
  configured: InForce,
  followed?: Followed,
): Promise<FolderStorage> {
  let current = configured;
  const old = new Set<InForce>();
  const close = ({ services }: InForce): void => {
    for (const service of services) service.close();
  };
  try {
    const encryption = await StoreEncryption.open(storage, termsOf, configured.resources, figures.tell);
    const followKeys = ({ services }: InForce): void => {
      for (const service of services) service.seedChanged = () => encryption.forgetOpened();
    };
    followKeys(configured);
    const replace = async (next: InForce): Promise<void> => {
      try {
        const problems = (await Promise.all(next.services.map((service) => service.look()))).filter((problem) => problem !== undefined);
        if (problems.length > 0) throw new Error(problems.join(', '));
        await encryption.use(next.resources);
        followKeys(next);
      } catch (error) {
        close(next);
        throw error;
      }
      const before = current;
      current = next;
      old.add(before);
      setTimeout(() => {
        old.delete(before);
        close(before);
      }, before.grace).unref();
    };
    const watch =
      followed &&
      new FileWatch({
        ...followed,
        interval: RELOAD_INTERVAL,
        followedFiles,
        async changed(text) {
          await replace(await followed.read(text));
          figures.reloaded('success');
          log.info({ file: followed.file }, `${FLAG}: the file has been read again`);
        },
        failed(error) {
          figures.reloaded('failure');
          log.error({ err: error, file: followed.file }, `${FLAG}: the new text of the file is not used`);
        },
      });
    const closing = (): void => {
      watch?.close();
      for (const each of [...old, current]) close(each);
    };
    const checks = checksOf(() => current.services, followed !== undefined);
    return new EncryptingStorage(storage, encryption, {
      closing,
      checks,
      showFigures: (metrics) => figures.show(metrics),
      traceCalls(tracer) {
        tracing.tracer = tracer;
      },
    });
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Under the names of 1.32: one for all where they may change, else one for each. */
function checksOf(services: () => readonly KeyService[], mayChange: boolean): readonly StoreCheck[] {
  const problems = (): string | undefined => services().find(({ problem }) => problem !== undefined)?.problem;
  if (mayChange) return [{ name: 'kms-providers', check: problems }];
  return services().map((service, index) => ({ name: `kms-provider-${index}`, check: () => service.problem }));
}
