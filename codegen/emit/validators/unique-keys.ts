/** Which elements of a list `unique` compares, and by what. */
import type { Steps, WhenStep } from '../../../runtime/contract/constraint.ts';

/** Elements that are compared with each other. */
interface UniqueKey {
  readonly set: number;
  /** members of an element that are compared; empty: the element is; undefined: some elements are not compared */
  readonly keys: readonly string[] | undefined;
}

export interface UniqueList extends Pick<UniqueKey, 'keys'> {
  /** variables: what was seen, the list, the index of the element */
  readonly seen: string;
  readonly name: string;
  readonly index: string;
}

/** @param path of the value of the steps from the element; undefined: not every element has one */
export function uniqueKeys(steps: Steps, path: readonly string[] | undefined): UniqueKey[] {
  return steps.flatMap((step): UniqueKey[] => {
    if (step.do === 'check') return step.test.name === 'unique' ? [{ set: step.test.set, keys: below(path, step.test.keys) }] : [];
    // Elements to which the condition does not apply are compared with none.
    if (step.do === 'when') return uniqueKeys([...step.steps, ...step.otherwise], isConditional(step) ? undefined : path);
    if (step.do === 'member') return uniqueKeys(step.steps, below(path, step.path));
    return step.do === 'first' || step.do === 'within' ? uniqueKeys(step.steps, path) : [];
  });
}

function isConditional({ when, gate, creating }: WhenStep): boolean {
  return when !== undefined || gate !== undefined || creating === true;
}

/** @returns undefined for members that are not the element's own */
function below(path: readonly string[] | undefined, keys: readonly string[]): readonly string[] | undefined {
  if (path === undefined || keys.length === 0) return path;
  return path.length === 0 ? keys : undefined;
}
