/**
 * A key management service (version 2 of its interface) as a provider. Values are encrypted by keys that are derived of a seed, each for one value; the service encrypts
 * the seed, which stands beside every value in that form. A seed is good for as long as the service says that its key is the one that it encrypts by.
 */
import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { KMSConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import { type DecryptRequest, EncryptedObject, KeyManagementService } from '../../../generated/node-interfaces/key-management.ts';
import type { Sparse, UnaryMethod } from '../../contract/node-interface.ts';
import type { ServiceCallTracer, Span } from '../../contract/trace.ts';
import { InterfaceClient } from '../../node-agent/grpc/interface-client.ts';
import type { Log } from '../../observability/log.ts';
import { decodeWireMessage, encodeWireMessage } from '../../schema/protobuf/wire-messages.ts';
import { readDuration } from '../../schema/scalar/duration.ts';
import { type Cipher, ciphers } from '../../storage/encryption/ciphers.ts';
import type { Decrypted, Provider } from '../../storage/encryption/providers.ts';
import { randomly } from '../../storage/encryption/random-bytes.ts';
import { grpcStatusOf } from '../../storage/encryption/transformation-counts.ts';
import type { EncryptionFigures } from './encryption-figures.ts';
import { encryptedSeedProblem, keyIdProblems, MAX_ANSWER_BYTES, shown } from './key-service-limits.ts';
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

/** Milliseconds, as in 1.32: between looks at a service that is well, and at one that is not; how long a seed is good after the last look. */
const WELL_INTERVAL = 20_000;
const ILL_INTERVAL = 3_000;
const SEED_LIFETIME = 180_000;
/** Milliseconds in which a service that has failed to decrypt is not asked again. */
const FAILURE_LIFETIME = 1_000;
/** Seeds that are remembered: each start of a process makes one, and so does each new key. */
const MAX_SEEDS = 1_000;
const SEED_BYTES = 32;
const VERSIONS = ['v2', 'v2beta1'];
const SEED_TYPE = 1;
const KEY_TYPE = 0;

interface KnownSeed {
  readonly cipher: Cipher;
  /** of the key that the service has encrypted it by */
  readonly keyIdHash: string;
}

/** A seed by which values are encrypted, and what is stored of it beside each. */
interface WritingSeed extends KnownSeed {
  readonly stored: Omit<EncryptedObject, 'encryptedData'>;
  /** when it is no longer good, by `performance.now()` */
  until: number;
}

/** Whether calls are traced may be known only later. */
export interface CallTracing {
  tracer?: ServiceCallTracer;
}

interface KeyServiceParts {
  readonly log: Log;
  readonly figures: EncryptionFigures;
  readonly tracing: Readonly<CallTracing>;
}

/** A call under way. */
interface BegunCall {
  readonly headers: Readonly<Record<string, string>>;
  /** @param error absent: it was answered */
  end(error?: unknown): void;
}

export class KeyService implements Provider {
  readonly prefix: string;
  readonly searchKeys = [];
  readonly writesBy: string;
  /** hears that another seed encrypts from now on. Must not throw */
  seedChanged: () => void = () => {};
  readonly #name: string;
  /** milliseconds of one call */
  readonly #timeout: number;
  readonly #client: InterfaceClient;
  readonly #waiting: WaitingDecryption;
  readonly #log: Log;
  readonly #figures: EncryptionFigures;
  readonly #tracing: Readonly<CallTracing>;
  readonly #seeds = new Map<string, KnownSeed>();
  #seed: WritingSeed | undefined;
  #problem: string | undefined = 'it has not been asked yet';
  /** `until` is of `performance.now()` */
  #failed: { readonly error: Error; readonly until: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ name, endpoint, timeout }: KMSConfiguration, { log, figures, tracing }: KeyServiceParts) {
    this.#name = name;
    this.#figures = figures;
    this.#tracing = tracing;
    this.prefix = `k8s:enc:kms:v2:${name}:`;
    this.writesBy = this.prefix;
    this.#timeout = Number(readDuration(timeout ?? '3s') as bigint) / 1e6;
    const socket = socketOf(endpoint);
    this.#client = new InterfaceClient(socket, MAX_ANSWER_BYTES);
    this.#waiting = new WaitingDecryption(socket, this.#timeout);
    this.#log = log;
  }

  /** Looks at the service, and goes on to look. @returns what is wrong with it; undefined: nothing is */
  async look(): Promise<string | undefined> {
    clearTimeout(this.#timer);
    const before = this.#problem;
    try {
      await this.#useKey(await this.#status());
      this.#problem = undefined;
    } catch (error) {
      this.#problem = (error as Error).message;
    }
    if (this.#problem !== undefined && this.#problem !== before)
      this.#log.warn({ provider: this.#name, problem: this.#problem }, 'a key management service is not well');
    if (!this.#closed) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.look(), this.#problem === undefined ? WELL_INTERVAL : ILL_INTERVAL).unref();
    }
    return this.problem;
  }

  /** What was wrong when the service was looked at last; undefined: nothing was. */
  get problem(): string | undefined {
    return this.#problem === undefined ? undefined : `kmsv2 Provider ${this.#name} is not healthy, error: ${this.#problem}`;
  }

  encrypt(text: Uint8Array, key: string): readonly Buffer[] {
    return tracedTransformation('TransformToStorage with envelopeTransformer', this.#name, (span) => this.#encrypt(text, key, span));
  }

  #encrypt(text: Uint8Array, key: string, span: Span | undefined): readonly Buffer[] {
    const seed = this.#seed;
    if (seed === undefined) throw new Error(this.problem);
    const late = performance.now() - seed.until;
    if (late > 0) throw expired(seed.stored.keyID, late);
    const encryptedData = tracedStep(span, ENCRYPTION, () => Buffer.concat(seed.cipher.encrypt(text, key)));
    this.#figures.keyUsed(this.#name, 'to_storage', seed.keyIdHash);
    return [tracedStep(span, ENCODING, () => encodeWireMessage(EncryptedObject, { ...seed.stored, encryptedData }))];
  }

  decrypt(encrypted: Buffer, key: string): Decrypted {
    return tracedTransformation('TransformFromStorage with envelopeTransformer', this.#name, (span) => this.#decrypt(encrypted, key, span));
  }

  #decrypt(encrypted: Buffer, key: string, span: Span | undefined): Decrypted {
    const object = tracedStep(span, DECODING, () => decodedObject(encrypted));
    const { cipher, keyIdHash } = this.#seedOf(object, span);
    const text = tracedStep(span, DECRYPTION, () => cipher.decrypt(Buffer.from(object.encryptedData), key));
    this.#figures.keyUsed(this.#name, 'from_storage', keyIdHash);
    const current = this.#seed?.stored;
    const outdated = current !== undefined && (object.keyID !== current.keyID || object.encryptedDEKSourceType !== SEED_TYPE);
    return { text, outdated };
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#client.close();
    this.#waiting.close();
  }

  async #status(): Promise<string> {
    const { version, healthz, keyId } = await this.#call(KeyManagementService.Status, {});
    const invalid = keyIdProblems(keyId);
    if (invalid.length > 0) this.#figures.invalidKeyStated(this.#name, keyId === '' ? 'empty' : 'too_long');
    else this.#figures.keyStated(this.#name, hashOf(keyId));
    const problems = [
      ...(healthz === 'ok' ? [] : [`got unexpected healthz status: ${shown(healthz)}`]),
      ...(VERSIONS.includes(version) ? [] : [`expected KMSv2 API version v2, got ${shown(version)}`]),
      ...invalid.map((problem) => `expected KMSv2 KeyID to be set, got ${shown(keyId)}: ${problem}`),
    ];
    if (problems.length > 0) throw new Error(problems.length > 1 ? `[${problems.join(', ')}]` : (problems[0] as string));
    return keyId;
  }

  /** Keeps the seed while the key is the same, and makes one for another key. */
  async #useKey(keyId: string): Promise<void> {
    if (this.#seed?.stored.keyID === keyId) {
      this.#seed.until = performance.now() + SEED_LIFETIME;
      return;
    }
    const seed = this.#figures.seedGenerated(() => randomBytes(SEED_BYTES));
    const began = performance.now();
    const answer = await this.#call(KeyManagementService.Encrypt, { plaintext: seed, uid: randomUUID() });
    const problem = encryptedSeedProblem(answer);
    if (problem !== undefined) throw new Error(`failed to validate encrypt response: ${problem}`);
    const stored = {
      keyID: answer.keyId,
      encryptedDEKSource: Uint8Array.from(answer.ciphertext),
      annotations: answer.annotations.map(({ key, value }) => ({ key, value: Uint8Array.from(value) })),
      encryptedDEKSourceType: SEED_TYPE,
    };
    const known = { cipher: new SeedCipher(seed), keyIdHash: hashOf(answer.keyId) };
    this.#remember(seedKey(stored), known);
    this.#seed = { ...known, stored, until: began + SEED_LIFETIME };
    this.seedChanged();
    this.#log.info({ provider: this.#name, keyIdHash: known.keyIdHash }, 'a key management service has encrypted a new seed');
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
    const cipher = object.encryptedDEKSourceType === KEY_TYPE ? ciphers.aesgcm(secret) : new SeedCipher(secret);
    const seed = { cipher, keyIdHash: hashOf(object.keyID) };
    this.#remember(seedKey(object), seed);
    return seed;
  }

  /** Asks the service, while this thread stops. */
  #decryptedSeed(object: EncryptedObject, span: Span | undefined): Buffer {
    const request: DecryptRequest = {
      ciphertext: Uint8Array.from(object.encryptedDEKSource),
      uid: randomUUID(),
      keyId: object.keyID,
      annotations: object.annotations.map(({ key, value }) => ({ key, value: Uint8Array.from(value) })),
    };
    const call = this.#begin(KeyManagementService.Decrypt, span);
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

  async #call<Request, Answer>(method: UnaryMethod<Request, Answer>, request: Sparse<Request>): Promise<Answer> {
    const call = this.#begin(method);
    try {
      const answer = await this.#client.call(method, request, { timeout: this.#timeout, headers: call.headers });
      call.end();
      return answer;
    } catch (error) {
      call.end(error);
      throw error;
    }
  }

  /** Begins a call, which is counted when it ends, and traced where calls are. @param span what it is asked for, where that is traced */
  #begin({ path }: { readonly path: string }, span?: Span): BegunCall {
    const began = performance.now();
    const traced = (span ?? this.#tracing.tracer)?.beginServiceCall(path, { 'transformer.provider.name': this.#name });
    return {
      headers: traced?.headers ?? {},
      end: (error) => {
        const code = error === undefined ? 'OK' : grpcStatusOf(error);
        this.#figures.serviceCalled(this.#name, path, code, performance.now() - began);
        traced?.end(code, error === undefined ? undefined : (error as Error).message);
      },
    };
  }
}

