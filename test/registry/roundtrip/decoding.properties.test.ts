/** Random objects of every kind in every version, and of the kinds of files: decoding what was decoded changes nothing. */
import { suite } from 'uvu';
import { randomObject } from '../../../codegen/policy/conversions/random-objects.ts';
import { allKinds, fileKinds, nameOf } from './all-kinds.ts';
import { decodingLoss } from './losses.ts';
import { tryRandomObjects } from './random-cases.ts';

const decoding = suite('random objects decoded twice');

for (const kind of [...(await allKinds()), ...(await fileKinds())])
  decoding(nameOf(kind), () =>
    tryRandomObjects(
      (seed, size) => randomObject(kind.data.type, { seed, size }),
      (object) => decodingLoss(kind, object),
    ),
  );

decoding.run();
