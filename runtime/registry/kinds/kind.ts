/** One kind in one version, ready for use: its compiled type, its rules, and conversions to its hub, the version that is stored. */
import type { Identity } from '../../contract/identity.ts';
import type { ConversionFunctions, KindData } from '../../contract/kind.ts';
import type { AnyKindRules } from '../../contract/kind-rules.ts';
import { compareReleases } from '../../contract/lifespan.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { CellFunction } from '../../contract/table.ts';
import { type CompiledStruct, compileType, type Decoded, type DecodeOptions, decode } from '../../schema/codec/codec.ts';
import { convertFromHub, convertToHub } from '../../schema/convert.ts';
import { dropGatedFields, type GatedFields, gatedFields, unusedFields } from '../../schema/gated-fields.ts';
import { compileTable, type KindTable } from '../cells/kind-table.ts';

/** Makes the warning of 1.32 for a deprecated kind (specification: Deprecation rules). @returns undefined if the kind is not deprecated in the release */
function deprecationWarning(
  { apiVersion, kind, data }: { apiVersion: string; kind: string; data: KindData },
  identity: Identity,
  release: string,
): string | undefined {
  const { deprecated, removed, replacement } = data.lifecycle;
  if (data.deprecation !== undefined) return data.deprecation;
  if (deprecated === undefined || compareReleases(deprecated, release) > 0) return undefined;
  const until = removed === undefined ? '' : `, unavailable in v${removed}+`;
  const group = identity.text(replacement?.group ?? '');
  const instead = replacement === undefined ? '' : `; use ${group === '' ? '' : `${group}/`}${replacement.version} ${replacement.kind}`;
  return `${apiVersion} ${kind} is deprecated in v${deprecated}+${until}${instead}`;
}

/** What decoding may take for granted of a value, by where the value comes from. */
export type Origin = Pick<DecodeOptions, 'reuses' | 'known' | 'asWritten' | 'asApplied' | 'dropsInvalidMetadata'>;

const AS_MADE = { keepsUnknown: true, asApplied: true, dropsInvalidMetadata: true } as const;

/** Custom objects of releases that did not count generations yet are of the first one. */
function withGeneration(stored: unknown): unknown {
  const object = stored as Partial<ApiObject>;
  const { generation } = object.metadata ?? {};
  return typeof generation === 'number' && generation !== 0 ? stored : { ...object, metadata: { ...object.metadata, generation: 1 } };
}

