/** Makes the types of a release. A type that is the same as in the current release is the same object, so that it is compiled only once. */
import { type Field, type ListType, type MapType, type StructType, struct, type Type } from '../../contract/descriptor.ts';
import type { DatedValues, KindHistory, StructHistory } from '../../contract/history.ts';
import { type Dated, isThere, type Lifespan } from '../../contract/lifespan.ts';

/** Whether a release has something with this lifespan. */
export type HasLifespan = (lifespan: Lifespan) => boolean;

export class ReleasedTypes {
  readonly #has: HasLifespan;
  readonly #histories = new Map<string, StructHistory>();
  readonly #values = new Map<string, DatedValues>();
  readonly #known = new Set<KindHistory>();
  readonly #made = new Map<StructType, StructType>();
  readonly #changed = new Map<string, boolean>();
  readonly #current: string;

  /**
   * @param current the release of the given types
   * @param has decides by lifespan which members the made types have
   */
  constructor(current: string, has: HasLifespan) {
    this.#current = current;
    this.#has = has;
  }

  /** Must be called with the histories of all group versions that a type refers to, before the type is made. */
  learn(history: KindHistory): void {
    if (this.#known.has(history)) return;
    this.#known.add(history);
    for (const [name, each] of Object.entries(history.structs)) this.#histories.set(name, each);
    for (const [name, each] of Object.entries(history.values ?? {})) this.#values.set(name, each);
    for (const used of history.uses) this.learn(used);
  }

  /** The values of a struct's fields that the release did not have yet, by field; undefined if there are none. */
  missingValues({ name }: StructType): ReadonlyMap<string, ReadonlySet<string>> | undefined {
    const values = this.#values.get(name);
    if (values === undefined) return undefined;
    const missing = Object.entries(values).flatMap(([field, dated]) => {
      const absent = Object.keys(dated).filter((value) => !this.#has(dated[value] as Lifespan));
      return absent.length === 0 ? [] : [[field, new Set(absent)] as const];
    });
    return missing.length === 0 ? undefined : new Map(missing);
  }

  /** @returns the same object if nothing that the type refers to has changed */
  of(type: StructType): StructType {
    const made = this.#made.get(type);
    if (made !== undefined) return made;
    const own = this.#leadsToChange(type) ? this.#make(type) : type;
    this.#made.set(type, own);
    return own;
  }

  /** A text that distinguishes the form of a type from those of other releases; '' for today's form. */
  formOf(type: StructType): string {
    if (this.of(type) === type) return '';
    const changed = [...reachable(type)].filter(({ name }) => this.#isChanged(name));
    return JSON.stringify(changed.map(({ name }) => [name, this.#fieldsOf(name).map(formOfField)]).sort());
  }

  #make(type: StructType): StructType {
    const history = this.#histories.get(type.name);
    const { mapType } = type;
    const defaults = history?.defaults?.filter(this.#has).map(undated) ?? type.defaults;
    const fields = (): Field[] =>
      (history === undefined ? type.fields : this.#fieldsOf(type.name)).map((field) => ({ ...field, type: this.#ofAny(field.type) }));
    return struct(type.name, fields, { ...(mapType !== undefined && { mapType }), ...(defaults !== undefined && { defaults }) });
  }

  #ofAny(type: Type): Type {
    switch (type.kind) {
      case 'struct':
        return this.of(type);
      case 'list':
        return this.#holding(type, type.element, (element): ListType => ({ ...type, element }));
      case 'map':
        return this.#holding(type, type.value, (value): MapType => ({ ...type, value }));
      case 'scalar': {
        const of = type.struct;
        return of === undefined ? type : { ...type, struct: () => this.of(of()) };
      }
      default:
        return type;
    }
  }

  #holding<T extends Type>(type: T, held: Type, made: (held: Type) => T): T {
    const own = this.#ofAny(held);
    return own === held ? type : made(own);
  }

  /** The fields of a struct with a history, without repeated names. */
  #fieldsOf(name: string): Field[] {
    const there = (this.#histories.get(name) as StructHistory).fields().filter(this.#has);
    // if the types of several releases are joined, today's form of a field takes precedence
    const now = there.filter((field) => isThere(field, this.#current));
    const names = new Set(now.flatMap(namesOf));
    const only = there.filter((field) => !now.includes(field));
    return there
      .filter((field) => now.includes(field) || !namesOf(field).some((each) => names.has(each)))
      .map((field) => gatedAs(field, now.includes(field) ? only.find(({ name }) => name === field.name) : undefined))
      .map(undated);
  }

  #leadsToChange(type: StructType): boolean {
    for (const each of reachable(type)) if (this.#isChanged(each.name)) return true;
    return false;
  }

  /** Whether the struct itself has changed. */
  #isChanged(name: string): boolean {
    const known = this.#changed.get(name);
    if (known !== undefined) return known;
    const history = this.#histories.get(name);
    const differs = (each: Dated<object>): boolean => this.#has(each) !== isThere(each, this.#current);
    const isChanged = history !== undefined && (history.fields().some(differs) || (history.defaults ?? []).some(differs));
    this.#changed.set(name, isChanged);
    return isChanged;
  }
}

function undated<T extends object>({ since: _since, until: _until, ...others }: Dated<T>): T {
  return others as T;
}

/** A field behind the gate that it had in the emulated release, of which it otherwise need not have the form. @param then that form, if there is another */
function gatedAs(field: Dated<Field>, then: Dated<Field> | undefined): Dated<Field> {
  if (then === undefined) return field;
  const { featureGate: _gate, whileGated: _value, ungated: _always, gating: _terms, ...others } = field;
  const { featureGate, whileGated, ungated, gating } = then;
  return {
    ...others,
    ...(featureGate !== undefined && { featureGate }),
    ...(whileGated !== undefined && { whileGated }),
    ...(ungated !== undefined && { ungated }),
    ...(gating !== undefined && { gating }),
  };
}

/** The names of members of the JSON object that a field contributes. */
function namesOf({ name, type, go }: Field): string[] {
  return go?.inline === true && type.kind === 'struct' ? type.fields.flatMap(namesOf) : [name];
}

/** The form of a field without the contents of other structs. */
function formOfField({ type, ...field }: Field): unknown {
  return [field, textOf(type)];
}

function textOf(type: Type): string {
  switch (type.kind) {
    case 'struct':
      return type.name;
    case 'list':
      return `[]${textOf(type.element)}`;
    case 'map':
      return `{}${textOf(type.value)}`;
    case 'scalar':
      return type.scalar;
    default:
      return 'any';
  }
}

/** The struct and all structs that it refers to, directly or indirectly. */
export function reachable(type: StructType): ReadonlySet<StructType> {
  const reached = new Set<StructType>([type]);
  const visit = (each: Type): void => {
    if (each.kind === 'list') visit(each.element);
    else if (each.kind === 'map') visit(each.value);
    else if (each.kind === 'struct') reached.add(each);
    else if (each.kind === 'scalar' && each.struct !== undefined) reached.add(each.struct());
  };
  // a Set also visits what is added during iteration
  for (const each of reached) for (const field of each.fields) visit(field.type);
  return reached;
}
