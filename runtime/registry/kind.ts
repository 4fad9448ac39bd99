/** One kind in one version, ready for use: its compiled type, its rules, and the way to its hub (the version that is stored). */
import type { Identity } from '../contract/identity.ts';
import type { ConversionFunctions, KindData, KindRules } from '../contract/kind.ts';
import type { ApiObject } from '../contract/object.ts';
import { type CompiledStruct, compileType, decode } from '../schema/codec.ts';
import { convertFromHub, convertToHub } from '../schema/convert.ts';

export class Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly data: KindData;
  readonly rules: KindRules;
  readonly compiled: CompiledStruct;
  /** the stored form of this kind; itself for a hub */
  readonly hub: Kind;
  readonly #functions: ConversionFunctions | undefined;
  readonly #identity: Identity;

  constructor(parts: {
    group: string;
    version: string;
    kind: string;
    data: KindData;
    rules: KindRules;
    identity: Identity;
    hub?: Kind;
    functions?: ConversionFunctions | undefined;
  }) {
    this.group = parts.group;
    this.version = parts.version;
    this.kind = parts.kind;
    this.apiVersion = parts.group === '' ? parts.version : `${parts.group}/${parts.version}`;
    this.data = parts.data;
    this.rules = parts.rules;
    this.compiled = compileType(parts.data.type, parts.identity);
    this.hub = parts.hub ?? this;
    this.#functions = parts.functions;
    this.#identity = parts.identity;
  }

  /**
   * A JSON value as an object of this version: members in canonical order, defaults set, unknown members dropped and reported.
   * @throws DecodeError for a value of the wrong type
   */
  decode(value: unknown): { object: ApiObject; unknownFields: string[] } {
    const { object: members, unknownFields } = decode(this.compiled, value, { defaults: true });
    const object = this.typed(members);
    this.rules.defaults?.(object);
    return { object, unknownFields };
  }

  /** The same members under this version's kind and apiVersion, which come first. */
  typed(members: object): ApiObject {
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = members as ApiObject;
    return { kind: this.kind, apiVersion: this.apiVersion, ...rest } as ApiObject;
  }

  /** @param object of this version; may be changed */
  toHub(object: ApiObject): ApiObject {
    if (this.hub === this || this.data.conversion === undefined) return object;
    return this.hub.typed(convertToHub(object, this.data.conversion, this.#functions, this.#identity));
  }

  /** @param object of the hub; may be changed */
  fromHub(object: ApiObject): ApiObject {
    if (this.hub === this || this.data.conversion === undefined) return object;
    return this.typed(convertFromHub(object, this.data.conversion, this.#functions, this.#identity));
  }
}
