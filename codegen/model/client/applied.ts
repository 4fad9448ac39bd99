/**
 * Finds the types that have another form where they are applied. A field manager leaves out the members that it does not care for, so none is required there.
 * But it names the keys of each list element, and gives whatever has one owner as a whole.
 */
import { type ClientModel, type ClientType, keyOf, type Shape, type TypeReference } from './client-model.ts';
import { shapesOf } from './select.ts';
import { appliedName, UniqueNames } from './type-names.ts';

/** The forms of a model's types for applying. */
export class AppliedForms {
  readonly #types: ReadonlyMap<string, ClientType>;
  readonly #differing = new Set<string>();
  /** Names of the forms for applying, by the keys of their types. */
  readonly #names = new Map<string, string>();

  constructor({ groupVersions }: ClientModel) {
    this.#types = new Map(
      groupVersions.flatMap(({ folder, types }) => types.map((type) => [keyOf({ folder, name: type.name }), type] as const)),
    );
    let before: number;
    do {
      before = this.#differing.size;
      for (const [key, type] of this.#types) if (!this.#differing.has(key) && this.#differs(type)) this.#differing.add(key);
    } while (this.#differing.size > before);
    for (const { folder, types } of groupVersions) {
      const names = new UniqueNames(types.map(({ name }) => name));
      for (const { name } of types) {
        const key = keyOf({ folder, name });
        if (this.#differing.has(key)) this.#names.set(key, names.claim(appliedName(name)));
      }
    }
  }

  /** Whether the type has a form of its own for applying. */
  has(type: TypeReference): boolean {
    return this.#differing.has(keyOf(type));
  }

  /** @returns the name of the form in which the type is applied, in the type's folder; that of the type itself if it has no other form */
  nameOf(type: TypeReference): string {
    return this.#names.get(keyOf(type)) ?? type.name;
  }

  /** Whether the value at this place has one owner as a whole, by what its use says, otherwise by what its type says. */
  isWhole(shape: Shape): boolean {
    if (shape.kind === 'list' || shape.kind === 'map') return shape.isAtomic;
    if (shape.kind !== 'type') return false;
    const type = this.#types.get(keyOf(shape));
    return shape.isAtomic ?? (type?.kind === 'struct' && type.isAtomic);
  }

  /** @returns the keys that an applied element must name: those that the server does not set by a default */
  keysOf({ element, keys = [] }: Shape & { readonly kind: 'list' }): string[] {
    const type = element.kind === 'type' ? this.#types.get(keyOf(element)) : undefined;
    if (type?.kind !== 'struct') return [];
    const fields = new Map(type.fields.map((field) => [field.name, field]));
    return keys.filter((key) => fields.has(key) && fields.get(key)?.default === undefined);
  }

  #differs(type: ClientType): boolean {
    if (type.kind === 'struct' && type.fields.some(({ required }) => required)) return true;
    return shapesOf(type).some((shape) => this.#changes(shape));
  }

  #changes(shape: Shape): boolean {
    if (this.isWhole(shape)) return false;
    switch (shape.kind) {
      case 'list':
        return this.keysOf(shape).length > 0 || this.#changes(shape.element);
      case 'map':
        return this.#changes(shape.value);
      case 'type':
        return this.has(shape);
      case 'either':
        return shape.of.some((each) => this.#changes(each));
      default:
        return false;
    }
  }
}
