/** The shape of an object's type. */
import type { CompiledStruct } from '../schema/compile.ts';
import { goShapeOf } from './go-shape.ts';
import type { StructShape } from './shape.ts';
import { StructuralShapes } from './structural-shape.ts';

interface Structural {
  readonly shapes: StructuralShapes;
  readonly root: StructShape;
}

const structural = new WeakMap<CompiledStruct, Structural>();

/** The shape of a type; the same object for each call. */
export function shapeOf(type: CompiledStruct): StructShape {
  return type.isGo ? goShapeOf(type) : ofStructural(type).root;
}

/** The shapes of a structural type; the same object for each call. */
export function structuralShapesOf(type: CompiledStruct): StructuralShapes {
  return ofStructural(type).shapes;
}

function ofStructural(type: CompiledStruct): Structural {
  let made = structural.get(type);
  if (made === undefined) {
    const shapes = new StructuralShapes(type);
    made = { shapes, root: shapes.root };
    structural.set(type, made);
  }
  return made;
}
