/** Opens the store of a data directory together with its encryption. */
import type { EncryptionConfiguration, KMSConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import { EncryptedResources, type ResourceOfPrefix } from '../../registry/encrypted-resources.ts';
import { EncryptingStorage } from '../../storage/encryption/encrypting-storage.ts';
import { identityProvider, keyProvider } from '../../storage/encryption/providers.ts';
import { StoreEncryption } from '../../storage/encryption/store-encryption.ts';
import type { FolderStorage, Terms } from '../../storage/storage.ts';
import { ConfigurationInForce, type ConfigurationParts } from './configuration-in-force.ts';
import { encryptionRules } from './encryption-file.ts';
import { KeyService } from './key-service.ts';
import type { KeyServiceParts } from './key-service-client.ts';
import type { WatchedKeyService } from './key-service-watch.ts';

export interface EncryptionParts extends ConfigurationParts {
  readonly resourceOf: ResourceOfPrefix;
  /** finds the index terms of values before they are encrypted */
  readonly termsOf: Terms['of'];
}

/** What this store makes of a configuration. */
interface Configured {
  readonly resources: EncryptedResources;
  readonly services: readonly KeyService[];
}

/**
 * @param open opens the store with its encrypted values. The store is closed if this fails.
 * @throws Error for an invalid configuration, in the words of 1.32
 */
export async function openEncrypted(open: () => FolderStorage, parts: EncryptionParts): Promise<FolderStorage> {
  // without a file there are no providers, so reading an encrypted value is an error
  const none: Configured = { resources: new EncryptedResources([], parts.resourceOf), services: [] };
  const configuration = await ConfigurationInForce.read(parts, none, (text, of, services) =>
    configured(text, of, services, parts.resourceOf),
  );
  try {
    return await encrypted(open(), parts, configuration);
  } catch (error) {
    configuration.close();
    throw error;
  }
}

/** @throws Error for a service with version 1 of the interface, which this store does not support */
function configured(
  configuration: EncryptionConfiguration,
  parts: KeyServiceParts,
  opened: WatchedKeyService[],
  resourceOf: ResourceOfPrefix,
): Configured {
  const services: KeyService[] = [];
  const service = (kms: KMSConfiguration): KeyService => {
    if (kms.apiVersion === 'v1')
      throw new Error(`KMS provider ${kms.name}: this server speaks version v2 with key management services, not v1`);
    const made = new KeyService(kms, parts);
    services.push(made);
    opened.push(made);
    return made;
  };
  const makers = { keys: keyProvider, service, identity: identityProvider };
  return { resources: new EncryptedResources(encryptionRules(configuration, makers), resourceOf), services };
}

async function encrypted(
  storage: FolderStorage,
  { reloads, termsOf }: EncryptionParts,
  configuration: ConfigurationInForce<Configured>,
): Promise<FolderStorage> {
  try {
    const { current, figures } = configuration;
    const encryption = await StoreEncryption.open(storage, termsOf, current.resources, figures.tell);
    const followKeys = ({ services }: Configured): void => {
      for (const service of services) service.seedChanged = () => encryption.forgetOpened();
    };
    followKeys(current);
    const use = async (next: Configured): Promise<void> => {
      await encryption.use(next.resources);
      followKeys(next);
    };
    // as in 1.32, one health check covers all services, which have version 2 of the interface here
    return new EncryptingStorage(storage, encryption, configuration.follow(use, reloads || current.services.length > 0));
  } catch (error) {
    await storage.close();
    throw error;
  }
}
