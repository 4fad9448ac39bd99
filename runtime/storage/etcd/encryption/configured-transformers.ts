/** The transformers of all resources by the current configuration, which can be replaced at any time. */
import { type TellFigures, TransformationCounts } from '../../encryption/transformation-counts.ts';
import { ENCRYPTED_ANYHOW, isEncrypted, ResourceTransformer, type ValueProvider } from './resource-transformer.ts';
import { type TransformedValue, type ValueTransformers, ValueUntransformable } from './value-transformers.ts';

export interface TransformerRules {
  /** @param resource prefix of its keys. @returns undefined if the configuration does not name the resource */
  providersOf(resource: string): readonly ValueProvider[] | undefined;
  /** @param resource prefix of its keys, of which it has providers. @returns its name as rules have it */
  nameOf(resource: string): string;
}

/** Most resources whose transformers are remembered, so that made-up names in URLs cannot fill the memory. */
const MAX_RESOURCES = 10_000;

export class ConfiguredTransformers implements ValueTransformers {
  readonly #tell: TellFigures;
  #rules: TransformerRules;
  /** the transformers by resource; null if no rule names the resource */
  readonly #transformers = new Map<string, ResourceTransformer | null>();

  /** @param tell shows what is counted */
  constructor(rules: TransformerRules, tell: TellFigures) {
    this.#rules = rules;
    this.#tell = tell;
  }

  /** Replaces the configuration. */
  use(rules: TransformerRules): void {
    this.#rules = rules;
    this.#transformers.clear();
  }

  toStorage(resource: string, etcdKey: string, plain: Uint8Array): Uint8Array | Promise<Uint8Array> {
    return this.#of(resource)?.toStorage(etcdKey, bufferOf(plain)) ?? plain;
  }

  fromStorage(resource: string, etcdKey: string, stored: Uint8Array): TransformedValue | Promise<TransformedValue> {
    const bytes = bufferOf(stored);
    const transformer = this.#of(resource);
    if (transformer !== undefined) return transformer.fromStorage(etcdKey, bytes);
    if (isEncrypted(bytes)) throw new ValueUntransformable(ENCRYPTED_ANYHOW);
    return { plain: stored, outdated: false };
  }

  #of(resource: string): ResourceTransformer | undefined {
    let found = this.#transformers.get(resource);
    if (found === undefined) {
      found = this.#made(resource) ?? null;
      if (this.#transformers.size >= MAX_RESOURCES) this.#transformers.clear();
      this.#transformers.set(resource, found);
    }
    return found ?? undefined;
  }

  #made(resource: string): ResourceTransformer | undefined {
    const providers = this.#rules.providersOf(resource);
    return providers && new ResourceTransformer(providers, new TransformationCounts(this.#rules.nameOf(resource), this.#tell));
  }
}

const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
