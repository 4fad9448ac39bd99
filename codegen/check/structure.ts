/** Finds structs that would contain themselves without end, because a member that is not a pointer always has a value. */
import type { Model, StructModel } from '../model/model.ts';
import type { CheckContext } from './check-context.ts';
import { structOf } from './members.ts';
import { placeOf } from './places.ts';

export function checkStructure({ model, report }: CheckContext): void {
  for (const groupVersion of model.groupVersions)
    for (const type of groupVersion.types) {
      const circle = type.kind === 'struct' ? circleThrough(model, type, type, new Set()) : undefined;
      if (circle !== undefined) report('CS025', placeOf(groupVersion, type), `Every ${[type.name, ...circle].join(' holds a ')}.`);
    }
}

/** @returns names of the structs on the way from `from` back to `start`; undefined if there is no way */
function circleThrough(model: Model, start: StructModel, from: StructModel, seen: Set<StructModel>): string[] | undefined {
  if (seen.has(from)) return undefined;
  seen.add(from);
  for (const field of from.fields) {
    const inner = field.pointer ? undefined : structOf(model, field.type);
    if (inner === undefined) continue;
    if (inner === start) return [start.name];
    const rest = circleThrough(model, start, inner, seen);
    if (rest !== undefined) return [inner.name, ...rest];
  }
  return undefined;
}
