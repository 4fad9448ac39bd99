/**
 * The API of an earlier release. Requests, answers and stored objects have the form of that release. In between, objects have a joined
 * form: that of today, together with members that were removed since. So all rules are those of today. The kinds of the release are
 * converted to the joined ones like older versions of the API.
 */
import type { ApiHistory, DatedResource, DatedTable, GroupVersionHistory } from '../../contract/history.ts';
import type { ConversionData, GroupVersionData, GroupVersionModule, KindData, ResourceData } from '../../contract/kind.ts';
import { earlierForm, isThere, thereAt } from '../../contract/lifespan.ts';
import type { TableData } from '../../contract/table.ts';
import { MissingValues } from './missing-values.ts';
import { ReleasedTypes } from './released-types.ts';
import { validatorsWithin } from './released-validators.ts';

export interface EmulatedReleaseParts {
  /** of the current release */
  readonly groupVersions: readonly GroupVersionData[];
  readonly history: ApiHistory;
  /** the current release */
  readonly current: string;
  /** the emulated release */
  readonly release: string;
  /** returns the OpenAPI document of a group version of the release, like `GroupVersionData.loadOpenapi` @param load loads its kinds */
  readonly loadOpenapi: (folder: string, load: () => Promise<GroupVersionModule>) => Promise<string>;
}

export class EmulatedRelease {
  readonly release: string;
  /** the group versions of that release with their kinds */
  readonly groupVersions: readonly GroupVersionData[];
  /** all group versions of both releases, with kinds that have the members of both */
  readonly hubs: readonly GroupVersionData[];
  readonly #parts: EmulatedReleaseParts;
  /** types of the emulated release */
  readonly #spoken: ReleasedTypes;
  /** types of today, with members that were removed since */
  readonly #joined: ReleasedTypes;
  readonly #missing: MissingValues;
  readonly #modules = new Map<string, Promise<ReleasedModule>>();

  constructor(parts: EmulatedReleaseParts) {
    const { groupVersions, history, current, release } = parts;
    this.#parts = parts;
    this.release = release;
    this.#spoken = new ReleasedTypes(current, (lifespan) => isThere(lifespan, release));
    this.#missing = new MissingValues(this.#spoken);
    this.#joined = new ReleasedTypes(current, (lifespan) => isThere(lifespan, release) || isThere(lifespan, current));
    const now = new Map(groupVersions.map((each) => [each.folder, each]));
    const historic = new Map(history.groupVersions.map((each) => [each.folder, each]));
    const folders = new Set([...now.keys(), ...historic.keys()]);
    const all = [...folders].map((folder) => this.#released(now.get(folder), historic.get(folder)));
    this.groupVersions = all.flatMap(({ spoken }) => spoken ?? []);
    this.hubs = all.map(({ hub }) => hub);
  }

  #released(
    now: GroupVersionData | undefined,
    history: GroupVersionHistory | undefined,
  ): { spoken?: GroupVersionData; hub: GroupVersionData } {
    const data = (now ?? history) as GroupVersionData | GroupVersionHistory;
    const { before: _before, resources: _resources, since: _since, until: _until, ...own } = { ...history, ...data } as GroupVersionHistory;
    const had = history === undefined ? (now?.resources ?? []) : resourcesAt(history.resources, now?.resources ?? [], this.release);
    const resources = had.map((each) => this.#written(each));
    const { until: _ended, ...changed } = earlierForm(history?.before, this.release) ?? { until: '' };
    const module = (): Promise<ReleasedModule> => this.#module(data.folder, now);
    const load = async (): Promise<GroupVersionModule> => (await module()).spoken;
    const loadOpenapi = (): Promise<string> => this.#parts.loadOpenapi(data.folder, load);
    const spoken = { ...own, ...changed, resources, load, loadOpenapi };
    const hub = { ...own, resources: now?.resources ?? [], load: async () => (await module()).hubs, loadOpenapi };
    const isHere = history === undefined || (isThere(history, this.release) && (resources.length > 0 || history.resources.length === 0));
    return { ...(isHere && { spoken }), hub };
  }

  /** @returns the resource with the form in which the release stored it; the same object if that is the form of today */
  #written(resource: ResourceData): ResourceData {
    if (resource.storage === undefined) return resource;
    const before = earlierForm(this.#parts.history.storedBefore[resource.storage.prefix], this.release);
    if (before === undefined) return resource;
    const { group, version, kind } = before;
    return { ...resource, storage: { ...resource.storage, writtenAs: { group, version, kind } } };
  }

  #module(folder: string, now: GroupVersionData | undefined): Promise<ReleasedModule> {
    let module = this.#modules.get(folder);
    if (module === undefined) {
      module = this.#load(folder, now);
      this.#modules.set(folder, module);
    }
    return module;
  }

