/** Checks that a default is a value of its field's type. */
import type { ScalarName } from '../../runtime/contract/descriptor.ts';
import type { Model, PrimitiveUse, TypeUse } from '../model/model.ts';
import { isObject } from '../read/sources.ts';
import { membersOf, structOf } from './members.ts';

/** @returns what is wrong, as a sentence; undefined if nothing is */
export function defaultProblem(model: Model, use: TypeUse, value: unknown): string | undefined {
  if (use.kind === 'primitive') return primitiveProblem(use, value);
  if (use.kind === 'list') return listProblem(model, use.element, value);
  if (use.kind === 'map') return mapProblem(model, use.value, value);
  const type = model.types.get(use.definition);
  if (type?.kind === 'scalar') return scalarProblem(type.scalar, value);
  return structProblem(model, use, value);
}

function primitiveProblem(use: PrimitiveUse, value: unknown): string | undefined {
  const problem = scalarProblem(use.scalar, value);
  if (problem !== undefined || use.enum === undefined || use.enum.includes(String(value))) return problem;
  return `${JSON.stringify(value)} is not in the enum ${use.enum.join(', ')}.`;
}

function listProblem(model: Model, element: TypeUse, value: unknown): string | undefined {
  if (!Array.isArray(value)) return `${JSON.stringify(value)} is no list.`;
  return value.map((item) => defaultProblem(model, element, item)).find((problem) => problem !== undefined);
}

function mapProblem(model: Model, type: TypeUse, value: unknown): string | undefined {
  if (!isObject(value)) return `${JSON.stringify(value)} is no map.`;
  return Object.values(value)
    .map((member) => defaultProblem(model, type, member))
    .find((problem) => problem !== undefined);
}

function structProblem(model: Model, use: TypeUse, value: unknown): string | undefined {
  const struct = structOf(model, use);
  if (struct === undefined) return undefined;
  if (!isObject(value)) return `${JSON.stringify(value)} is no ${struct.name}.`;
  const members = membersOf(model, struct);
  for (const [name, member] of Object.entries(value)) {
    const found = members.find(({ field }) => field.name === name);
    const problem = found === undefined ? `${struct.name} has no member ${name}.` : defaultProblem(model, found.field.type, member);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isFreeObject = (value: unknown): boolean => isObject(value);

const fits: Readonly<Record<ScalarName, (value: unknown) => boolean>> = {
  string: isText,
  boolean: (value) => typeof value === 'boolean',
  int32: (value) => Number.isInteger(value) && (value as number) === ((value as number) | 0),
  int64: (value) => Number.isSafeInteger(value),
  double: (value) => typeof value === 'number',
  bytes: isText,
  time: isText,
  microTime: isText,
  duration: isText,
  quantity: isText,
  intOrString: (value) => typeof value === 'string' || Number.isInteger(value),
  rawExtension: isFreeObject,
  fieldsV1: isFreeObject,
  json: () => true,
  structOrBoolean: (value) => typeof value === 'boolean' || isObject(value),
  structOrList: (value) => Array.isArray(value) || isObject(value),
  structOrNames: (value) => Array.isArray(value) || isObject(value),
};

function scalarProblem(scalar: ScalarName, value: unknown): string | undefined {
  return fits[scalar](value) ? undefined : `${JSON.stringify(value)} is not of type ${scalar}.`;
}
