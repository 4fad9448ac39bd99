/** Ownership is compared without a pause, in all versions that owners speak of. Where somebody else converts between them, this waits for that. */
import type { OwnedVersion, Versions } from '../apply/versions.ts';
import type { Converter } from '../contract/converter.ts';
import type { ApiObject } from '../contract/object.ts';
import type { Waiting } from '../contract/request-context.ts';
import { copyValue } from '../schema/copy.ts';

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
 * @param find versions that are served
 * @param normalized gives what a converter returned the form that objects of a version have
 * @throws what `compare` and the converter throw
 */
export async function withConversions<T>(
  converter: Converter,
  find: Versions['find'],
  normalized: (object: ApiObject, version: OwnedVersion) => object,
  compare: (versions: Versions) => T,
  waiting?: Waiting,
): Promise<T> {
  const made: (readonly object[])[] = [];
  for (;;) {
    let asked = 0;
    const convert: Versions['convert'] = (objects, _from, to) => {
      const known = made[asked++];
      if (known !== undefined) return known;
      const converted = converter.convert(
        objects.map((object) => copyValue(object as ApiObject)),
        to.apiVersion,
        waiting,
      );
      if (converted instanceof Promise) throw new Waits(converted.then((all) => all.map((object) => normalized(object, to) as ApiObject)));
      const all = converted.map((object) => normalized(object, to));
      made.push(all);
      return all;
    };
    try {
      return compare({ find, convert });
    } catch (error) {
      if (!(error instanceof Waits)) throw error;
      made.push(await error.converted);
    }
  }
}
