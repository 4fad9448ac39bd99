import type { Library } from '../environment/declarations.ts';
import { DURATION, INT } from '../types/type.ts';
import type { Duration } from '../values/value.ts';

/** Where release 1.32 differs from the definition of the language: milliseconds of a duration are all that it has, and not those beyond its seconds. */
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