  async #load(folder: string, now: GroupVersionData | undefined): Promise<ReleasedModule> {
    const [module, past] = await Promise.all([now?.load(), this.#parts.history.kinds[folder]?.()]);
    if (past === undefined) return { spoken: module as GroupVersionModule, hubs: module as GroupVersionModule };
    const { history } = past;
    this.#spoken.learn(history);
    this.#joined.learn(history);
    const kinds = Object.entries({ ...module?.kinds, ...history.kinds });
    const hubs = new Map(kinds.map(([name, data]) => [name, this.#hub(data, history.tables[name])]));
    const { group, version } = now ?? (this.#historyOf(folder) as GroupVersionHistory);
    const spoken = kinds
      .filter(([, { lifecycle }]) => isThere({ since: lifecycle.introduced }, this.release))
      .map(([name, data]) => [name, this.#kind(data, hubs.get(name) as KindData, { group, version, kind: name })] as const);
    return { spoken: { kinds: Object.fromEntries(spoken) }, hubs: { kinds: Object.fromEntries(hubs) } };
  }

  #historyOf(folder: string): GroupVersionHistory | undefined {
    return this.#parts.history.groupVersions.find((each) => each.folder === folder);
  }

  #hub(data: KindData, dated: DatedTable | undefined): KindData {
    const type = this.#joined.of(data.type);
    const schemaHash = mixed(data.schemaHash, this.#joined.formOf(data.type));
    const table = thereAt(dated ?? data.table, this.release) as TableData | undefined;
    const spoken = this.#spoken.of(data.type);
    const isSame = spoken === type && type === data.type && !this.#missing.isIn(type);
    const validators = data.validators && (isSame ? data.validators : validatorsWithin(spoken, type, data.validators, this.#missing));
    return { ...data, type, schemaHash, ...(table !== undefined && { table }), ...(validators !== undefined && { validators }) };
  }

  /**
   * @param hub the joined kind of the same name
   * @returns `hub` itself if the release had the same form
   */
  #kind(data: KindData, hub: KindData, own: Omit<ConversionData, 'steps'>): KindData {
    const type = this.#spoken.of(data.type);
    if (data.conversion === undefined && type === hub.type) return hub;
    const schemaHash = mixed(data.schemaHash, this.#spoken.formOf(data.type));
    if (data.conversion !== undefined) return { ...data, type, schemaHash, conversion: { ...data.conversion, completes: true } };
    const { validators: _validators, table: _table, ...rest } = data;
    return { ...rest, type, schemaHash, conversion: { ...own, steps: [], completes: true } };
  }
}

interface ReleasedModule {
  readonly spoken: GroupVersionModule;
  readonly hubs: GroupVersionModule;
}

/** @param now the resources of the current release */
function resourcesAt(dated: readonly DatedResource[], now: readonly ResourceData[], release: string): ResourceData[] {
  return dated
    .filter((each) => isThere(each, release))
    .map((each) => ('asNow' in each ? (now.find(({ name }) => name === each.asNow) as ResourceData) : thereAt(each, release)));
}

/** Continues an FNV-1a hash with a text. */
function mixed(hash: number, text: string): number {
  let result = hash;
  for (let i = 0; i < text.length; i++) result = Math.imul(result ^ text.charCodeAt(i), 0x01000193);
  return result >>> 0;
}
