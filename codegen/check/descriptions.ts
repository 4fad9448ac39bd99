/** Checks that every type and every member says what it is for. */
import type { CheckContext } from './check-context.ts';
import { placeOf } from './places.ts';

export function checkDescriptions({ model: { all: model }, report }: CheckContext): void {
  for (const groupVersion of model.groupVersions)
    for (const type of groupVersion.types) {
      if (isBlank(type.description)) report('CS014', placeOf(groupVersion, type), `${type.name} has no description.`);
      for (const field of type.kind === 'struct' && groupVersion.structural === undefined ? type.fields : [])
        if (!field.inline && !field.typeMeta && isBlank(field.description))
          report('CS014', placeOf(groupVersion, type, field.name), `${type.name}.${field.name} has no description.`);
    }
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}
