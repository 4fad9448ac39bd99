/**
 * A key management service with version 2 of its interface, as a provider. Each value is encrypted by a key of its own, which is derived
 * from a seed. The service encrypts the seed, and the encrypted seed is stored beside every value. A seed is used as long as the service
 * reports that the key by which it has encrypted the seed is current.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import type { KMSConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import { type DecryptRequest, EncryptedObject, KeyManagementService } from '../../../generated/node-interfaces/key-management.ts';
import { aggregateText } from '../../contract/aggregate-text.ts';
import type { Span } from '../../contract/trace.ts';
import type { Log } from '../../observability/log.ts';
import { decodeWireMessage, encodeWireMessage } from '../../schema/protobuf/wire-messages.ts';
import { type Cipher, ciphers } from '../../storage/encryption/ciphers.ts';
import type { Decrypted, Provider } from '../../storage/encryption/providers.ts';
import { AskedSecrets } from './asked-secrets.ts';
import type { EncryptionFigures } from './encryption-figures.ts';
import { KeyServiceClient, type KeyServiceParts } from './key-service-client.ts';
import { encryptedObjectProblem, keyIdProblems, keyLengthProblem, MAX_ANSWER_BYTES, shown } from './key-service-limits.ts';
import { KeyServiceWatch, type WatchedKeyService } from './key-service-watch.ts';
import { hashOf, KEY_TYPE, SEED_BYTES, SEED_TYPE, SeedCipher, type StoredSeed, seedKey, seedLengthProblem } from './seeds.ts';
import {
  DECODING,
  DECRYPTION,
  ENCODING,
  ENCRYPTION,
  SEED_DECRYPTION,
  tellFailure,
  tracedStep,
  tracedTransformation,
} from './traced-transformation.ts';
import { WaitingDecryption } from './waiting-decryption.ts';

/** Milliseconds that a seed may be used after the last successful check, as in 1.32. */
const SEED_LIFETIME = 180_000;
/** Milliseconds for which a service that has failed to decrypt a seed is not asked again. */
const FAILURE_LIFETIME = 1_000;
/** Seeds that are kept in memory. Each start of a process makes one, and so does each new key of the service. */
const MAX_SEEDS = 1_000;
const VERSIONS = ['v2', 'v2beta1'];

interface KnownSeed {
  readonly cipher: Cipher;
  /** hash of the identifier of the key by which the service has encrypted the seed */
  readonly keyIdHash: string;
  /** whether it is known to be right, for it was made here or has decrypted a value; the service may have told another one */
  isProven: boolean;
}

/** The seed that encrypts new values, with the fields that are stored beside each of them. */
interface WritingSeed extends KnownSeed {
  readonly stored: StoredSeed;
  /** when the seed expires, by `performance.now()` */
  until: number;
}

export class KeyService implements Provider, WatchedKeyService {
  readonly prefix: string;
  readonly searchKeys = [];
  readonly writesBy: string;
  /** is called when another seed encrypts from now on; it must not throw */
  seedChanged: () => void = () => {};
  /** is called when the service is healthy again after `open` has failed; it must not throw */
  wellAgain: () => void = () => {};
  readonly #name: string;
  readonly #client: KeyServiceClient;
  readonly #watch: KeyServiceWatch;
  readonly #waiting: WaitingDecryption;
  readonly #log: Log;
  readonly #figures: EncryptionFigures;
  readonly #seeds = new Map<string, KnownSeed>();
  readonly #asked = new AskedSecrets();
  #seed: WritingSeed | undefined;
  /** the version that the service told first */
  #version: string | undefined;
  /** the last failure to decrypt; `until` is by `performance.now()` */
  #failed: { readonly error: Error; readonly until: number } | undefined;

  constructor(configuration: KMSConfiguration, parts: KeyServiceParts) {
    const { name } = configuration;
    this.#name = name;
    this.#figures = parts.figures;
    this.#log = parts.log;
    this.prefix = `k8s:enc:kms:v2:${name}:`;
    this.writesBy = this.prefix;
    this.#client = new KeyServiceClient(configuration, parts, MAX_ANSWER_BYTES);
    this.#waiting = new WaitingDecryption(this.#client.socket, this.#client.timeout);
    this.#watch = new KeyServiceWatch(name, parts.log, () => this.#ask());
  }

