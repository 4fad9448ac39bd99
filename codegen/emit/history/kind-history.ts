/** Writes `GROUP/VERSION/history.ts`: what earlier releases had of the kinds of a group version that the current one lacks, or has in another form. */
import { type Constraints, readConstraints } from '../../model/constraints/constraints.ts';
import type { GroupVersion, NamedType, StructModel } from '../../model/model.ts';
import { reachableTypes } from '../../model/reachable-types.ts';
import { DescriptorWriter, type StructNames } from '../descriptors.ts';
import { kindMembers } from '../kinds.ts';
import { byName, header, literal, moduleAlias, propertyName, quote, relativeImport, render, schemaSources } from '../typescript.ts';
import { emitValidators } from '../validators/validators.ts';
import type { HistoryModel } from './history-model.ts';

export class KindHistoryEmitter {
  readonly #history: HistoryModel;
  readonly #constraints: Constraints;
  /** Definitions of types that only validators of earlier releases are for. */
  readonly #validated: ReadonlySet<string>;

  /** @param current the constraints of the current release */
  constructor(history: HistoryModel, current: Constraints) {
    this.#history = history;
    this.#constraints = readConstraints(history.model);
    const { types } = history.model;
    const validated = reachableTypes(history.goneHubs(), types);
    this.#validated = new Set([...validated].filter((definition) => !current.has(definition)));
  }

  /** @returns the texts by file name; undefined for a file that this group version does not need */
  emit(groupVersion: GroupVersion): [name: string, text: string | undefined][] {
    const gone = this.#history.goneTypes(groupVersion).sort(byName);
    return [
      ['history.ts', this.#kindHistory(groupVersion, gone)],
      ['history-validators.ts', this.#validators(groupVersion)],
    ];
  }

  /** Writes the validators of types that the current release does not validate. */
  #validators(groupVersion: GroupVersion): string | undefined {
    const isOwn = ({ definition }: NamedType): boolean => this.#validated.has(definition);
    const own = { ...groupVersion, types: groupVersion.types.filter(isOwn) };
    const isGone = (type: NamedType): boolean => this.#history.isGone(type);
    return emitValidators(this.#history.model, own, this.#constraints, { isOwn, isGone });
  }

  #kindHistory(groupVersion: GroupVersion, gone: readonly StructModel[]): string {
    const { folder } = groupVersion;
    const { model } = this.#history;
    const names = new HistoricNames(this.#history, folder);
    const writer = new DescriptorWriter(model, names);
    const histories = this.#history.structs(groupVersion).map(({ struct, fields, defaults }) => ({
      definition: quote(struct.definition),
      fields: fields.map(({ field, ...lifespan }) => writer.field(field, lifespan)),
      defaults: defaults?.map(literal) ?? [],
    }));
    const structs = gone.map((struct) => writer.struct(struct));
    const kinds = gone.filter(({ topLevel }) => topLevel).map((kind) => this.#kind(groupVersion, kind));
    const uses = this.#history.uses(groupVersion);
    if (kinds.some(({ members }) => members.some((member) => member.includes(' validators.')))) names.useValidators();
    return render('kind-history.ts.hbs', {
      header: header(...schemaSources(groupVersion)),
      descriptor: relativeImport(`generated/${folder}`, 'runtime/contract/descriptor.ts'),
      contract: relativeImport(`generated/${folder}`, 'runtime/contract/history.ts'),
      imports: names.imports(uses),
      structs,
      uses: uses.map((each) => `${historyAlias(each)}.history`).join(', '),
      histories,
      values: this.#history.values(groupVersion).map(({ struct, fields }) => `${quote(struct.definition)}: ${literal(fields)}`),
      kinds,
      tables: this.#history.tables(groupVersion).map(({ name, columns }) => ({ name, columns: columns.map(literal) })),
    });
  }

  #kind(groupVersion: GroupVersion, kind: StructModel): { name: string; members: string[] } {
    const parts = {
      type: kind.name,
      table: literal(kind.table),
      conversion: literal(kind.conversion),
      validators: this.#validated.has(kind.definition) && this.#constraints.has(kind.definition),
    };
    return { name: propertyName(kind.name), members: kindMembers(this.#history.model, groupVersion, kind, parts) };
  }
}

const historyAlias = (folder: string): string => `${moduleAlias(folder)}History`;

/** Structs of the current release stand in `descriptors.ts`, those that are gone in `history.ts`. */
class HistoricNames implements StructNames {
  readonly #history: HistoryModel;
  readonly #folder: string;
  /** Folders whose descriptors of the current release were named. */
  readonly #used = new Set<string>();
  #validators = false;

  constructor(history: HistoryModel, folder: string) {
    this.#history = history;
    this.#folder = folder;
  }

  nameOf(type: StructModel): string {
    const { folder, name } = type;
    if (this.#history.isGone(type)) return folder === this.#folder ? name : `${historyAlias(folder)}.${name}`;
    this.#used.add(folder);
    return `${moduleAlias(folder)}.${name}`;
  }

  useValidators(): void {
    this.#validators = true;
  }

  /** @param uses folders whose histories are imported */
  imports(uses: readonly string[]): { alias: string; from: string }[] {
    const from = (folder: string, file: string): string => relativeImport(this.#folder, `${folder}/${file}`);
    return [
      ...[...this.#used].sort().map((folder) => ({ alias: moduleAlias(folder), from: from(folder, 'descriptors.ts') })),
      ...uses.map((folder) => ({ alias: historyAlias(folder), from: from(folder, 'history.ts') })),
      ...(this.#validators ? [{ alias: 'validators', from: from(this.#folder, 'history-validators.ts') }] : []),
    ];
  }
}