export class Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly data: KindData;
  readonly rules: AnyKindRules;
  readonly compiled: CompiledStruct;
  /** for the Warning header of requests that still use a deprecated kind */
  readonly deprecation: string | undefined;
  /** the stored form of this kind; itself for a hub */
  readonly hub: Kind;
  readonly #functions: ConversionFunctions | undefined;
  readonly #cells: ReadonlyMap<string, CellFunction>;
  #table: KindTable | undefined;
  #gated: GatedFields | undefined;
  readonly #identity: Identity;
  readonly #featureEnabled: (gate: string) => boolean;

  constructor(parts: {
    group: string;
    version: string;
    kind: string;
    data: KindData;
    rules: AnyKindRules;
    identity: Identity;
    /** the release whose behaviour the server has */
    release: string;
    featureEnabled: (gate: string) => boolean;
    hub?: Kind;
    functions?: ConversionFunctions | undefined;
    /** the functions that columns of the kind name */
    cells?: ReadonlyMap<string, CellFunction>;
  }) {
    this.group = parts.group;
    this.version = parts.version;
    this.kind = parts.kind;
    this.apiVersion = parts.group === '' ? parts.version : `${parts.group}/${parts.version}`;
    this.data = parts.data;
    this.rules = parts.rules;
    this.compiled = compileType(parts.data.type, parts.identity);
    this.deprecation = deprecationWarning(this, parts.identity, parts.release);
    this.hub = parts.hub ?? this;
    this.#functions = parts.functions;
    this.#cells = parts.cells ?? new Map();
    this.#identity = parts.identity;
    this.#featureEnabled = parts.featureEnabled;
  }

  /** Whether defaults and validation may take more than a few milliseconds even for a short object. */
  get isMuchWork(): boolean {
    return this.data.validators?.isMuchWork?.() === true;
  }

  /** Whether Tables take long, so that another thread makes them where there is one. */
  get hasLongTable(): boolean {
    return this.data.hasLongTable === true;
  }

  get table(): KindTable {
    this.#table ??= compileTable(this.data.table, this.#cells, this.#identity);
    return this.#table;
  }

  /**
   * Decodes a JSON value to an object of this version. Members get their canonical order, defaults are set, and unknown members are dropped and reported.
   * @throws DecodeError for a value of the wrong type
   */
  decode(value: unknown, from: Origin = {}): Decoded & { object: ApiObject } {
    const named = { ...(value as object), kind: this.kind, apiVersion: this.apiVersion };
    const decoded = decode(this.compiled, named, { defaults: true, featureEnabled: this.#featureEnabled, ...from });
    this.rules.defaults?.(decoded.object as ApiObject, { featureEnabled: this.#featureEnabled });
    return decoded as Decoded & { object: ApiObject };
  }

  /**
   * Brings an object to the present schema that was stored in this version under another one, perhaps by an earlier release.
   * Metadata that are wrong by that schema are left out as in 1.32, so that the object can still be read and deleted.
   * @throws DecodeError for a value of the wrong type
   */
  completed(stored: unknown, from?: Pick<Origin, 'reuses'>): ApiObject {
    const object = this.#complete(this.compiled.isGo ? stored : withGeneration(stored), { ...from, dropsInvalidMetadata: true });
    this.rules.completeStored?.(object, { featureEnabled: this.#featureEnabled });
    return object;
  }

  /** Adds members that this version always writes and a conversion left out, and drops members that this version does not have. */
  normalized(members: object): ApiObject {
    const named = { ...members, kind: this.kind, apiVersion: this.apiVersion };
    return decode(this.compiled, named, { defaults: false }).object as ApiObject;
  }

  /**
   * An object of this version that a webhook or policy has made. As in 1.32, one of a custom kind keeps what its schema does not know, and null, until it is
   * stored.
   * @param defaults whether they are set
   * @throws DecodeError for a value of the wrong type; metadata of a custom kind that cannot be read are dropped
   */
  made(members: object, defaults: boolean): ApiObject {
    if (!this.compiled.isGo) return this.#made(members, { defaults }).object;
    return defaults ? this.decode(members).object : this.normalized(members);
  }

  /** Like `made` with defaults, and like `decode` for kinds that are not custom. */
  decodeMade(members: object, from: Pick<Origin, 'known'>): ReturnType<Kind['decode']> {
    return this.compiled.isGo ? this.decode(members, from) : this.#made(members, { defaults: true, ...from });
  }

  #made(members: object, options: Pick<DecodeOptions, 'defaults' | 'known'>): ReturnType<Kind['decode']> {
    const named = { ...members, kind: this.kind, apiVersion: this.apiVersion };
    return decode(this.compiled, named, { ...options, ...AS_MADE }) as ReturnType<Kind['decode']>;
  }

  /** @param object of this version; may be changed */
  toHub(object: ApiObject): ApiObject {
    if (this.hub === this || this.data.conversion === undefined) return object;
    const { conversion } = this.data;
    const converted = convertToHub(object, conversion, this.#functions, this.#identity);
    return conversion.completes === true ? this.hub.#complete(converted) : this.hub.normalized(converted);
  }

  /** Members behind gates that are off get no defaults, or what was dropped from what is written would come back. */
  #complete(members: unknown, from?: Origin): ApiObject {
    this.#gated ??= gatedFields(this.data.type, this.#featureEnabled);
    // Decoding may set defaults in the members themselves, so what these use is asked before.
    const unused = unusedFields(this.#gated, members as ApiObject);
    const { object } = this.decode(members, from);
    dropGatedFields(unused, object, undefined);
    return object;
  }

  /** @param object of the hub; may be changed */
  fromHub(object: ApiObject): ApiObject {
    if (this.hub === this || this.data.conversion === undefined) return object;
    return this.normalized(convertFromHub(object, this.data.conversion, this.#functions, this.#identity));
  }
}

/** Returns the name of a kind's internal type in Go, such as `core.Pod`, for texts of 1.32. All kinds of definitions share one type. */
export function goType({ kind, compiled: { type, isGo } }: Kind): string {
  return isGo ? `${type.name.split('.').at(-3)}.${kind}` : 'unstructured.Unstructured';
}
