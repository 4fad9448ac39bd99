/** Reads the constraints of every struct that the server validates, and leaves out those that can find nothing. */
import type { Step, Steps, StructConstraints } from '../../../runtime/contract/constraint.ts';
import type { Model, StructModel } from '../model.ts';
import { namedIn } from '../uses.ts';
import { closedTypes } from './closed.ts';
import { ConstraintReader } from './read-constraints.ts';

/** By definition name; structs that nothing constrains are left out. */
export type Constraints = ReadonlyMap<string, StructConstraints>;

/**
 * Objects are validated in the version in which they are stored, so kinds that are converted into another version have no constraints here.
 * @param tell takes what does not fit the model, with its place in the document of the struct
 */
export function readConstraints(model: Model, tell: (struct: StructModel, place: string, problem: string) => void = () => {}): Constraints {
  const all = new Map<string, StructConstraints>();
  const withStatus = kindsWithStatus(model);
  for (const struct of validatedStructs(model)) {
    const reader = new ConstraintReader(model, (place, problem) => tell(struct, place, problem));
    all.set(struct.definition, { closed: false, ...reader.read(struct, withStatus.has(struct.definition)) });
  }
  const pruned = prune(all);
  const closed = closedTypes(pruned);
  return new Map([...pruned].map(([definition, each]) => [definition, { ...each, closed: closed.has(definition) }]));
}

function kindsWithStatus(model: Model): ReadonlySet<string> {
  return new Set(
    model.groupVersions.flatMap(({ package: name, resources }) =>
      resources.filter(({ subresources }) => subresources.some((each) => each.name === 'status')).map(({ kind }) => `${name}.${kind}`),
    ),
  );
}

function validatedStructs(model: Model): StructModel[] {
  const found = new Set<StructModel>();
  const lists = new Set(
    model.groupVersions.flatMap(({ package: name, types }) => types.map((type) => `${name}.${(type as StructModel).list}`)),
  );
  const waiting = [...model.types.values()].filter(
    (type) => type.kind === 'struct' && type.topLevel && type.conversion === undefined && !lists.has(type.definition),
  );
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.kind !== 'struct' || found.has(next)) continue;
    found.add(next);
    for (const field of next.fields) {
      const type = model.types.get(namedIn(field.type) ?? '');
      if (type !== undefined) waiting.push(type);
    }
  }
  return [...found];
}

/** Leaves out steps that lead to no constraint. Types may refer to each other in circles, so those that do are found from the constraints upwards. */
function prune(all: ReadonlyMap<string, StructConstraints>): Constraints {
  const leads: Leading = { object: leading(all, 'object'), changes: leading(all, 'changes') };
  const pruned = new Map<string, StructConstraints>();
  for (const [definition, constraints] of all) {
    const left: StructConstraints = {
      ...constraints,
      object: without(constraints.object, leads),
      changes: without(constraints.changes, leads),
      status: without(constraints.status, leads),
    };
    if (left.object.length + left.changes.length + left.status.length > 0) pruned.set(definition, left);
  }
  return pruned;
}

/** Definitions of the types whose constraints can find something, for each pass. */
interface Leading {
  readonly object: ReadonlySet<string>;
  readonly changes: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

function leading(all: ReadonlyMap<string, StructConstraints>, pass: 'object' | 'changes'): Set<string> {
  const found = new Set<string>();
  const leads: Leading = pass === 'object' ? { object: found, changes: NONE } : { object: NONE, changes: found };
  for (let grew = true; grew; ) {
    grew = false;
    for (const [definition, constraints] of all) {
      if (found.has(definition) || without(constraints[pass], leads).length === 0) continue;
      found.add(definition);
      grew = true;
    }
  }
  return found;
}

function without(steps: Steps, types: Leading): Steps {
  return steps.flatMap((step): Step[] => {
    switch (step.do) {
      case 'type':
        return types[step.changes ? 'changes' : 'object'].has(step.definition) ? [step] : [];
      case 'member':
      case 'items':
      case 'within':
      case 'first': {
        const inner = without(step.steps, types);
        return inner.length === 0 ? [] : [{ ...step, steps: inner }];
      }
      case 'entries': {
        const [keys, values] = [without(step.keys, types), without(step.values, types)];
        return keys.length + values.length === 0 ? [] : [{ ...step, keys, values }];
      }
      case 'when': {
        const [steps, otherwise] = [without(step.steps, types), without(step.otherwise, types)];
        return steps.length + otherwise.length === 0 ? [] : [{ ...step, steps, otherwise }];
      }
      case 'form': {
        const [text, number] = [without(step.text, types), without(step.number, types)];
        return text.length + number.length === 0 ? [] : [{ ...step, text, number }];
      }
      case 'union': {
        const members = step.members.map((member) => ({ ...member, steps: without(member.steps, types) }));
        const isEmpty = step.none === undefined && step.several === undefined && members.every((member) => member.steps.length === 0);
        return isEmpty ? [] : [{ ...step, members }];
      }
      default:
        return [step];
    }
  });
}
