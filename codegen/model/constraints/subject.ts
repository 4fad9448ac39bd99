/** The value that entries speak of while they are read. */
import type { Shape } from '../../../runtime/contract/constraint.ts';
import { membersOf, structOf, typeAtPath } from '../../check/members.ts';
import type { FieldModel, Model, StructModel, TypeUse } from '../model.ts';
import { fieldShape, shapeOf } from './shape.ts';

/** When steps run: `object` on every write, `changes` besides on updates, `status` on updates of the subresource. */
export type Pass = 'object' | 'changes' | 'status';

/** The value that entries speak of. */
export interface Subject {
  /** The struct that holds the value; for entries of a struct that struct itself. */
  readonly holder: StructModel;
  readonly use: TypeUse;
  readonly shape: Shape;
  /** For a list: the members by which its elements are told apart; otherwise []. */
  readonly mapKeys: readonly string[];
  /** Whether the value is an element of a list, or part of one. */
  readonly inElements: boolean;
  readonly pass: Pass;
  /** Place in the document of the struct, for reports. */
  readonly place: string;
}

/** Takes a problem of the schemas. `place` is the path inside of the document. */
export type Tell = (place: string, problem: string) => void;

/** @returns the member of that name of the struct, or of a struct that is inlined into it; undefined if there is none */
export function memberNamed(model: Model, struct: StructModel, name: string): FieldModel | undefined {
  return membersOf(model, struct).find(({ field }) => field.name === name)?.field;
}

/** @param use the type of the member at the path, for a member that is no field, such as a key of a map */
export function shapeAt(model: Model, struct: StructModel, path: readonly string[], use: TypeUse): Shape {
  const holder = path.length === 1 ? struct : structAt(model, struct, path.slice(0, -1));
  const field = holder === undefined ? undefined : memberNamed(model, holder, path.at(-1) as string);
  return field === undefined ? shapeOf(model, use, true) : fieldShape(model, field);
}

function structAt(model: Model, struct: StructModel, path: readonly string[]): StructModel | undefined {
  const use = typeAtPath(model, struct, path.join('.'));
  return use === undefined || use === 'anything' ? undefined : structOf(model, use);
}