  async look(): Promise<string | undefined> {
    await this.#watch.look();
    const { problem } = this;
    if (problem === undefined && this.#asked.takeFailed()) this.wellAgain();
    return problem;
  }

  get problem(): string | undefined {
    return this.#watch.problem;
  }

  encrypt(text: Uint8Array, key: string): readonly Buffer[] {
    return tracedTransformation('TransformToStorage with envelopeTransformer', this.#name, (span) =>
      this.#encrypt(text, key, span, expired),
    );
  }

  /** Like `encrypt`. @throws Error in the words of 1.32 */
  seal(text: Uint8Array, key: string): readonly Buffer[] {
    const work = (span: Span | undefined) => this.#encrypt(text, key, span, expiredSource);
    return tracedTransformation('TransformToStorage with envelopeTransformer', this.#name, work);
  }

  #encrypt(text: Uint8Array, key: string, span: Span | undefined, expiredOf: typeof expired): readonly Buffer[] {
    const seed = this.#seed;
    if (seed === undefined) throw new Error(this.problem);
    const late = performance.now() - seed.until;
    if (late > 0) throw expiredOf(seed.stored.keyID, late);
    const encryptedData = tracedStep(span, ENCRYPTION, () => Buffer.concat(seed.cipher.encrypt(text, key)));
    this.#figures.keyUsed(this.#name, 'to_storage', seed.keyIdHash);
    return [tracedStep(span, ENCODING, () => encodeWireMessage(EncryptedObject, { ...seed.stored, encryptedData }))];
  }

  decrypt(encrypted: Buffer, key: string): Decrypted {
    return tracedTransformation('TransformFromStorage with envelopeTransformer', this.#name, (span) => this.#decrypt(encrypted, key, span));
  }

  #decrypt(encrypted: Buffer, key: string, span: Span | undefined): Decrypted {
    const object = tracedStep(span, DECODING, () => decodedObject(encrypted));
    return this.#opened(object, this.#seedOf(object, span), key, span);
  }

  /** Like `decrypt`, but the service is asked for an unknown seed without blocking the thread. @throws Error in the words of 1.32 */
  open(encrypted: Buffer, key: string): Decrypted | Promise<Decrypted> {
    return tracedTransformation('TransformFromStorage with envelopeTransformer', this.#name, (span) => {
      const object = tracedStep(span, DECODING, () => validObject(encrypted));
      const known = this.#seeds.get(seedKey(object));
      if (known !== undefined) return this.#opened(object, known, key, span);
      this.#figures.seedMissed();
      return this.#askedSeed(object).then((seed) => this.#opened(object, seed, key, undefined));
    });
  }

