/** The model of all releases as emitters of histories see it: which types are gone, and which group versions were different in earlier releases. */
import type { DatedValues } from '../../../runtime/contract/history.ts';
import type { Dated, Lifespan } from '../../../runtime/contract/lifespan.ts';
import type { DatedRule } from '../../model/default-rules.ts';
import type { FieldModel, GroupVersion, Model, NamedType, StructModel, TypeUse } from '../../model/model.ts';
import { reachableTypes } from '../../model/reachable-types.ts';
import { Window } from './window.ts';

/** A struct whose members were not always the same. */
export interface StructHistoryModel {
  readonly struct: StructModel;
  readonly fields: readonly Dated<{ readonly field: FieldModel }>[];
  /** Default rules with the releases that have them; absent if they have always been the same. */
  readonly defaults?: readonly DatedRule[];
}

/** Answers what was different in earlier releases of the window. */
export class HistoryModel {
  /** The model of all releases. */
  readonly model: Model;
  readonly window: Window;
  readonly #current: Model;
  /** Definitions that some release of the window has. */
  readonly #seen: ReadonlySet<string>;
  readonly #structs: ReadonlyMap<string, StructHistoryModel>;
  readonly #folders: ReadonlySet<string>;

  constructor(current: Model) {
    const { all, release, at } = current;
    this.model = { ...all, release, all, at };
    this.window = new Window(current);
    this.#current = current;
    this.#seen = new Set(this.window.releases.flatMap((each) => [...at(each).types.keys()]));
    const structs = this.releasedVersions.flatMap(({ types }) =>
      types.filter((type): type is StructModel => type.kind === 'struct' && this.#seen.has(type.definition)),
    );
    this.#structs = new Map(structs.flatMap((struct) => this.#historyOf(struct) ?? []).map((each) => [each.struct.definition, each]));
    this.#folders = this.#foldersWithHistory();
  }

  /** Whether the current release does not have the type. */
  isGone({ definition }: NamedType): boolean {
    return !this.#current.types.has(definition);
  }

  /**
   * Group versions that a server of an earlier release has as they were then. One without resources, such as that of options and reviews, is always as it is
   * today,
   * whatever release a server has the API of. One that is yet to come has no history.
   */
  get releasedVersions(): readonly GroupVersion[] {
    return this.model.groupVersions.filter((each) => !each.files && each.resources.length > 0 && this.#isSeen(each));
  }

  /** Group versions that were different in earlier releases, or whose kinds lead to types that were. */
  get groupVersions(): readonly GroupVersion[] {
    return this.model.groupVersions.filter(({ folder }) => this.#folders.has(folder));
  }

  hasHistory(folder: string): boolean {
    return this.#folders.has(folder);
  }

  goneTypes(groupVersion: GroupVersion): StructModel[] {
    return groupVersion.types.filter(
      (type): type is StructModel => type.kind === 'struct' && this.isGone(type) && this.#seen.has(type.definition),
    );
  }

  /** @returns kinds that are gone and in whose form objects were stored */
  goneHubs(): StructModel[] {
    const stored = new Set(
      this.model.groupVersions.flatMap(({ resources }) =>
        resources.flatMap(({ storage }) => (storage === undefined ? [] : [`${storage.group}/${storage.version} ${storage.kind}`])),
      ),
    );
    return this.model.groupVersions.flatMap((groupVersion) =>
      this.goneTypes(groupVersion).filter(({ name }) => stored.has(`${groupVersion.group}/${groupVersion.version} ${name}`)),
    );
  }

  /** @returns the structs of a group version whose members were not always the same, gone ones included */
  structs(groupVersion: GroupVersion): StructHistoryModel[] {
    return groupVersion.types.flatMap(({ definition }) => this.#structs.get(definition) ?? []);
  }

  /** @returns for structs with fields whose values were not always the same: the releases that have a value, by field and value */
  values({ types }: GroupVersion): { readonly struct: StructModel; readonly fields: DatedValues }[] {
    return types.flatMap((struct) => {
      if (struct.kind !== 'struct' || !this.#seen.has(struct.definition)) return [];
      const fields = struct.fields.flatMap(({ name, type }) => {
        const values = Object.entries(lifespansOf(type)).flatMap(([value, lifespan]) => {
          const within = this.window.within(lifespan);
          return within === undefined || Object.keys(within).length === 0 ? [] : [[value, within] as const];
        });
        return values.length === 0 ? [] : [[name, Object.fromEntries(values)] as const];
      });
      return fields.length === 0 ? [] : [{ struct, fields: Object.fromEntries(fields) }];
    });
  }

  /** @returns the folders of other group versions that have a history and to whose types those of this one lead */
  uses({ folder, types }: GroupVersion): string[] {
    const definitions = reachableTypes(types, this.model.types);
    const used = new Set([...definitions].map((definition) => this.model.types.get(definition)?.folder ?? folder));
    return [...used].filter((each) => each !== folder && this.#folders.has(each)).sort();
  }

  #historyOf(struct: StructModel): StructHistoryModel | undefined {
    const { window } = this;
    const fields = struct.fields.flatMap((field) => {
      const earlier = (field.before ?? []).map(({ until, field: form }) => ({ until, form }));
      return window.forms(field, earlier, field).map(({ form, lifespan }) => ({ field: withoutHistory(form), ...lifespan }));
    });
    // A rule that stands beside a field is there as long as that field.
    const ofFields = fields.flatMap(({ field, ...lifespan }) =>
      (field.dependentDefaults ?? []).flatMap(({ since, until, ...rule }) => {
        const both = window.both({ since, until }, lifespan);
        return both === undefined ? [] : [{ ...rule, ...both }];
      }),
    );
    const defaults = [...ofFields, ...window.dated(struct.defaults)];
    const isDated = ({ since, until }: Dated<object>): boolean => since !== undefined || until !== undefined;
    if (!fields.some(isDated) && !defaults.some(isDated)) return undefined;
    return { struct, fields, ...(defaults.some(isDated) && { defaults }) };
  }

  #isSeen({ types }: GroupVersion): boolean {
    return types.some(({ definition }) => this.#seen.has(definition));
  }

  #foldersWithHistory(): ReadonlySet<string> {
    const { types } = this.model;
    const own = new Set(
      this.releasedVersions
        .filter((each) => this.structs(each).length + this.goneTypes(each).length + this.tables(each).length + this.values(each).length > 0)
        .map(({ folder }) => folder),
    );
    const isOwn = (definition: string): boolean => own.has(types.get(definition)?.folder ?? '');
    const leading = this.releasedVersions.filter((each) => [...reachableTypes(each.types, types)].some(isOwn));
    return new Set([...own, ...leading.map(({ folder }) => folder)]);
  }

  /** @returns the kinds whose columns were not always the same; kinds that are gone are left out */
  tables(groupVersion: GroupVersion): { readonly name: string; readonly columns: readonly object[] }[] {
    return groupVersion.types.flatMap((type) => {
      if (type.kind !== 'struct' || type.table === undefined || this.isGone(type)) return [];
      const columns = this.window.dated(type.table.columns);
      return JSON.stringify(columns) === JSON.stringify(this.#currentColumns(type)) ? [] : [{ name: type.name, columns }];
    });
  }

  #currentColumns({ definition }: StructModel): unknown {
    const type = this.#current.types.get(definition);
    return type?.kind === 'struct' ? type.table?.columns : undefined;
  }
}

function withoutHistory({ before: _before, since: _since, until: _until, ...field }: FieldModel): FieldModel {
  return field;
}

/** @returns the lifespans of values of a field, or of its elements, by value */
function lifespansOf(use: TypeUse): Readonly<Record<string, Lifespan>> {
  if (use.kind === 'list') return lifespansOf(use.element);
  if (use.kind === 'map') return lifespansOf(use.value);
  return use.kind === 'primitive' ? (use.lifespans ?? {}) : {};
}
