/** Loads kinds with their rules and the way to their hub, each once and when it is first used. */
import type { Identity } from '../../contract/identity.ts';
import type { ConversionFunctions, GroupVersionModule, KindData } from '../../contract/kind.ts';
import type { AnyKindRules } from '../../contract/kind-rules.ts';
import type { RuleModules } from '../../contract/rule-modules.ts';
import type { CellFunction, TableData } from '../../contract/table.ts';
import { Kind } from './kind.ts';

export interface KindLoaderParts {
  readonly identity: Identity;
  readonly rules: RuleModules;
  /** the one whose behaviour the server has, such as 1.32 */
  readonly release: string;
  readonly featureEnabled: (gate: string) => boolean;
  /** loads the module that may hold a kind; called each time that a kind of it is first used. @throws Error where there is none */
  readonly module: (group: string, version: string, kind: string) => Promise<GroupVersionModule>;
  /** has the kinds that others are converted to; absent: they are here */
  readonly hubs?: KindLoader;
}

export class KindLoader {
  readonly #parts: KindLoaderParts;
  readonly #kinds = new Map<string, Promise<Kind>>();
  readonly #loaded = new Map<string, Kind>();

  constructor(parts: KindLoaderParts) {
    this.#parts = parts;
  }

  /** A kind that was loaded before, without waiting: the hot path. */
  loaded(group: string, version: string, kind: string): Kind | undefined {
    return this.#loaded.get(`${group}/${version}/${kind}`);
  }

  /** @throws Error for a kind that no schema has */
  kind(group: string, version: string, kind: string): Promise<Kind> {
    const key = `${group}/${version}/${kind}`;
    let promise = this.#kinds.get(key);
    if (promise === undefined) {
      promise = this.#load(group, version, kind).then((loaded) => {
        this.#loaded.set(key, loaded);
        return loaded;
      });
      this.#kinds.set(key, promise);
    }
    return promise;
  }

  async #load(group: string, version: string, name: string): Promise<Kind> {
    const { identity, release, featureEnabled, rules: modules, hubs = this } = this.#parts;
    const module = await this.#parts.module(group, version, name);
    const data: KindData | undefined = module.kinds[name];
    if (data === undefined) throw new Error(`no schema has the kind ${name} of ${gvKey(group, version)}`);
    if (hubs !== this && data.conversion === undefined) return hubs.kind(group, version, name);
    const rules = data.rules === undefined ? {} : await loadRules(modules, data.rules, identity);
    const cells = await loadCells(modules, data.hasLongTable ? undefined : data.table);
    const { conversion } = data;
    const parts = { group, version, kind: name, data, rules, identity, release, featureEnabled, cells };
    if (conversion === undefined) return new Kind(parts);
    const functions = conversion.function === undefined ? undefined : await loadConversion(modules, conversion.function, identity);
    const hub = await hubs.kind(identity.text(conversion.group), conversion.version, conversion.kind);
    return new Kind({ ...parts, hub, functions });
  }
}

/** @throws Error for a name that no schema has */
export async function loadRules({ rules }: RuleModules, name: string, identity: Identity): Promise<AnyKindRules> {
  const load = rules[name];
  if (load === undefined) throw new Error(`no rules are named ${name}`);
  const loaded = (await load()).rules;
  return typeof loaded === 'function' ? loaded(identity) : loaded;
}

/** @throws Error for a name that no schema has */
export async function loadConversion({ conversions }: RuleModules, name: string, identity: Identity): Promise<ConversionFunctions> {
  const load = conversions[name];
  if (load === undefined) throw new Error(`no conversion is named ${name}`);
  const loaded = (await load()).conversion;
  return typeof loaded === 'function' ? loaded(identity) : loaded;
}

/** Loads the functions that the columns of a table name. @returns them by name. @throws Error for a name that no schema has */
async function loadCells({ cells }: RuleModules, table: TableData | undefined): Promise<ReadonlyMap<string, CellFunction>> {
  const names = table?.columns.flatMap((column) => column.function ?? []) ?? [];
  return new Map(await Promise.all(names.map(async (name) => [name, (await loadCell(cells, name)).cell] as const)));
}

function loadCell(cells: RuleModules['cells'], name: string): Promise<{ readonly cell: CellFunction }> {
  const load = cells[name];
  if (load === undefined) throw new Error(`no cell is named ${name}`);
  return load();
}

/** `group/version`, or `version` alone in the core group: the text of apiVersion. */
export function gvKey(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}