  async #askedSeed(object: EncryptedObject): Promise<KnownSeed> {
    const name = seedKey(object);
    const secret = await this.#asked.get(name, async () => {
      try {
        return Buffer.from((await this.#client.call(KeyManagementService.Decrypt, decryptRequest(object))).plaintext);
      } catch (error) {
        throw new Error(`failed to decrypt DEK, error: ${(error as Error).message}`, { cause: error });
      }
    });
    const known = this.#seeds.get(name);
    if (known !== undefined) return known;
    const seed = { cipher: cipherOf(object.encryptedDEKSourceType, secret), keyIdHash: hashOf(object.keyID), isProven: false };
    this.#remember(name, seed);
    return seed;
  }

  #opened(object: EncryptedObject, seed: KnownSeed, key: string, span: Span | undefined): Decrypted {
    const text = tracedStep(span, DECRYPTION, () => this.#text(object, seed, key));
    this.#figures.keyUsed(this.#name, 'from_storage', seed.keyIdHash);
    const current = this.#seed?.stored;
    const outdated = current !== undefined && (object.keyID !== current.keyID || object.encryptedDEKSourceType !== SEED_TYPE);
    return { text, outdated };
  }

  /** A seed that may be wrong, and does not decrypt the value, is forgotten, so that the service is asked again. */
  #text(object: EncryptedObject, seed: KnownSeed, key: string): Buffer {
    try {
      const text = seed.cipher.decrypt(Buffer.from(object.encryptedData), key);
      seed.isProven = true;
      return text;
    } catch (error) {
      if (!seed.isProven && this.#seeds.delete(seedKey(object))) this.#figures.seedsKnown(this.#name, this.#seeds.size);
      throw error;
    }
  }

  close(): void {
    this.#watch.close();
    this.#client.close();
    this.#waiting.close();
  }

  /** Asks the service how it is. As in 1.32 the key that it names counts even where it is not well. @throws Error that tells all that is wrong */
  async #ask(): Promise<void> {
    const { version, healthz, keyId } = await this.#client.call(KeyManagementService.Status, {}).catch((error: Error) => {
      const text = `failed to perform status section of the healthz check for KMS Provider ${this.#name}, error: ${error.message}`;
      throw new Error(text, { cause: error });
    });
    const problems: string[] = [];
    if (healthz !== 'ok') problems.push(`got unexpected healthz status: ${shown(healthz)}`);
    problems.push(...this.#versionProblems(version));
    const [invalid] = keyIdProblems(keyId);
    if (invalid === undefined) {
      this.#figures.keyStated(this.#name, hashOf(keyId));
      await this.#useKey(keyId).catch((error: Error) => problems.push(error.message));
    } else {
      this.#figures.invalidKeyStated(this.#name, keyId === '' ? 'empty' : 'too_long');
      problems.push(`got invalid KMSv2 KeyID hash "${hashOf(keyId)}": ${invalid}`);
    }
    if (problems.length === 0) return;
    throw new Error(`kmsv2 Provider ${this.#name} is not healthy, error: ${aggregateText(problems)}`);
  }

  #versionProblems(version: string): string[] {
    if (!VERSIONS.includes(version)) return [`expected KMSv2 API version v2, got ${shown(version)}`];
    this.#version ??= version;
    if (version === this.#version) return [];
    return [`KMSv2 API version should not change after the initial status response version ${this.#version}, got ${version}`];
  }

  /** Keeps the seed while the key is the same, and makes one for another key. @throws Error where there is none for it; then the seed before goes on until its end */
  async #useKey(keyId: string): Promise<void> {
    if (this.#seed?.stored.keyID === keyId) {
      this.#seed.until = performance.now() + SEED_LIFETIME;
      return;
    }
    const seed = this.#figures.seedGenerated(() => randomBytes(SEED_BYTES));
    const began = performance.now();
    const stored = await this.#encryptedSeed(seed).catch((error: Error) => {
      throw this.#notRotated(keyId, '', error.message);
    });
    if (stored.keyID !== keyId) throw this.#notRotated(keyId, stored.keyID, '<nil>');
    const known = { cipher: new SeedCipher(seed), keyIdHash: hashOf(keyId), isProven: true };
    this.#remember(seedKey(stored), known);
    this.#seed = { ...known, stored, until: began + SEED_LIFETIME };
    this.seedChanged();
    this.#log.info({ provider: this.#name, keyIdHash: known.keyIdHash }, 'a key management service has encrypted a new seed');
  }

  /** @throws Error in the words of 1.32 */
  async #encryptedSeed(seed: Buffer): Promise<StoredSeed> {
    const answer = await this.#client.call(KeyManagementService.Encrypt, { plaintext: seed, uid: randomUUID() }).catch((error: Error) => {
      throw new Error(`failed to encrypt DEK, error: ${error.message}`, { cause: error });
    });
    const stored = {
      keyID: answer.keyId,
      encryptedDEKSource: Uint8Array.from(answer.ciphertext),
      annotations: answer.annotations.map(({ key, value }) => ({ key, value: Uint8Array.from(value) })),
      encryptedDEKSourceType: SEED_TYPE,
    };
    const problem = encryptedObjectProblem({ ...stored, encryptedData: ANY_DATA });
    if (problem !== undefined) throw new Error(problem);
    return stored;
  }

  /**
   * Why there is no seed for the key that the service names, in the words of 1.32 without the identifier of the attempt: what goes on
   * failing for the same reason is logged once.
   * @param encryptedBy the key by which it has encrypted one; '': none
   */
  #notRotated(keyId: string, encryptedBy: string, reason: string): Error {
    const before = this.#seed;
    const parts = [
      `useSeed=true, errState=${before === undefined ? 'got unexpected nil transformer' : '<nil>'}, errGen=${reason}`,
      `statusKeyIDHash="${hashOf(keyId)}", encryptKeyIDHash="${hashOf(encryptedBy)}", stateKeyIDHash="${hashOf(before?.stored.keyID ?? '')}"`,
      `expirationTimestamp=${before === undefined ? NEVER : secondsText(Date.now() + before.until - performance.now())}`,
    ];
    return new Error(`failed to rotate DEK ${parts.join(', ')}`);
  }

  #seedOf(object: EncryptedObject, span: Span | undefined): KnownSeed {
    const known = this.#seeds.get(seedKey(object));
    if (known !== undefined) return known;
    this.#figures.seedMissed();
    const failed = this.#failed;
    if (failed !== undefined && failed.until > performance.now()) {
      tellFailure(span, SEED_DECRYPTION, failed.error);
      throw failed.error;
    }
    const secret = tracedStep(span, SEED_DECRYPTION, () => this.#decryptedSeed(object, span));
    const seed = { cipher: cipherOf(object.encryptedDEKSourceType, secret), keyIdHash: hashOf(object.keyID), isProven: false };
    this.#remember(seedKey(object), seed);
    return seed;
  }

  /** Asks the service while this thread is blocked. */
  #decryptedSeed(object: EncryptedObject, span: Span | undefined): Buffer {
    const request = decryptRequest(object);
    const call = this.#client.begin(KeyManagementService.Decrypt, span);
    try {
      const secret = this.#waiting.decrypt(request, call.headers);
      call.end();
      return secret;
    } catch (error) {
      call.end(error);
      const failure = new Error(`failed to decrypt DEK, error: ${(error as Error).message}`, { cause: error });
      this.#failed = { error: failure, until: performance.now() + FAILURE_LIFETIME };
      throw failure;
    }
  }

  #remember(name: string, seed: KnownSeed): void {
    const [oldest] = this.#seeds.keys();
    if (this.#seeds.size >= MAX_SEEDS && oldest !== undefined) this.#seeds.delete(oldest);
    this.#seeds.set(name, seed);
    this.#figures.seedsKnown(this.#name, this.#seeds.size);
  }
}