/** A key of its own for each text, derived by what stands in front of it: HKDF's second half, with SHA-256. */
export class SeedCipher implements Cipher {
  readonly #seed: Buffer;

  constructor(seed: Buffer) {
    this.#seed = seed;
  }

  encrypt(plain: Uint8Array, authenticated: string): readonly Buffer[] {
    const info = randomly(SEED_BYTES);
    return [info, ...this.#derived(info).encrypt(plain, authenticated)];
  }

  decrypt(encrypted: Buffer, authenticated: string): Buffer {
    if (encrypted.length < SEED_BYTES) throw new Error('the stored data was shorter than the required size');
    return this.#derived(encrypted.subarray(0, SEED_BYTES)).decrypt(encrypted.subarray(SEED_BYTES), authenticated);
  }

  #derived(info: Buffer): Cipher {
    return ciphers.aesgcm(createHmac('sha256', this.#seed).update(info).update(FIRST_BLOCK).digest());
  }
}

const FIRST_BLOCK = Buffer.from([1]);

/** @throws Error for what is none */
function decodedObject(encrypted: Buffer): EncryptedObject {
  const object = decodeWireMessage(EncryptedObject, encrypted);
  if (object.encryptedDEKSource.length === 0 || object.keyID === '')
    throw new Error('the stored data names no seed that it was encrypted by');
  return object;
}

const seedKey = ({ keyID, encryptedDEKSource, annotations, encryptedDEKSourceType }: Omit<EncryptedObject, 'encryptedData'>): string => {
  const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const notes = annotations.map(({ key, value }) => `${key.length}:${key}${value.length}:${text(value)}`);
  return `${encryptedDEKSourceType}:${keyID.length}:${keyID}${encryptedDEKSource.length}:${text(encryptedDEKSource)}${notes.join('')}`;
};

/** As 1.32 has it in place of the identity of a key. */
const hashOf = (keyId: string): string => (keyId === '' ? '' : `sha256:${createHash('sha256').update(keyId).digest('hex')}`);

/** In dates, as the clock has them now. @param late milliseconds since its end */
function expired(keyId: string, late: number): Error {
  const now = Date.now();
  return new Error(`EDEK with keyID hash "${hashOf(keyId)}" expired at ${dateText(now - late)} (current time is ${dateText(now)})`);
}

const dateText = (time: number): string => new Date(time).toISOString();

/** `unix:///path`, or `unix:///@name` for a socket that has no file. */
function socketOf(endpoint: string): string {
  const path = endpoint.slice('unix://'.length);
  return path.startsWith('/@') ? `\0${path.slice(2)}` : path;
}
