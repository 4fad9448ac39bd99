import type { Library } from '../environment/declarations.ts';
import { DURATION, INT } from '../types/type.ts';
import type { Duration } from '../values/value.ts';

/**
 * A deviation of 1.32 from the language definition: milliseconds of a duration are those of the whole duration, not only of its last
 * second.
 */
export const durationsLibrary: Library = {
  name: 'durations of 1.32',
  since: 0,
  functions: [
    {
      name: 'getMilliseconds',
      overloads: [
        {
          id: 'duration_to_milliseconds',
          member: true,
          parameters: [DURATION],
          result: INT,
          run: ({ nanoseconds }: Duration) => nanoseconds / 1_000_000n,
        },
      ],
    },
  ],
};
