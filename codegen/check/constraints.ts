/** Checks that constraints name members, formats and rules that exist, and that some value can meet them. */
import type { Step, Steps } from '../../runtime/contract/constraint.ts';
import { formatTableOf } from '../../runtime/validation/formats.ts';
import { readConstraints } from '../model/constraints/constraints.ts';
import { RULES_FOLDER, type RuleFiles } from '../read/rule-files.ts';
import type { CheckContext } from './check-context.ts';

export function checkConstraints({ model, sources: { ruleFiles }, report }: CheckContext): void {
  const sources = new Map(model.groupVersions.map(({ folder, source }) => [folder, source]));
  const constraints = readConstraints(model, (struct, place, problem) =>
    report('CS024', { file: sources.get(struct.folder) ?? '', path: place }, problem),
  );
  for (const [definition, { scope, object, changes, status }] of constraints) {
    const struct = model.types.get(definition);
    const at = { file: sources.get(struct?.folder ?? '') ?? '', path: `components.schemas.${struct?.name}` };
    for (const problem of new Set([object, changes, status].flatMap((steps) => problemsOf(steps)))) report('CS024', at, problem);
    for (const rule of new Set([...[object, changes, status].flatMap(rulesOf), ...(scope === undefined ? [] : [scope])])) {
      checkRule(rule, ruleFiles, (problem) => report('CS070', at, problem));
    }
  }
}

/** @param place of the value in the type, such as `.colour`; '' for the whole */
function problemsOf(steps: Steps, place = ''): string[] {
  const own = [...boundProblems(steps), ...steps.flatMap(ownProblems)];
  const inner = steps.flatMap((step) => innerSteps(step).flatMap((each) => problemsOf(each, place + placeIn(step))));
  return [...own.map((problem) => (place === '' ? problem : `${place.replace(/^\./, '')}: ${problem}`)), ...inner];
}

function placeIn(step: Step): string {
  if (step.do === 'member') return step.path.map((name) => `.${name}`).join('');
  if (step.do === 'items') return '[]';
  return step.do === 'entries' ? '{}' : '';
}

/** Finds a lower and an upper bound of one value between which there is nothing. */
function boundProblems(steps: Steps): string[] {
  const tests = steps.flatMap((step) => (step.do === 'check' ? [step.test] : []));
  const limitOf = (name: string): number | undefined =>
    tests.flatMap((test) => (test.name === name && 'limit' in test && typeof test.limit === 'number' ? [test.limit] : []))[0];
  return BOUNDS.flatMap(([least, most]) => {
    const [low, high] = [limitOf(least), limitOf(most)];
    return low !== undefined && high !== undefined && low > high ? [`Nothing has both the ${least} ${low} and the ${most} ${high}.`] : [];
  });
}

const BOUNDS = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

function rulesOf(steps: Steps): string[] {
  return steps.flatMap((step) => [...ownRules(step), ...innerSteps(step).flatMap(rulesOf)]);
}

function ownRules(step: Step): string[] {
  if (step.do === 'rule') return [step.rule];
  return step.do === 'check' && step.test.name === 'holds' ? [step.test.rule] : [];
}

function checkRule(rule: string, files: RuleFiles, tell: (problem: string) => void): void {
  const [file = '', name = ''] = rule.split('#');
  const exported = files.get(file);
  if (exported === undefined) tell(`There is no file ${RULES_FOLDER}/${file}.ts.`);
  else if (!exported.has(name)) tell(`${RULES_FOLDER}/${file}.ts exports no ${name}.`);
}

function innerSteps(step: Step): Steps[] {
  switch (step.do) {
    case 'member':
    case 'items':
    case 'first':
    case 'within':
      return [step.steps];
    case 'entries':
      return [step.keys, step.values];
    case 'when':
      return [step.steps, step.otherwise];
    case 'form':
      return [step.text, step.number];
    case 'union':
      return step.members.map((member) => member.steps);
    default:
      return [];
  }
}

function ownProblems(step: Step): string[] {
  if (step.do !== 'check') return [];
  const { test } = step;
  if (test.name === 'format')
    return test.formats.filter((name) => formatTableOf(name) === undefined).map((name) => `There is no format ${name}.`);
  if (test.name === 'pattern') return patternProblems(test.pattern);
  if (test.name === 'range' && test.lowest > test.highest) return [`No number is from ${test.lowest} to ${test.highest}.`];
  if (test.name === 'span' && test.longest !== undefined && BigInt(test.shortest) > BigInt(test.longest))
    return ['The shortest duration is longer than the longest.'];
  if (test.name === 'enum' && test.values.length === 0) return ['The set of values is empty.'];
  return [];
}

/** @returns what is wrong with the source of a regular expression, as a sentence; [] if nothing is */
export function patternProblems(pattern: string): string[] {
  try {
    new RegExp(pattern);
    return [];
  } catch (error) {
    return [`The pattern ${pattern} is none: ${(error as Error).message}.`];
  }
}
