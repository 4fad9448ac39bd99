/** Random objects of every kind in every version: nothing is lost on the way through protobuf. */
import { suite } from 'uvu';
import { randomObject } from '../../../codegen/policy/conversions/random-objects.ts';
import type { Field } from '../../../runtime/contract/descriptor.ts';
import { allKinds, nameOf } from './all-kinds.ts';
import { protobufLoss } from './losses.ts';
import { tryRandomObjects } from './random-cases.ts';

const protobuf = suite('random objects through protobuf');

/** An empty list that is not the same as none: protobuf has none of these. */
const tellsEmptyList = ({ type, go }: Field): boolean => typeof type === 'object' && type.kind === 'list' && go?.pointer === true;

/**
 * What has no number is never in protobuf: kind and apiVersion (of the whole object they stand in the envelope), and members of any JSON value. Lists of which
 * an empty one is told from none are refused where they are empty, and nobody stores one.
 */
const leavesOut = (_path: string, field: Field): boolean => field.number === undefined || tellsEmptyList(field);

for (const kind of await allKinds())
  protobuf(nameOf(kind), () =>
    tryRandomObjects(
      (seed, size) => kind.normalized(randomObject(kind.data.type, { seed, size, leavesOut })),
      (object) => protobufLoss(kind, object),
    ),
  );

protobuf.run();
