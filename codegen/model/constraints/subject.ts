/** What entries speak of while they are read. */
import type { Shape } from '../../../runtime/contract/constraint.ts';
import { membersOf, structOf, typeAtPath } from '../../check/members.ts';
import type { FieldModel, Model, StructModel, TypeUse } from '../model.ts';
import { fieldShape, shapeOf } from './shape.ts';

/** When steps run: on every write, on updates besides, on updates of the status. */
export type Pass = 'object' | 'changes' | 'status';

/** The value that entries speak of. */
export interface Subject {
  /** the struct that holds it, or the struct itself */
  readonly holder: StructModel;
  readonly use: TypeUse;
  readonly shape: Shape;
  /** of a list: members by which its elements are told apart */
  readonly mapKeys: readonly string[];
  /** of elements of a list, or of what is in them */
  readonly inElements: boolean;
  readonly pass: Pass;
  /** for reports */
  readonly place: string;
}

/** @param place inside of the document */
export type Tell = (place: string, problem: string) => void;

/** The member of that name, of the struct or of one that is inlined into it. */
export function memberNamed(model: Model, struct: StructModel, name: string): FieldModel | undefined {
  return membersOf(model, struct).find(({ field }) => field.name === name)?.field;
}

export function shapeAt(model: Model, struct: StructModel, path: readonly string[], use: TypeUse): Shape {
  const holder = path.length === 1 ? struct : structAt(model, struct, path.slice(0, -1));
  const field = holder === undefined ? undefined : memberNamed(model, holder, path.at(-1) as string);
  return field === undefined ? shapeOf(model, use, true) : fieldShape(model, field);
}

function structAt(model: Model, struct: StructModel, path: readonly string[]): StructModel | undefined {
  const use = typeAtPath(model, struct, path.join('.'));
  return use === undefined || use === 'anything' ? undefined : structOf(model, use);
}
