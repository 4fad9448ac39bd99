/** A signer of tokens in this process: its keys change, it goes and comes back, and it answers whatever it is told to. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  ExternalJWTSigner,
  type FetchKeysResponse,
  type Key,
  type MetadataResponse,
  type SignJWTResponse,
} from '../../../generated/node-interfaces/token-signer.ts';
import { InterfaceServer } from '../../../runtime/node-agent/grpc/interface-server.ts';

export const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
export const base64url = (value: object | string): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** What is called besides being answered; it may throw, or wait. */
type Hook = (signal: AbortSignal) => void | Promise<void>;

export class TestSigner {
  readonly socket: string;
  /** by which it signs */
  keyId = 'first';
  head: object | string | undefined;
  signed: Partial<SignJWTResponse> = {};
  fetched: Partial<FetchKeysResponse> = {};
  metadata: Partial<MetadataResponse> = {};
  hooks: { sign?: Hook; fetch?: Hook; metadata?: Hook } = {};
  readonly calls = { sign: 0, fetch: 0, metadata: 0 };
  readonly #keys = new Map<string, { readonly privateKey: KeyObject; readonly publicKey: KeyObject }>();
  readonly #excluded = new Set<string>();
  #server: InterfaceServer | undefined;

  constructor(socket: string) {
    this.socket = socket;
    this.add('first');
  }

  /** Makes a key, which signs from now on. */
  add(id: string): void {
    this.#keys.set(id, generateKeyPairSync('ec', { namedCurve: 'P-256' }));
    this.keyId = id;
  }

  remove(id: string): void {
    this.#keys.delete(id);
  }

  exclude(id: string): void {
    this.#excluded.add(id);
  }

  get keys(): Key[] {
    return [...this.#keys].map(([keyId, { publicKey }]) => ({
      keyId,
      key: spkiOf(publicKey),
      excludeFromOidcDiscovery: this.#excluded.has(keyId),
    }));
  }

  async listen(): Promise<this> {
    this.#server = new InterfaceServer()
      .answer(ExternalJWTSigner.Sign, async ({ claims }, signal) => {
        this.calls.sign++;
        await this.hooks.sign?.(signal);
        const header = base64url(this.head ?? { alg: 'ES256', kid: this.keyId, typ: 'JWT' });
        const { privateKey } = this.#keys.get(this.keyId) ?? generateKeyPairSync('ec', { namedCurve: 'P-256' });
        const signature = sign('sha256', Buffer.from(`${header}.${claims}`), { key: privateKey, dsaEncoding: 'ieee-p1363' });
        return { header, signature: signature.toString('base64url'), ...this.signed };
      })
      .answer(ExternalJWTSigner.FetchKeys, async (_, signal) => {
        this.calls.fetch++;
        await this.hooks.fetch?.(signal);
        return { keys: this.keys, dataTimestamp: { seconds: 1_700_000_000n, nanos: 5 }, refreshHintSeconds: 600n, ...this.fetched };
      })
      .answer(ExternalJWTSigner.Metadata, async (_, signal) => {
        this.calls.metadata++;
        await this.hooks.metadata?.(signal);
        return { maxTokenExpirationSeconds: 86_400n, ...this.metadata };
      });
    await this.#server.listen(this.socket);
    return this;
  }

  stop(): void {
    this.#server?.stop();
    this.#server = undefined;
  }
}
