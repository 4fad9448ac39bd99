/** Kinds as the generated modules of a tree have them, with the ways between their versions and nothing else of the server. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createIdentity, type Identity, type IdentityData } from '../../../runtime/contract/identity.ts';
import type { ConversionFunctions, GroupVersionData, KindData } from '../../../runtime/contract/kind.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { RuleModules } from '../../../runtime/contract/rule-modules.ts';
import { type CompiledStruct, compileType, decode } from '../../../runtime/schema/codec/codec.ts';
import { convertFromHub, convertToHub } from '../../../runtime/schema/convert.ts';

/** A kind in one version. The functions may change what they are given. */
export interface ConvertedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly data: KindData;
  /** the version that is stored; itself for that */
  readonly hub: ConvertedKind;
  /** Members that every object has are there, and those that the version does not have are gone. */
  normalized(members: object): ApiObject;
  toHub(object: ApiObject): ApiObject;
  fromHub(object: ApiObject): ApiObject;
}

/** By folder and name, such as `batch/v1beta1 CronJob`. */
export type ConvertedKinds = ReadonlyMap<string, ConvertedKind>;

/**
 * @param root of a tree whose `generated/` is up to date
 * @returns undefined where nothing has been generated
 */
export async function loadConvertedKinds(root: string): Promise<ConvertedKinds | undefined> {
  if (!existsSync(path.join(root, 'generated/routes.ts'))) return undefined;
  const load = (file: string): Promise<unknown> => import(pathToFileURL(path.join(root, 'generated', file)).href);
  const { groupVersions } = (await load('routes.ts')) as { groupVersions: readonly GroupVersionData[] };
  const { ruleModules } = (await load('rules.ts')) as { ruleModules: RuleModules };
  const { identity: names } = (await load('identity.ts')) as { identity: IdentityData };
  return new KindsOfTree(groupVersions, ruleModules, createIdentity(names, 'kubernetes')).all();
}

class KindsOfTree {
  readonly #groupVersions: readonly GroupVersionData[];
  readonly #rules: RuleModules;
  readonly #identity: Identity;
  readonly #made = new Map<string, Promise<ConvertedKind>>();

  constructor(groupVersions: readonly GroupVersionData[], rules: RuleModules, identity: Identity) {
    this.#groupVersions = groupVersions;
    this.#rules = rules;
    this.#identity = identity;
  }

  async all(): Promise<ConvertedKinds> {
    const kinds = new Map<string, ConvertedKind>();
    for (const groupVersion of this.#groupVersions)
      for (const [name, data] of Object.entries((await groupVersion.load()).kinds))
        kinds.set(`${groupVersion.folder} ${name}`, await this.#kind(groupVersion, name, data));
    return kinds;
  }

  #kind(groupVersion: GroupVersionData, name: string, data: KindData): Promise<ConvertedKind> {
    const key = `${groupVersion.folder} ${name}`;
    const made = this.#made.get(key) ?? this.#make(groupVersion, name, data);
    this.#made.set(key, made);
    return made;
  }

  async #make({ group, version }: GroupVersionData, kind: string, data: KindData): Promise<ConvertedKind> {
    const apiVersion = group === '' ? version : `${this.#identity.text(group)}/${version}`;
    const { conversion } = data;
    const parts = { apiVersion, kind, data, identity: this.#identity };
    if (conversion === undefined) return new TypedKind(parts);
    const hubVersion = this.#groupVersions.find((each) => each.group === conversion.group && each.version === conversion.version);
    const hubData = (await hubVersion?.load())?.kinds[conversion.kind];
    if (hubVersion === undefined || hubData === undefined)
      throw new Error(`${apiVersion} ${kind} is converted to a kind that is not there`);
    const hub = await this.#kind(hubVersion, conversion.kind, hubData);
    return new TypedKind({ ...parts, hub, functions: await this.#functions(conversion.function) });
  }

  async #functions(name: string | undefined): Promise<ConversionFunctions | undefined> {
    const load = name === undefined ? undefined : this.#rules.conversions[name];
    if (load === undefined) return undefined;
    const { conversion } = await load();
    return typeof conversion === 'function' ? conversion(this.#identity) : conversion;
  }
}

class TypedKind implements ConvertedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly data: KindData;
  readonly hub: ConvertedKind;
  readonly #functions: ConversionFunctions | undefined;
  readonly #identity: Identity;
  #compiled: CompiledStruct | undefined;

  constructor(parts: {
    apiVersion: string;
    kind: string;
    data: KindData;
    identity: Identity;
    hub?: ConvertedKind;
    functions?: ConversionFunctions | undefined;
  }) {
    this.apiVersion = parts.apiVersion;
    this.kind = parts.kind;
    this.data = parts.data;
    this.hub = parts.hub ?? this;
    this.#functions = parts.functions;
    this.#identity = parts.identity;
  }

  normalized(members: object): ApiObject {
    this.#compiled ??= compileType(this.data.type, this.#identity);
    const named = { ...members, kind: this.kind, apiVersion: this.apiVersion };
    return decode(this.#compiled, named, { defaults: false }).object as ApiObject;
  }

  toHub(object: ApiObject): ApiObject {
    const { conversion } = this.data;
    if (conversion === undefined) return object;
    return this.hub.normalized(convertToHub(object, conversion, this.#functions, this.#identity));
  }

  fromHub(object: ApiObject): ApiObject {
    const { conversion } = this.data;
    if (conversion === undefined) return object;
    return this.normalized(convertFromHub(object, conversion, this.#functions, this.#identity));
  }
}
