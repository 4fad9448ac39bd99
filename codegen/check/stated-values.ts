/** Checks defaults and examples: each is of its type, and meets the constraints that stand beside it. */
import type { FieldModel, GroupVersion, Model, StructModel } from '../model/model.ts';
import type { CheckContext } from './check-context.ts';
import { ConstrainedValues } from './constrained-values.ts';
import { defaultProblem } from './defaults.ts';
import { placeOf } from './places.ts';

export function checkStatedValues({ model, report }: CheckContext): void {
  const values = new ConstrainedValues(model);
  for (const groupVersion of model.groupVersions)
    for (const struct of groupVersion.types) {
      if (struct.kind !== 'struct') continue;
      for (const problem of exampleProblems(model, groupVersion, struct, values)) report('CS104', placeOf(groupVersion, struct), problem);
      for (const field of struct.fields) {
        const at = placeOf(groupVersion, struct, field.name);
        for (const value of defaultsOf(field))
          for (const problem of brokenBy(model, values, struct, field, value)) report('CS103', at, problem);
        if (field.example === undefined) continue;
        const problem = defaultProblem(model, field.type, field.example);
        const problems = problem === undefined ? values.ofMember(struct, field, field.example) : [problem];
        for (const each of problems) report('CS104', at, each);
      }
    }
}

/** @returns the defaults that are stated as a value */
function defaultsOf({ name, default: published, unpublishedDefault, dependentDefaults = [] }: FieldModel): unknown[] {
  const dependent = dependentDefaults.filter(({ path }) => path === name).map(({ value }) => value);
  return [published, unpublishedDefault, ...dependent].filter((value) => value !== undefined);
}

/** A default of another type is reported by another check. */
function brokenBy(model: Model, values: ConstrainedValues, struct: StructModel, field: FieldModel, value: unknown): string[] {
  return defaultProblem(model, field.type, value) === undefined ? values.ofMember(struct, field, value) : [];
}

function exampleProblems(model: Model, { group, version }: GroupVersion, struct: StructModel, values: ConstrainedValues): string[] {
  const { example, definition, topLevel, name } = struct;
  if (example === undefined) return [];
  const problem = defaultProblem(model, { kind: 'named', definition }, example);
  if (problem !== undefined) return [problem];
  const { kind, apiVersion } = example as { kind?: string; apiVersion?: string };
  const expected = group === '' ? version : `${group}/${version}`;
  if (topLevel && (kind !== name || apiVersion !== expected)) return [`It is not of kind ${name} and apiVersion ${expected}.`];
  return values.ofStruct(struct, example);
}
