/** Ownership is compared without a pause, in all versions that owners speak of. Where somebody else converts between them, this waits for that. */
import type { OwnedVersion, Versions } from '../../apply/versions.ts';
import type { Converter } from '../../contract/converter.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Waiting } from '../../contract/request-context.ts';
import { copyValue } from '../../schema/copy.ts';

/** A conversion has begun that `compare` cannot go on without. */
class Waits extends Error {
  readonly converted: Promise<readonly ApiObject[]>;

  constructor(converted: Promise<readonly ApiObject[]>) {
    super('a conversion is under way');
    this.converted = converted;
  }
}

/**
 * Runs `compare`. What it converts is kept in its order: where that has to be waited for, it is run again with what is there, for it does the same
 * each time as long as the conversions give the same.
 * @param own the version of the path: as in 1.32, conversions between others go through it
 * @param find versions that are served
 * @param requireFit throws for what a converter returned and a version does not allow
 * @throws what `compare` and the converter throw
 */
export async function withConversions<T>(
  converter: Converter,
  own: OwnedVersion,
  find: Versions['find'],
  requireFit: (objects: readonly ApiObject[], version: OwnedVersion) => void,
  compare: (versions: Versions) => T,
  waiting?: Waiting,
): Promise<T> {
  const made: (readonly ApiObject[])[] = [];
  for (;;) {
    let asked = 0;
    const step = (objects: readonly ApiObject[], to: OwnedVersion): readonly ApiObject[] => {
      const known = made[asked++];
      if (known !== undefined) return known;
      const converted = converter.convert(objects.map(copyValue), to.apiVersion, waiting);
      if (converted instanceof Promise) throw new Waits(converted);
      made.push(converted);
      return converted;
    };
    const convert: Versions['convert'] = (objects, from, to) => {
      const given = objects as readonly ApiObject[];
      const isDirect = from.apiVersion === own.apiVersion || to.apiVersion === own.apiVersion;
      const converted = step(isDirect ? given : step(given, own), to);
      requireFit(converted, to);
      return converted;
    };
    try {
      return compare({ find, convert });
    } catch (error) {
      if (!(error instanceof Waits)) throw error;
      made.push(await error.converted);
    }
  }
}
