/** Constraints that ajv can compile. */
import { compileConstraints } from '../emit/constraints.ts';
import type { GroupVersion, JsonSchema } from '../model/model.ts';
import type { CheckContext } from './check-context.ts';
import { placeOf } from './places.ts';

export function checkConstraints({ model, report }: CheckContext): void {
  for (const groupVersion of model.groupVersions) {
    const constraints = constraintsOf(groupVersion);
    // Nearly always all are in order, which one look tells.
    if (problemOf(constraints.map(({ schema }) => schema)) === undefined) continue;
    for (const { at, schema } of constraints) {
      const problem = problemOf([schema]);
      if (problem !== undefined) report('CS024', at, `${problem}.`);
    }
  }
}

function constraintsOf(groupVersion: GroupVersion): { at: { file: string; path: string }; schema: JsonSchema }[] {
  return groupVersion.types.flatMap((type) => {
    if (type.kind !== 'struct') return [];
    const fields = type.fields.map(({ name, validation }) => ({ at: placeOf(groupVersion, type, name), schema: validation }));
    const all = [{ at: placeOf(groupVersion, type), schema: type.validation }, ...fields];
    return all.flatMap(({ at, schema }) => (schema === undefined ? [] : [{ at, schema }]));
  });
}

function problemOf(schemas: readonly JsonSchema[]): string | undefined {
  if (schemas.length === 0) return undefined;
  try {
    compileConstraints(new Map(schemas.map((schema, index) => [`Constraint${index}`, schema])));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
