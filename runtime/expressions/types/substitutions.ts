/** The types that the checker has inferred for open types, and whether one type can be used as another. */
import { DYN, isDyn, isDynOrError, type ParameterType, partsOf, sameHead, sameType, type Type, withParts } from './type.ts';

export class Substitutions {
  readonly #types = new Map<string, Type>();
  /** the former substitutions of open types that the current attempt has changed */
  readonly #undo: [name: string, before: Type | undefined][] = [];

  /** Replaces open types by what was inferred for them. @param rest what replaces those that are still open */
  apply(type: Type, rest: 'open' | 'dyn' = 'open'): Type {
    if (type.kind === 'parameter') {
      const found = this.#types.get(type.name);
      if (found !== undefined) return this.apply(found, rest);
      return rest === 'dyn' ? DYN : type;
    }
    const parts = partsOf(type);
    if (parts.length === 0) return type;
    const applied = parts.map((part) => this.apply(part, rest));
    return parts.every((part, index) => part === applied[index]) ? type : withParts(type, applied);
  }

  /** Whether each type can be used where the other is expected. Only if all can, the inferred types are kept. */
  unifyAll(from: readonly Type[], to: readonly Type[]): boolean {
    this.#undo.length = 0;
    if (from.length === to.length && from.every((type, index) => this.#unify(type, to[index] as Type))) return true;
    for (const [name, before] of this.#undo.reverse()) {
      if (before === undefined) this.#types.delete(name);
      else this.#types.set(name, before);
    }
    return false;
  }

  unify(from: Type, to: Type): boolean {
    return this.unifyAll([from], [to]);
  }

  #unify(a: Type, b: Type): boolean {
    if (b.kind === 'parameter') {
      const { valid, known } = this.#stands(a, b);
      if (valid || known) return valid;
    }
    if (a.kind === 'parameter') return this.#stands(b, a).valid;
    if (isDynOrError(a) || isDynOrError(b)) return true;
    if (a.kind === 'null' || b.kind === 'null') return mayBeNull(a.kind === 'null' ? b : a);
    if (a.kind === 'wrapper' || b.kind === 'wrapper') return this.#unify(unwrapped(a), unwrapped(b));
    if (a.kind === 'type') return b.kind === 'type';
    if (!sameHead(a, b)) return false;
    const [left, right] = [partsOf(a), partsOf(b)];
    return left.length === right.length && left.every((part, index) => this.#unify(part, right[index] as Type));
  }

  /** Whether an open type can be `type`. @returns known: whether a type was inferred for it before */
  #stands(type: Type, open: ParameterType): { valid: boolean; known: boolean } {
    if (sameType(type, open)) return { valid: true, known: true };
    const found = this.#types.get(open.name);
    if (found === undefined) {
      const valid = this.#isFreeOf(open, type);
      if (valid) this.#set(open, type);
      return { valid, known: false };
    }
    if (sameType(type, found)) return { valid: true, known: true };
    if (!this.#unify(type, found)) return { valid: false, known: true };
    const general = mostGeneral(type, found);
    if (this.#isFreeOf(open, general)) this.#set(open, general);
    return { valid: true, known: true };
  }

  #set({ name }: ParameterType, type: Type): void {
    this.#undo.push([name, this.#types.get(name)]);
    this.#types.set(name, type);
  }

  #isFreeOf(open: ParameterType, type: Type): boolean {
    if (type.kind !== 'parameter') return partsOf(type).every((part) => this.#isFreeOf(open, part));
    if (type.name === open.name) return false;
    const found = this.#types.get(type.name);
    return found === undefined || this.#isFreeOf(open, found);
  }
}

const unwrapped = (type: Type): Type => (type.kind === 'wrapper' ? type.of : type);

const NULLABLE: ReadonlySet<Type['kind']> = new Set(['null', 'wrapper', 'struct', 'opaque', 'timestamp', 'duration']);
const mayBeNull = ({ kind }: Type): boolean => NULLABLE.has(kind);

/** Whether the first type equals the second or is more general. */
function saysNoMore(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === 'parameter') return true;
  if (isDyn(b) || b.kind === 'parameter') return false;
  if (a.kind === 'type') return b.kind === 'type';
  if (!sameHead(a, b)) return false;
  const [left, right] = [partsOf(a), partsOf(b)];
  return left.length === right.length && left.every((part, index) => saysNoMore(part, right[index] as Type));
}

/** The more general one of two types that were unified. Null is less general than a type that may be null, but not than an error. */
export function mostGeneral(a: Type, b: Type): Type {
  if (a.kind === 'null') return b;
  return (b.kind === 'null' && a.kind !== 'error') || saysNoMore(a, b) ? a : b;
}
