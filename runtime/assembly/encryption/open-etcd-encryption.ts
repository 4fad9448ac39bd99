/** What flags have encrypted of the values in etcd. */
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
 * Which values in etcd would be read otherwise now: `unread`, those that could not be read before; `all`, any of them, for another configuration is in force, or another key
 * of a service encrypts, so that others are outdated.
 */
export type ChangedValues = 'unread' | 'all';

export interface EtcdEncryption {
  readonly transformers: ValueTransformers;
  /** @param plain of values that are not encrypted. @param prefix that all keys in etcd have, such as `/registry/` */
  codec(plain: ValueCodec, prefix: string): EncryptingCodec;
  /** Whoever keeps what was read reads it anew when `listener` is called. One listener; it must not throw */
  onChange(listener: (values: ChangedValues) => void): void;
  readonly work: EncryptionWork;
}

/** A configuration with what is open for it. */
interface Configured {
  readonly rules: ResourceRules<ValueProvider>;
  readonly services: readonly (KeyService | FirstKeyService)[];
}

/**
 * Waits until key management services are well, for some time.
 * @param parts where they have no file, nothing is encrypted, and what is encrypted in etcd anyhow cannot be read
 * @throws Error for a configuration that is wrong, in the words of 1.32
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

/** As in 1.32: services of the second version alone are checked together. */
const hasOneCheck = ({ services }: Configured): boolean =>
  services.length > 0 && services.every((service) => service instanceof KeyService);

/** @throws Error for what it does not fit together */
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

/** Reads of etcd may wait for a service. */
const openedLater = (service: KeyService): ValueProvider => ({
  prefix: service.prefix,
  encrypt: (text, key) => service.seal(text, key),
  decrypt: (encrypted, key) => service.open(encrypted, key),
});
