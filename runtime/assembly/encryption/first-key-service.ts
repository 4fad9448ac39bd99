/**
 * A key management service with version 1 of its interface, as a provider of values in etcd. Each value is encrypted by its own key. The
 * service encrypts that key, which is stored before the value, after two bytes with its length. So each write calls the service, and so
 * does the first read of each value.
 */
import { randomBytes } from 'node:crypto';
import type { KMSConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import { KeyManagementService } from '../../../generated/node-interfaces/key-management-v1.ts';
import type { Cipher } from '../../storage/encryption/ciphers.ts';
import { type Decrypted, joined } from '../../storage/encryption/providers.ts';
import type { ValueProvider } from '../../storage/etcd/encryption/resource-transformer.ts';
import { storedCiphers } from '../../storage/etcd/encryption/stored-ciphers.ts';
import { AskedSecrets } from './asked-secrets.ts';
import type { EncryptionFigures } from './encryption-figures.ts';
import { KeyServiceClient, type KeyServiceParts } from './key-service-client.ts';
import { keyLengthProblem, shown } from './key-service-limits.ts';
import { KeyServiceWatch, type WatchedKeyService } from './key-service-watch.ts';

const VERSION = 'v1beta1';
const KEY_BYTES = 32;
const LENGTH_BYTES = 2;
const MAX_ENCRYPTED_KEY = 0xffff;
/** The longest answer in bytes: an encrypted key and the message around it. */
const MAX_ANSWER_BYTES = MAX_ENCRYPTED_KEY + 1_024;
/** How many keys are kept in memory if the configuration does not say it. */
const CACHE_SIZE = 1_000;
/** The text that a health check has encrypted and decrypted. */
const PING = Buffer.from('ping');

/** The ciphers of one key. Values are encrypted by the first; earlier releases used the second, so reading tries both. */
type KeyCiphers = readonly [Cipher, Cipher];

export class FirstKeyService implements ValueProvider, WatchedKeyService {
  readonly prefix: string;
  /** is called when the service is healthy again after a decryption has failed; it must not throw */
  wellAgain: () => void = () => {};
  readonly #name: string;
  readonly #figures: EncryptionFigures;
  readonly #client: KeyServiceClient;
  readonly #watch: KeyServiceWatch;
  readonly #asked = new AskedSecrets();
  /** zero or negative: no keys are kept in memory */
  readonly #cacheSize: number;
  /** by the encrypted key; the most recently used is last */
  readonly #known = new Map<string, KeyCiphers>();
  #versionChecked: Promise<void> | undefined;

  constructor(configuration: KMSConfiguration, parts: KeyServiceParts) {
    this.#name = configuration.name;
    this.prefix = `k8s:enc:kms:v1:${configuration.name}:`;
    this.#figures = parts.figures;
    this.#cacheSize = configuration.cachesize ?? CACHE_SIZE;
    this.#client = new KeyServiceClient(configuration, parts, MAX_ANSWER_BYTES);
    this.#watch = new KeyServiceWatch(configuration.name, parts.log, () => this.#ping());
  }

  async look(): Promise<string | undefined> {
    await this.#watch.look();
    if (this.problem === undefined && this.#asked.takeFailed()) this.wellAgain();
    return this.problem;
  }

  get problem(): string | undefined {
    return this.#watch.problem;
  }

  close(): void {
    this.#watch.close();
    this.#client.close();
  }

  async encrypt(text: Buffer, key: string): Promise<readonly Buffer[]> {
    this.#figures.valueArrived('to_storage');
    // the caller may reuse its memory while this waits for the service
    const own = Buffer.from(text);
    const secret = this.#figures.seedGenerated(() => randomBytes(KEY_BYTES));
    const encryptedKey = await this.#encryptedKey(secret);
    if (encryptedKey.length > MAX_ENCRYPTED_KEY)
      throw new Error(`cryptobyte: pending child length ${encryptedKey.length} exceeds ${LENGTH_BYTES}-byte length prefix`);
    const ciphers = ciphersOf(secret);
    this.#remember(nameOf(encryptedKey), ciphers);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt16BE(encryptedKey.length);
    return [length, encryptedKey, ...ciphers[0].encrypt(own, key)];
  }

  decrypt(encrypted: Buffer, key: string): Decrypted | Promise<Decrypted> {
    this.#figures.valueArrived('from_storage');
    const end = encrypted.length < LENGTH_BYTES ? Number.POSITIVE_INFINITY : LENGTH_BYTES + encrypted.readUInt16BE();
    if (encrypted.length < end)
      throw new Error('invalid data encountered by envelope transformer: failed to read uint16 length prefixed data');
    const encryptedKey = encrypted.subarray(LENGTH_BYTES, end);
    const text = encrypted.subarray(end);
    const known = this.#recall(nameOf(encryptedKey));
    if (known !== undefined) return decrypted(known, text, key);
    if (this.#cacheSize > 0) this.#figures.seedMissed();
    return this.#askedCiphers(encryptedKey).then((ciphers) => decrypted(ciphers, text, key));
  }

  async #askedCiphers(encryptedKey: Buffer): Promise<KeyCiphers> {
    const name = nameOf(encryptedKey);
    const ciphers = ciphersOf(await this.#asked.get(name, () => this.#decryptedKey(encryptedKey)));
    this.#remember(name, ciphers);
    return ciphers;
  }

  async #encryptedKey(plain: Uint8Array): Promise<Buffer> {
    await this.#checkVersion();
    return bufferOf((await this.#client.call(KeyManagementService.Encrypt, { version: VERSION, plain: Uint8Array.from(plain) })).cipher);
  }

  async #decryptedKey(encryptedKey: Buffer): Promise<Buffer> {
    await this.#checkVersion();
    const { plain } = await this.#client.call(KeyManagementService.Decrypt, { version: VERSION, cipher: Uint8Array.from(encryptedKey) });
    return bufferOf(plain);
  }

  /** Asks for the version once, and again after a failure. */
  #checkVersion(): Promise<void> {
    this.#versionChecked ??= this.#askVersion().catch((error: unknown) => {
      this.#versionChecked = undefined;
      throw error;
    });
    return this.#versionChecked;
  }

  async #askVersion(): Promise<void> {
    const { version } = await this.#client.call(KeyManagementService.Version, { version: VERSION }).catch((error: Error) => {
      throw new Error(`failed get version from remote KMS provider: ${error.message}`, { cause: error });
    });
    if (version !== VERSION)
      throw new Error(`KMS provider api version ${shown(version)} is not supported, only ${VERSION} is supported now`);
  }

  async #ping(): Promise<void> {
    const failing = (section: string) => (error: Error) => {
      const text = `failed to perform ${section} section of the healthz check for KMS Provider ${this.#name}, error: ${error.message}`;
      throw new Error(text, { cause: error });
    };
    const encrypted = await this.#encryptedKey(PING).catch(failing('encrypt'));
    await this.#decryptedKey(encrypted).catch(failing('decrypt'));
  }

  #recall(name: string): KeyCiphers | undefined {
    const known = this.#known.get(name);
    if (known === undefined) return undefined;
    this.#known.delete(name);
    this.#known.set(name, known);
    return known;
  }

  #remember(name: string, ciphers: KeyCiphers): void {
    if (this.#cacheSize <= 0) return;
    this.#known.delete(name);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= this.#cacheSize && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(name, ciphers);
    this.#figures.keysKnown(this.#known.size / this.#cacheSize);
  }
}

/** @throws Error if the key is not of 32 bytes */
function ciphersOf(secret: Buffer): KeyCiphers {
  const problem = keyLengthProblem(secret);
  if (problem !== undefined) throw new Error(problem);
  return [storedCiphers.aesgcm(secret), storedCiphers.aescbc(secret)];
}

/** @throws Error with the reasons of both ciphers */
function decrypted(ciphers: KeyCiphers, text: Buffer, key: string): Decrypted {
  const problems: string[] = [];
  for (const cipher of ciphers)
    try {
      return { text: cipher.decrypt(text, key), outdated: cipher !== ciphers[0] };
    } catch (error) {
      problems.push((error as Error).message);
    }
  throw new Error(joined(problems, 'unionTransformers: unable to transform from storage'));
}

const nameOf = (encryptedKey: Buffer): string => encryptedKey.toString('latin1');

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
