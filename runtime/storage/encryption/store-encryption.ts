/** What is encrypted of a store at present, and by what it may have been before. */
import type { Storage, Terms } from '../storage.ts';
import { changeNotedKeys, notedRevision, readNotedKeys, withKeys } from './noted-keys.ts';
import { OpenedValues } from './opened-values.ts';
import { identityProvider, type Provider } from './providers.ts';
import { type TellFigures, TransformationCounts, uncounted } from './transformation-counts.ts';
import { ValueEncryption } from './value-encryption.ts';

/** Rules are names of resources as configurations have them, such as `*.apps`. */
export interface EncryptionConfiguration {
  /** @param resource prefix of its keys. @returns undefined where the configuration does not name it */
  providersOf(resource: string): readonly Provider[] | undefined;
  /** whom values are encrypted by from now on, each with the rules that it stands beside */
  readonly writers: readonly { readonly rules: readonly string[]; readonly provider: Provider }[];
  /** identities of all keys that it has */
  readonly keys: ReadonlySet<string>;
  /** whether a rule names a resource */
  covers(rule: string, resource: string): boolean;
  /** @param resource prefix of its keys, of which it has providers. @returns its name as rules have it */
  nameOf(resource: string): string;
}

type Noted = ReturnType<typeof readNotedKeys>;

/** Lists the identities of the keys that encrypt, each with its rules. */
const writingKeys = ({ writers }: EncryptionConfiguration) =>
  writers.flatMap(({ rules, provider: { writesBy } }) => (writesBy === undefined ? [] : [[writesBy, rules] as const]));

/** How the values of one resource are encrypted. */
interface Treatment {
  readonly encryption: ValueEncryption;
  /** values may be there whose terms nobody here knows */
  readonly hasUnknownTerms: boolean;
}

export class StoreEncryption {
  readonly #storage: Storage;
  readonly #termsOf: Terms['of'];
  readonly #tell: TellFigures;
  #configuration: EncryptionConfiguration;
  #noted: Noted = { revision: undefined, keys: {} };
  /** the treatments by resource; null if its values are not encrypted, and never were */
  readonly #treatments = new Map<string, Treatment | null>();
  /** the decrypted values that are cached under the current configuration */
  #opened = new OpenedValues();

  private constructor(storage: Storage, termsOf: Terms['of'], configuration: EncryptionConfiguration, tell: TellFigures) {
    this.#storage = storage;
    this.#termsOf = termsOf;
    this.#tell = tell;
    this.#configuration = configuration;
  }

  /**
   * @param storage with values as they are on the disk
   * @param termsOf of values before they are encrypted
   * @param tell shows what is counted
   */
  static async open(
    storage: Storage,
    termsOf: Terms['of'],
    configuration: EncryptionConfiguration,
    tell: TellFigures = () => {},
  ): Promise<StoreEncryption> {
    const encryption = new StoreEncryption(storage, termsOf, configuration, tell);
    await encryption.use(configuration);
    return encryption;
  }

  /** Puts another configuration in force. @throws StorageError if its keys cannot be noted, in which case nothing has changed */
  async use(configuration: EncryptionConfiguration): Promise<void> {
    await changeNotedKeys(this.#storage, (keys) => withKeys(keys, writingKeys(configuration)));
    this.#configuration = configuration;
    this.#opened = new OpenedValues();
    this.#refresh();
  }

  /** A provider encrypts otherwise from now on, though the configuration is the same: what is known of values may be outdated. */
  forgetOpened(): void {
    this.#opened.forget();
  }

  /** Keys that are noted, and that the configuration does not have. */
  unusedKeys(): readonly string[] {
    return Object.keys(this.#current().keys).filter((id) => !this.#configuration.keys.has(id));
  }

  /** @param ids of keys by which nothing is encrypted, and that this configuration does not have. @throws StorageError */
  async forget(ids: readonly string[]): Promise<void> {
    await changeNotedKeys(this.#storage, (keys) => {
      const kept = Object.entries(keys).filter(([id]) => !ids.includes(id));
      return kept.length === Object.keys(keys).length ? undefined : Object.fromEntries(kept);
    });
  }

  /** @returns undefined where values of the resource are not encrypted and never were */
  of(resource: string): ValueEncryption | undefined {
    return this.#treatment(resource)?.encryption;
  }

  /**
   * Requirements that values meet which are encrypted too.
   * @returns undefined where values may be there whose terms nobody knows
   */
  requirementsFor(resource: string, requirements: readonly (readonly string[])[]): readonly (readonly string[])[] | undefined {
    const treatment = this.#treatment(resource);
    if (treatment === undefined) return requirements;
    if (treatment.hasUnknownTerms) return undefined;
    return requirements.map((terms) => terms.flatMap((term) => treatment.encryption.termsFor(term)));
  }

  #treatment(resource: string): Treatment | undefined {
    this.#current();
    let found = this.#treatments.get(resource);
    if (found === undefined) {
      found = this.#treatmentOf(resource) ?? null;
      if (this.#treatments.size >= MAX_RESOURCES) this.#treatments.clear();
      this.#treatments.set(resource, found);
    }
    return found ?? undefined;
  }

  #treatmentOf(resource: string): Treatment | undefined {
    const configuration = this.#configuration;
    const providers = configuration.providersOf(resource);
    const used = Object.entries(this.#noted.keys).filter(([, rules]) => rules.some((rule) => configuration.covers(rule, resource)));
    if (providers === undefined && used.length === 0) return undefined;
    const counts = providers === undefined ? uncounted : new TransformationCounts(configuration.nameOf(resource), this.#tell);
    const known = new Set((providers ?? []).flatMap(({ searchKeys }) => searchKeys.map(({ id }) => id)));
    return {
      encryption: new ValueEncryption(resource, providers ?? [identityProvider], this.#termsOf, this.#opened, counts),
      hasUnknownTerms: used.some(([id]) => !known.has(id)),
    };
  }

  /** What is noted: whoever has written a value by a new key has noted that before. */
  #current(): Noted {
    if (notedRevision(this.#storage) !== this.#noted.revision) this.#refresh();
    return this.#noted;
  }

  #refresh(): void {
    this.#noted = readNotedKeys(this.#storage);
    this.#treatments.clear();
    const missing = withKeys(this.#noted.keys, writingKeys(this.#configuration));
    // a process whose configuration is another one has forgotten a key that encrypts here
    if (missing !== undefined) void this.#noteAgain();
  }

  async #noteAgain(): Promise<void> {
    try {
      await changeNotedKeys(this.#storage, (keys) => withKeys(keys, writingKeys(this.#configuration)));
    } catch {
      // whoever comes next looks at what is noted, and tries it again
      this.#noted = { ...this.#noted, revision: -1 };
    }
  }
}

/** Resources whose treatment is remembered: names in URLs are no reason to remember more. */
const MAX_RESOURCES = 10_000;
