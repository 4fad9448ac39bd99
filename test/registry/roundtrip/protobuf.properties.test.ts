/** Random objects of every kind in every version: nothing is lost on the way through protobuf. */
import { suite } from 'uvu';
import { randomObject } from '../../../codegen/policy/conversions/random-objects.ts';
import type { Field } from '../../../runtime/contract/descriptor.ts';
import { allKinds, nameOf } from './all-kinds.ts';
import { protobufLoss } from './losses.ts';
import { tryRandomObjects } from './random-cases.ts';

const protobuf = suite('random objects through protobuf');

/** What has no number is never in protobuf: kind and apiVersion (of the whole object they stand in the envelope), and members of any JSON value. */
const leavesOut = (_path: string, field: Field): boolean => field.number === undefined;

for (const kind of await allKinds())
  protobuf(nameOf(kind), () =>
    tryRandomObjects(
      (seed, size) => kind.normalized(randomObject(kind.data.type, { seed, size, leavesOut })),
      (object) => protobufLoss(kind, object),
    ),
  );

protobuf.run();
