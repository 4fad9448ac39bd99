/**
 * Knows every kind of the generated modules of a tree, including kinds that are gone, by the names of one dialect. The server's own `Kind` decodes and converts
 * the objects.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConversionNotices } from '../../runtime/contract/conversion-notice.ts';
import type { ApiHistory } from '../../runtime/contract/history.ts';
import { createIdentity, type Dialect, type Identity, type IdentityData } from '../../runtime/contract/identity.ts';
import type { GroupVersionData, GroupVersionModule, KindData } from '../../runtime/contract/kind.ts';
import { compareReleases, isThere } from '../../runtime/contract/lifespan.ts';
import type { RuleModules } from '../../runtime/contract/rule-modules.ts';
import { EmulatedRelease } from '../../runtime/registry/emulation/emulated-release.ts';
import type { Kind } from '../../runtime/registry/kinds/kind.ts';
import { gvKey, KindLoader } from '../../runtime/registry/kinds/kind-loader.ts';
import { chooseGates, type FeatureGateStage } from '../../runtime/registry/resources/feature-gates.ts';
import { compileType, decode } from '../../runtime/schema/codec/codec.ts';
import { copyValue } from '../../runtime/schema/copy.ts';
import type { JsonObject } from '../../runtime/schema/json/member.ts';

/** A kind in one version. */
export interface KnownKind {
  /** The name of the group in the dialect. */
  readonly group: string;
  readonly version: string;
  /** `version` for the core group, otherwise `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly data: KindData;
  /** Order of versions in the group: higher ones come first. */
  readonly versionPriority: number;
  /** Path below `schemas/`. */
  readonly folder: string;
}

/** The releases that the generated modules know. */
export interface ReleaseNames {
  /** Oldest first. */
  readonly all: readonly string[];
  /** The oldest release of which the schemas state everything. */
  readonly oldest: string;
  readonly current: string;
}

interface GroupVersionEntry {
  readonly group: string;
  readonly version: string;
  readonly folder: string;
  readonly versionPriority: number;
  readonly load: () => Promise<GroupVersionModule>;
}

/** The content of the generated modules before a dialect is chosen. */
export interface GeneratedKinds {
  readonly groupVersions: readonly GroupVersionEntry[];
  readonly rules: RuleModules;
  readonly names: IdentityData;
  readonly gates: Readonly<Record<string, readonly FeatureGateStage[]>>;
  readonly releases: ReleaseNames;
  readonly notices: ConversionNotices;
  /** The API as another release had it, which must be one that can be emulated. */
  readonly at: (release: string) => readonly GroupVersionData[];
}

/** @param root the root of a tree whose `generated/` is up to date */
export async function loadGeneratedKinds(root: string): Promise<GeneratedKinds> {
  const load = (file: string) => import(pathToFileURL(path.join(root, 'generated', file)).href);
  const [routes, { ruleModules }, { identity }, { featureGates }, releases, { history }, { conversionNotices }] = await Promise.all(
    ['routes.ts', 'rules.ts', 'identity.ts', 'feature-gates.ts', 'releases.ts', 'history.ts', 'conversion-notices.ts'].map(load),
  );
  return {
    groupVersions: withHistory(routes.groupVersions, history),
    rules: ruleModules,
    names: identity,
    gates: featureGates,
    releases: {
      all: releases.releases.map(({ name }: { name: string }) => name),
      oldest: releases.oldestRelease,
      current: releases.currentRelease,
    },
    notices: conversionNotices,
    at: (release) => {
      const parts = { groupVersions: routes.groupVersions, history, current: releases.currentRelease, release, loadOpenapi: noDocument };
      return new EmulatedRelease(parts).groupVersions;
    },
  };
}

/** Manifests need no OpenAPI documents. */
const noDocument = (): Promise<never> => Promise.reject(new Error('manifests need no documents'));

