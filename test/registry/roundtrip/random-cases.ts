import fc from 'fast-check';
import * as assert from 'uvu/assert';

const RUNS = Number(process.env.ROUNDTRIP_RUNS ?? 200);
/** See RandomOptions: about so many values the largest objects have. */
const LARGEST = 60;

/**
 * Holds random objects against a check: as many as ROUNDTRIP_RUNS says.
 * @param make the same object for the same seed and size
 * @param loss what is wrong with an object; undefined where nothing is
 * @param part of that number
 * @throws Assertion that names the smallest object found, with its seed and size
 */
export function tryRandomObjects<T>(make: (seed: number, size: number) => T, loss: (object: T) => string | undefined, part = 1): void {
  const size = fc.integer({ min: 0, max: LARGEST });
  const result = fc.check(
    fc.property(fc.integer(), size, (...seedAndSize) => loss(make(...seedAndSize)) === undefined),
    { numRuns: Math.ceil(RUNS * part) },
  );
  if (result.counterexample === null) return;
  const object = make(...result.counterexample);
  assert.unreachable(`seed and size ${result.counterexample}: ${loss(object)} in ${JSON.stringify(object)}`);
}
