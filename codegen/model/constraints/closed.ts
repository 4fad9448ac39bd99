/** Which types' functions depend on nothing but the value: of an object that was stored before nothing is found again. */
import type { Step, Steps, StructConstraints } from '../../../runtime/contract/constraint.ts';

/** A rule that looks at the scope of an enclosing struct may find something in a value that is the same. */
export function closedTypes(constraints: ReadonlyMap<string, StructConstraints>): ReadonlySet<string> {
  const memory = new Map<string, boolean>();
  return new Set([...constraints.keys()].filter((definition) => closed(constraints, definition, memory)));
}

type Constraints = ReadonlyMap<string, StructConstraints>;

function closed(constraints: Constraints, definition: string, memory: Map<string, boolean>): boolean {
  const remembered = memory.get(definition);
  if (remembered !== undefined) return remembered;
  // In a circle the type is as closed as what else it holds.
  memory.set(definition, true);
  const found = constraints.get(definition);
  const result = found === undefined || found.scope !== undefined || allClosed(constraints, found.object, memory);
  memory.set(definition, result);
  return result;
}

function allClosed(constraints: Constraints, steps: Steps, memory: Map<string, boolean>): boolean {
  return steps.every((step) => stepClosed(constraints, step, memory));
}

function stepClosed(constraints: Constraints, step: Step, memory: Map<string, boolean>): boolean {
  switch (step.do) {
    case 'check':
      return step.test.name !== 'holds' || !step.test.scoped;
    case 'rule':
      return !step.scoped;
    case 'type':
      return closed(constraints, step.definition, memory);
    case 'entries':
      return allClosed(constraints, [...step.keys, ...step.values], memory);
    case 'when':
      return allClosed(constraints, [...step.steps, ...step.otherwise], memory);
    case 'form':
      return allClosed(constraints, [...step.text, ...step.number], memory);
    case 'union':
      return allClosed(constraints, step.members, memory);
    default:
      return allClosed(constraints, step.steps, memory);
  }
}
