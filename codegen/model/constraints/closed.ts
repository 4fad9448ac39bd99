/** Finds the types whose constraints depend on the value alone. A value of such a type that equals the stored one needs no second look on an update. */
import type { Step, Steps, StructConstraints } from '../../../runtime/contract/constraint.ts';

/**
 * A type is open if a rule in it looks at the scope of an enclosing struct: such a rule may find something in a value that has not changed. So is every type
 * that leads to an open one without making the scope itself.
 */
export function closedTypes(constraints: ReadonlyMap<string, StructConstraints>): ReadonlySet<string> {
  const open = new Set<string>();
  // Types may refer to each other in circles, so open types are collected until there are no more.
  for (let grew = true; grew; ) {
    grew = false;
    for (const [definition, { scope, object }] of constraints) {
      if (open.has(definition) || scope !== undefined || allClosed(object, open)) continue;
      open.add(definition);
      grew = true;
    }
  }
  return new Set([...constraints.keys()].filter((definition) => !open.has(definition)));
}

function allClosed(steps: Steps, open: ReadonlySet<string>): boolean {
  return steps.every((step) => stepClosed(step, open));
}

function stepClosed(step: Step, open: ReadonlySet<string>): boolean {
  switch (step.do) {
    case 'check':
      return step.test.name !== 'holds' || !step.test.scoped;
    case 'rule':
      return !step.scoped;
    case 'type':
      return !open.has(step.definition);
    case 'entries':
      return allClosed([...step.keys, ...step.values], open);
    case 'when':
      return allClosed([...step.steps, ...step.otherwise], open);
    case 'form':
      return allClosed([...step.text, ...step.number], open);
    case 'union':
      return allClosed(step.members, open);
    default:
      return allClosed(step.steps, open);
  }
}
