/** Opens the encryption of values in etcd. */
import type { EncryptionConfiguration, KMSConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import { type ResourceOfPrefix, ResourceRules } from '../../registry/encrypted-resources.ts';
import type { EncryptionWork } from '../../storage/encryption/encryption-work.ts';
import { identityProvider, keyProvider } from '../../storage/encryption/providers.ts';
import { ConfiguredTransformers } from '../../storage/etcd/encryption/configured-transformers.ts';
import { EncryptingCodec } from '../../storage/etcd/encryption/encrypting-codec.ts';
import type { ValueProvider } from '../../storage/etcd/encryption/resource-transformer.ts';
import { storedCiphers } from '../../storage/etcd/encryption/stored-ciphers.ts';
import type { ValueTransformers } from '../../storage/etcd/encryption/value-transformers.ts';
import type { ValueCodec } from '../../storage/etcd/value-codec.ts';
import { ConfigurationInForce, type ConfigurationParts } from './configuration-in-force.ts';
import { encryptionRules } from './encryption-file.ts';
import { FirstKeyService } from './first-key-service.ts';
import { KeyService } from './key-service.ts';
import type { KeyServiceParts } from './key-service-client.ts';
import type { WatchedKeyService } from './key-service-watch.ts';

export interface EtcdEncryptionParts extends ConfigurationParts {
  readonly resourceOf: ResourceOfPrefix;
}

/**
 * Which values of etcd would be read differently now. `unread`: those that could not be decrypted before. `all`: every value, because
 * another configuration is in force or a service encrypts by another key, so that other values are outdated.
 */
export type ChangedValues = 'unread' | 'all';

export interface EtcdEncryption {
  readonly transformers: ValueTransformers;
  /** @param plain reads and writes values that are not encrypted. @param prefix of all keys in etcd, such as `/registry/` */
  codec(plain: ValueCodec, prefix: string): EncryptingCodec;
  /** Sets the one listener, which must read the named values again if it keeps any. It must not throw. */
  onChange(listener: (values: ChangedValues) => void): void;
  readonly work: EncryptionWork;
}

/** What etcd makes of a configuration. */
interface Configured {
  readonly rules: ResourceRules<ValueProvider>;
  readonly services: readonly (KeyService | FirstKeyService)[];
}

/**
 * Opens the services and waits up to 10 seconds until they are healthy.
 * @param parts without a file nothing is encrypted, and values that are encrypted in etcd cannot be read
 * @throws Error for an invalid configuration, in the words of 1.32
 */
export async function openEtcdEncryption(parts: EtcdEncryptionParts): Promise<EtcdEncryption> {
  const { resourceOf, reloads } = parts;
  const none: Configured = { rules: new ResourceRules<ValueProvider>([], resourceOf), services: [] };
  const configuration = await ConfigurationInForce.read(parts, none, (text, of, services) => configured(text, of, services, resourceOf));
  const { current, figures } = configuration;
  const transformers = new ConfiguredTransformers(current.rules, figures.tell);
  let tell: (values: ChangedValues) => void = () => {};
  const followServices = ({ services }: Configured): void => {
    for (const service of services) {
      service.wellAgain = () => tell('unread');
      if (service instanceof KeyService) service.seedChanged = () => tell('all');
    }
  };
  followServices(current);
  const use = (next: Configured): void => {
    transformers.use(next.rules);
    followServices(next);
    tell('all');
  };
  return {
    transformers,
    codec: (plain, prefix) => new EncryptingCodec(plain, transformers, prefix),
    onChange(listener) {
      tell = listener;
    },
    work: configuration.follow(use, reloads || hasOneCheck(current)),
  };
}

/** As in 1.32, one health check covers all services if all of them have version 2 of the interface. */
const hasOneCheck = ({ services }: Configured): boolean =>
  services.length > 0 && services.every((service) => service instanceof KeyService);

/** @throws Error for parts of the configuration that contradict each other */
function configured(
  configuration: EncryptionConfiguration,
  parts: KeyServiceParts,
  opened: WatchedKeyService[],
  resourceOf: ResourceOfPrefix,
): Configured {
  const services: (KeyService | FirstKeyService)[] = [];
  const service = (kms: KMSConfiguration): ValueProvider => {
    const made = kms.apiVersion === 'v1' ? new FirstKeyService(kms, parts) : new KeyService(kms, parts);
    services.push(made);
    opened.push(made);
    return made instanceof KeyService ? openedLater(made) : made;
  };
  const keys: typeof keyProvider = (name, secrets) => keyProvider(name, secrets, storedCiphers);
  const makers = { keys, service, identity: identityProvider };
  return { rules: new ResourceRules(encryptionRules<ValueProvider>(configuration, makers), resourceOf), services };
}

/** Reads of etcd may wait for a service, so an unknown seed does not block the thread. */
const openedLater = (service: KeyService): ValueProvider => ({
  prefix: service.prefix,
  encrypt: (text, key) => service.seal(text, key),
  decrypt: (encrypted, key) => service.open(encrypted, key),
});