const decryptRequest = ({ encryptedDEKSource, keyID, annotations }: StoredSeed): DecryptRequest => ({
  ciphertext: Uint8Array.from(encryptedDEKSource),
  uid: randomUUID(),
  keyId: keyID,
  annotations: annotations.map(({ key, value }) => ({ key, value: Uint8Array.from(value) })),
});

/** @throws Error if the bytes are no encrypted object, or name no seed */
function decodedObject(encrypted: Buffer): EncryptedObject {
  const object = decodeWireMessage(EncryptedObject, encrypted);
  if (object.encryptedDEKSource.length === 0 || object.keyID === '')
    throw new Error('the stored data names no seed that it was encrypted by');
  return object;
}

/** @throws Error in the words of 1.32, for an object that 1.32 would not have written */
function validObject(encrypted: Buffer): EncryptedObject {
  const object = decodeWireMessage(EncryptedObject, encrypted);
  const problem = encryptedObjectProblem(object);
  if (problem !== undefined) throw new Error(problem);
  return object;
}

/** @throws Error for a seed that is too short, and for a key of a wrong length */
function cipherOf(type: number, secret: Buffer): Cipher {
  const problem = type === KEY_TYPE ? keyLengthProblem(secret) : seedLengthProblem(secret);
  if (problem !== undefined) throw new Error(problem);
  return type === KEY_TYPE ? ciphers.aesgcm(secret) : new SeedCipher(secret);
}

/** Gives the dates by the machine's clock of now. @param late milliseconds since the seed has expired */
function expired(keyId: string, late: number): Error {
  const now = Date.now();
  return new Error(`EDEK with keyID hash "${hashOf(keyId)}" expired at ${dateText(now - late)} (current time is ${dateText(now)})`);
}

/** Like `expired`, in the words of 1.32, whose dates have no fractions of seconds. @param late milliseconds since the seed has expired */
function expiredSource(keyId: string, late: number): Error {
  const [end, now] = [Date.now() - late, Date.now()].map(secondsText);
  return new Error(`encryptedDEKSource with keyID hash "${hashOf(keyId)}" expired at ${end} (current time is ${now})`);
}

const dateText = (time: number): string => new Date(time).toISOString();
const secondsText = (time: number): string => `${dateText(time).slice(0, -'.000Z'.length)}Z`;
/** The date that Go shows for none. */
const NEVER = '0001-01-01T00:00:00Z';
/** In place of a text that is not encrypted yet. */
const ANY_DATA = Uint8Array.of(0);
