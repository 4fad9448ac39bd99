/** Finds the members of one version of a kind in another one. Dotted paths do not mention lists and maps. */
import type { FieldModel, ModelData, StructModel, TypeUse } from '../model/model.ts';
import { namedIn } from '../model/uses.ts';
import { membersOf } from './members.ts';

/** A member of one version, with what it is in the other one. */
export interface Counterpart {
  readonly path: string;
  readonly field: FieldModel;
  /** The member of the other version; undefined if it has none. */
  readonly other: FieldModel | undefined;
}

/** Paths of members that move, with those where they go; what is below a member moves with it. The moves apply one after the other. */
export type Moves = readonly (readonly [from: string, to: string])[];

/** Pairs the members of two versions of kinds. It flattens each struct of the model once. */
export class Counterparts {
  readonly #model: ModelData;
  readonly #members = new Map<StructModel, ReadonlyMap<string, FieldModel>>();

  constructor(model: ModelData) {
    this.#model = model;
  }

  /**
   * Pairs the members of `from` with those of `to`. What is below a missing member is left out unless a step moves it, and so is what is below a type that is
   * the
   * same in both versions.
   */
  of(from: StructModel, to: StructModel, moves: Moves): Counterpart[] {
    const found: Counterpart[] = [];
    const moved = moves.map(([path]) => path);
    const visit = (struct: StructModel, prefix: string, within: readonly StructModel[]): void => {
      for (const field of this.#membersOf(struct).values()) {
        if (field.typeMeta) continue;
        const path = `${prefix}${field.name}`;
        const inner = this.#structIn(field.type);
        const movesBelow = moved.some((each) => each.startsWith(`${path}.`));
        const other = this.at(to, movedPath(moves, path));
        if (other !== undefined || !movesBelow) found.push({ path, field, other });
        if (inner === undefined || within.includes(inner) || (other === undefined && !movesBelow)) continue;
        if (movesBelow || inner !== this.#structIn((other as FieldModel).type)) visit(inner, `${path}.`, [...within, inner]);
      }
    };
    visit(from, '', [from]);
    return found;
  }

  /** @returns the member at a dotted path; undefined if there is none */
  at(struct: StructModel, path: string): FieldModel | undefined {
    let at: StructModel | undefined = struct;
    let field: FieldModel | undefined;
    for (const name of path.split('.')) {
      field = at === undefined ? undefined : this.#membersOf(at).get(name);
      at = field === undefined ? undefined : this.#structIn(field.type);
    }
    return field;
  }

  #structIn(use: TypeUse): StructModel | undefined {
    const type = this.#model.types.get(namedIn(use) ?? '');
    return type?.kind === 'struct' ? type : undefined;
  }

  #membersOf(struct: StructModel): ReadonlyMap<string, FieldModel> {
    const known = this.#members.get(struct) ?? new Map(membersOf(this.#model, struct).map(({ field }) => [field.name, field]));
    this.#members.set(struct, known);
    return known;
  }
}

function movedPath(moves: Moves, path: string): string {
  return moves.reduce((at, [from, to]) => (isWithin(at, from) ? to + at.slice(from.length) : at), path);
}

/** Whether a path is the other path, or leads to something below it. */
export function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`);
}
