/** Checks that a condition names members that exist, with values that they can have. */
import type { Condition, MemberTest } from '../../runtime/contract/condition.ts';
import type { FieldModel, Model, StructModel } from '../model/model.ts';
import { defaultProblem } from './defaults.ts';
import { memberAtPath, structOf } from './members.ts';

/**
 * @param struct the struct at which the condition's paths begin
 * @returns a sentence for each problem; [] if the condition fits
 */
export function conditionProblems(model: Model, struct: StructModel, condition: Condition): string[] {
  return Object.entries(condition).flatMap(([path, test]) => {
    const member = memberAtPath(model, struct, path);
    if (member === undefined) return [`${struct.name} has no member ${path}.`];
    const problem = testProblem(model, member.field, test);
    return problem === undefined ? [] : [`The condition on ${path}: ${problem}`];
  });
}

function testProblem(model: Model, field: FieldModel, test: MemberTest): string | undefined {
  if (isTestOf(test, 'present'))
    return structOf(model, field.type) !== undefined && !field.pointer ? 'The struct is never absent.' : undefined;
  const limits = isTestOf(test, 'above') ? [test.above] : isTestOf(test, 'below') ? [test.below] : undefined;
  if (limits !== undefined) return limits.map((limit) => defaultProblem(model, field.type, limit)).find((problem) => problem !== undefined);
  const values = [isTestOf(test, 'not') ? test.not : (test as Exclude<MemberTest, object> | readonly string[])].flat();
  return values.map((value) => valueProblem(model, field, value)).find((problem) => problem !== undefined);
}

function valueProblem(model: Model, field: FieldModel, value: unknown): string | undefined {
  if (value === '' || value === 0 || value === false)
    if (!field.pointer && !field.always) return `${JSON.stringify(value)} is left out of objects; test whether the member is present.`;
  return defaultProblem(model, field.type, value);
}

function isTestOf<K extends string>(test: MemberTest, name: K): test is Extract<MemberTest, { readonly [P in K]: unknown }> {
  return typeof test === 'object' && !Array.isArray(test) && name in test;
}
