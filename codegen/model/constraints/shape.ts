/** Finds the shape of a value: what it is as far as its presence and its constraints are concerned. */
import type { Shape } from '../../../runtime/contract/constraint.ts';
import type { ScalarName } from '../../../runtime/contract/descriptor.ts';
import type { FieldModel, Model, TypeUse } from '../model.ts';

const KINDS: Readonly<Record<ScalarName, Shape['kind']>> = {
  string: 'text',
  bytes: 'text',
  boolean: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
  time: 'any',
  microTime: 'any',
  duration: 'any',
  quantity: 'any',
  intOrString: 'any',
  rawExtension: 'any',
  fieldsV1: 'any',
  json: 'any',
  structOrBoolean: 'any',
  structOrList: 'any',
  structOrNames: 'any',
};

/** @param pointer whether absent and zero are different values. It is true of elements of lists and values of maps, which are never absent */
export function shapeOf(model: Model, use: TypeUse, pointer: boolean): Shape {
  if (use.kind === 'list' || use.kind === 'map') return { kind: use.kind, pointer: false };
  if (use.kind === 'primitive') return scalarShape(use.scalar, pointer);
  const type = model.types.get(use.definition);
  return type?.kind === 'scalar' ? scalarShape(type.scalar, pointer) : { kind: 'struct', pointer };
}

function scalarShape(scalar: ScalarName, pointer: boolean): Shape {
  return { kind: KINDS[scalar], pointer, ...(scalar === 'int64' && { wide: true }) };
}

/** @returns the shape of a field's value */
export function fieldShape(model: Model, field: FieldModel): Shape {
  return shapeOf(model, field.type, field.pointer);
}
