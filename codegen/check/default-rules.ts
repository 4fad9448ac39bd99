/** Checks defaults that depend on other members: the members that a rule names exist, and their values fit the member that gets the default. */
import type { Condition, MemberTest } from '../../runtime/contract/condition.ts';
import type { DefaultRule } from '../../runtime/contract/default-rule.ts';
import type { FieldModel, Model, StructModel, TypeUse } from '../model/model.ts';
import type { CheckContext } from './check-context.ts';
import { conditionProblems } from './conditions.ts';
import { defaultProblem } from './defaults.ts';
import { memberAtPath, structOf, typeAtPath } from './members.ts';
import { placeOf } from './places.ts';

/** Stands in a path between the name of a list and a member of its elements. */
const ELEMENTS = '[*].';

type Code = 'CS019' | 'CS045' | 'CS053' | 'CS090' | 'CS091' | 'CS092';
type Problem = readonly [Code, string];

export function checkDefaultRules({ model, report }: CheckContext): void {
  const gates = new Set(model.featureGates.map((gate) => gate.name));
  for (const groupVersion of model.groupVersions)
    for (const struct of groupVersion.types) {
      if (struct.kind !== 'struct') continue;
      const check = (rules: readonly DefaultRule[], place: { file: string; path: string }): void => {
        rules.forEach((rule, index) => {
          for (const [code, problem] of problemsOf(model, struct, rule, rules.slice(0, index), gates)) report(code, place, problem);
        });
      };
      for (const { name, dependentDefaults = [] } of struct.fields) check(dependentDefaults, placeOf(groupVersion, struct, name));
      check(struct.defaults, placeOf(groupVersion, struct));
    }
}

/** @param before the rules of the same place that are tried before this one */
function problemsOf(
  model: Model,
  struct: StructModel,
  rule: DefaultRule,
  before: readonly DefaultRule[],
  gates: ReadonlySet<string>,
): Problem[] {
  const target = resolve(model, struct, rule.path);
  if (target === undefined) return [['CS045', `${struct.name} has no member ${rule.path} that could get a default.`]];
  const gate = rule.gate?.replace('!', '');
  return [
    ...(gate === undefined || gates.has(gate) ? [] : [['CS053', `There is no feature gate ${gate}.`] as const]),
    ...neverSet(target.field, rule, before),
    ...whenProblems(model, struct, target, rule.when === undefined ? [] : [rule.when].flat()),
    ...valueProblems(model, struct, target, rule),
  ];
}

interface Target {
  readonly field: FieldModel;
  /** The struct that holds the member, or leads to it through no list. */
  readonly holder: StructModel;
  /** What paths to members of the holder begin with; '' if no list leads to it. */
  readonly prefix: string;
}

function resolve(model: Model, struct: StructModel, path: string): Target | undefined {
  const lists = path.lastIndexOf(ELEMENTS);
  const prefix = lists < 0 ? '' : path.slice(0, lists + ELEMENTS.length);
  const element = prefix === '' ? undefined : typeAtPath(model, struct, prefix.slice(0, -1));
  const holder = prefix === '' ? struct : element === undefined || element === 'anything' ? undefined : structOf(model, element);
  const field = holder === undefined ? undefined : memberAtPath(model, holder, path.slice(prefix.length))?.field;
  if (holder === undefined || field === undefined || (structOf(model, field.type) !== undefined && !field.pointer)) return undefined;
  return { field, holder, prefix };
}

function neverSet(field: FieldModel, rule: DefaultRule, before: readonly DefaultRule[]): Problem[] {
  if (rule.replaces === true || rule.entriesFrom !== undefined) return [];
  if (field.default !== undefined || field.unpublishedDefault !== undefined) return [['CS090', 'The member has a default already.']];
  const always = before.find((each) => each.path === rule.path && isUnconditional(each));
  return always === undefined ? [] : [['CS090', `${rule.path} has a value by a default before this one.`]];
}

function isUnconditional({ value, when, gate, alone }: DefaultRule): boolean {
  return value !== undefined && when === undefined && gate === undefined && alone === undefined;
}

function whenProblems(model: Model, struct: StructModel, { holder, prefix }: Target, when: readonly Condition[]): Problem[] {
  return when.flatMap(Object.entries<MemberTest>).flatMap(([path, test]) => {
    const within = path.startsWith(prefix);
    const problems = conditionProblems(model, within ? holder : struct, { [within ? path.slice(prefix.length) : path]: test });
    return problems.map((problem): Problem => ['CS091', problem]);
  });
}

function valueProblems(model: Model, struct: StructModel, target: Target, rule: DefaultRule): Problem[] {
  const { value, from, as, entriesFrom } = rule;
  if ([value, from, entriesFrom].filter((each) => each !== undefined).length !== 1)
    return [['CS092', 'One of value, from and entriesFrom says what the member gets.']];
  if (as !== undefined && from === undefined) return [['CS092', 'Without from there is nothing that as could be made of.']];
  if (value !== undefined) {
    const problem = defaultProblem(model, target.field.type, value);
    return problem === undefined ? [] : [['CS019', problem]];
  }
  return [from ?? [], entriesFrom ?? []].flat().flatMap((path) => sourceProblems(model, struct, target, rule, path));
}

function sourceProblems(
  model: Model,
  struct: StructModel,
  target: Target,
  { path, as, entriesFrom }: DefaultRule,
  from: string,
): Problem[] {
  const { prefix, holder, field } = target;
  const source = from.startsWith(prefix) ? memberAtPath(model, holder, from.slice(prefix.length)) : memberAtPath(model, struct, from);
  if (source === undefined) return [['CS045', `${struct.name} has no member ${from}.`]];
  const given = shapeOf(model, source.field.type);
  const wanted = shapeOf(model, field.type);
  const fits =
    as !== undefined
      ? given === 'string' && wanted === 'string'
      : entriesFrom !== undefined
        ? given === wanted && field.type.kind === 'map'
        : given === wanted || (given === 'int32' && wanted === 'intOrString');
  return fits ? [] : [['CS092', `${path} cannot be made of ${from}: their types are ${wanted} and ${given}.`]];
}

function shapeOf(model: Model, use: TypeUse): string {
  if (use.kind === 'list') return `list of ${shapeOf(model, use.element)}`;
  if (use.kind === 'map') return `map of ${shapeOf(model, use.value)}`;
  if (use.kind === 'primitive') return use.scalar;
  const type = model.types.get(use.definition);
  return type?.kind === 'scalar' ? type.scalar : use.definition;
}