/** The generated modules keep kinds that the current release does not have apart, and a group version that is gone has no other module. */
function withHistory(now: readonly GroupVersionEntry[], history: ApiHistory): GroupVersionEntry[] {
  const current = new Map(now.map((each) => [each.folder, each]));
  const gone = history.groupVersions.filter(({ folder }) => !current.has(folder));
  const none: GroupVersionModule = { kinds: {} };
  return [...now, ...gone].map(({ group, version, folder, versionPriority }) => ({
    group,
    version,
    folder,
    versionPriority,
    load: once(async () => {
      const [module, past] = await Promise.all([current.get(folder)?.load() ?? none, history.kinds[folder]?.()]);
      return { kinds: { ...past?.history.kinds, ...module.kinds } };
    }),
  }));
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

/** Finds kinds, and loads those that decode and convert objects. */
export class KnownKinds {
  readonly identity: Identity;
  readonly releases: ReleaseNames;
  readonly notices: ConversionNotices;
  readonly featureEnabled: (gate: string) => boolean;
  /** By `group/version`, with the name of the group in the dialect. */
  readonly #groupVersions: ReadonlyMap<string, GroupVersionEntry>;
  readonly #loader: KindLoader;
  readonly #generated: GeneratedKinds;
  /** The release that was asked for last, with its API. */
  #earlier: { readonly release: string; readonly groupVersions: readonly GroupVersionData[] } | undefined;

  constructor(generated: GeneratedKinds, dialect: Dialect) {
    this.#generated = generated;
    const { releases, rules, gates } = generated;
    const identity = createIdentity(generated.names, dialect);
    this.identity = identity;
    this.releases = releases;
    this.notices = generated.notices;
    this.#groupVersions = new Map(
      generated.groupVersions.map((each) => {
        const group = identity.text(each.group);
        return [gvKey(group, each.version), { ...each, group }];
      }),
    );
    this.featureEnabled = chooseGates(gates, new Map(), { release: releases.current, current: releases.current }).isEnabled;
    const module = (group: string, version: string): Promise<GroupVersionModule> => this.#entry(gvKey(group, version)).load();
    this.#loader = new KindLoader({ identity, rules, release: releases.current, featureEnabled: this.featureEnabled, module });
  }

  #entry(apiVersion: string): GroupVersionEntry {
    const entry = this.#groupVersions.get(apiVersion);
    if (entry === undefined) throw new Error(`no schema has the group version ${apiVersion}`);
    return entry;
  }

  hasGroupVersion(apiVersion: string): boolean {
    return this.#groupVersions.has(apiVersion);
  }

  /** @returns the versions of a group that the schemas have, the most preferred first; [] for a group that they do not have */
  versionsOfGroup(group: string): string[] {
    return [...this.#groupVersions.entries()]
      .filter(([, entry]) => entry.group === group)
      .sort(([, a], [, b]) => b.versionPriority - a.versionPriority)
      .map(([apiVersion]) => apiVersion);
  }

  /** @returns undefined for a kind that no schema has */
  async find(apiVersion: string, kind: string): Promise<KnownKind | undefined> {
    const entry = this.#groupVersions.get(apiVersion);
    if (entry === undefined) return undefined;
    const { kinds } = await entry.load();
    const data = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    if (data === undefined) return undefined;
    const { group, version, versionPriority, folder } = entry;
    return { group, version, apiVersion, kind, data, versionPriority, folder };
  }

  load({ group, version, kind }: KnownKind): Promise<Kind> {
    return this.#loader.kind(group, version, kind);
  }

  /** @returns the kind of the items of a typed list; undefined for a kind that is no list */
  async itemKindOf(list: KnownKind): Promise<KnownKind | undefined> {
    const { kinds } = await this.#entry(list.apiVersion).load();
    const name = Object.keys(kinds).find((each) => kinds[each]?.list === list.kind);
    return name === undefined ? undefined : this.find(list.apiVersion, name);
  }

  /**
   * @param object an object of the kind; it is not changed
   * @returns paths of the members that a release did not have
   */
  async unknownMembers({ folder, kind }: KnownKind, object: JsonObject, release: string): Promise<readonly string[]> {
    if (release === this.releases.current) return [];
    if (this.#earlier?.release !== release) this.#earlier = { release, groupVersions: this.#generated.at(release) };
    const module = await this.#earlier.groupVersions.find((each) => each.folder === folder)?.load();
    const data = module?.kinds[kind];
    if (data === undefined) return [];
    return decode(compileType(data.type, this.identity), copyValue(object), { defaults: false }).unknownFields;
  }

  /** Whether objects of the one kind can be converted to the other. */
  isConvertible(from: KnownKind, to: KnownKind): boolean {
    return this.#hubKey(from) === this.#hubKey(to);
  }

  /**
   * @returns the version that a release prefers for a kind: the replacement that the schema states, otherwise the first served one in the order of preference;
   * undefined if it serves none
   */
  async servedForm(kind: KnownKind, release: string): Promise<KnownKind | undefined> {
    const { replacement } = kind.data.lifecycle;
    const { conversion } = kind.data;
    const groups = [replacement?.group, kind.group, conversion?.group].flatMap((group) =>
      group === undefined ? [] : this.identity.text(group),
    );
    const stated = replacement && (await this.find(gvKey(this.identity.text(replacement.group), replacement.version), replacement.kind));
    if (stated !== undefined && this.isConvertible(kind, stated) && isServed(stated, release)) return stated;
    for (const group of new Set(groups))
      for (const apiVersion of this.versionsOfGroup(group)) {
        const other = await this.find(apiVersion, kind.kind);
        if (other !== undefined && this.isConvertible(kind, other) && isServed(other, release)) return other;
      }
    return undefined;
  }

  #hubKey({ apiVersion, kind, data: { conversion } }: KnownKind): string {
    if (conversion === undefined) return `${apiVersion} ${kind}`;
    return `${gvKey(this.identity.text(conversion.group), conversion.version)} ${conversion.kind}`;
  }
}

/** Whether a release serves the kind in this version. */
export function isServed({ data: { lifecycle } }: KnownKind, release: string): boolean {
  const { introduced: since, removed: until } = lifecycle;
  return isThere({ since, ...(until !== undefined && { until }) }, release);
}

/** Whether a release calls the kind deprecated in this version. */
export function isDeprecated({ data: { lifecycle } }: KnownKind, release: string): boolean {
  return lifecycle.deprecated !== undefined && compareReleases(lifecycle.deprecated, release) <= 0;
}
