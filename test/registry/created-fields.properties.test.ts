/** Random objects of every kind: the short way to what the creator owns finds what the comparison of any two objects finds. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomObject } from '../../codegen/policy/conversions/random-objects.ts';
import { createdFields } from '../../runtime/apply/created-fields.ts';
import { ElementError } from '../../runtime/apply/list-elements.ts';
import { managedFieldsOf } from '../../runtime/apply/managers.ts';
import { updateManagers } from '../../runtime/apply/ownership.ts';
import type { Versions } from '../../runtime/apply/versions.ts';
import type { Kind } from '../../runtime/registry/kinds/kind.ts';
import { KindVersion } from '../../runtime/registry/resource-store/kind-version.ts';
import { allKinds, nameOf } from './roundtrip/all-kinds.ts';

const RUNS = Number(process.env.ROUNDTRIP_RUNS ?? 30);
const LARGEST = 60;
const RESETS = [[], ['status', 'metadata.deletionTimestamp'], ['spec']];

const properties = suite('what creators of random objects own');

/** Objects that went the short way, over all kinds. */
let short = 0;
let all = 0;

for (const kind of await allKinds())
  properties(nameOf(kind), () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: LARGEST }), fc.constantFrom(...RESETS), (seed, size, resets) => {
        const object = kind.normalized(randomObject(kind.data.type, { seed, size }));
        delete object.metadata?.managedFields;
        const own = new KindVersion(kind, { resets });
        const found = unlessInvalid(() => createdFields(own, kind.normalized({}), object));
        all++;
        if (found === undefined) return;
        short++;
        assert.equal(
          found,
          unlessInvalid(() => comparedFields(own, kind, object)),
        );
      }),
      { numRuns: RUNS, includeErrorInReport: true },
    );
  });

properties('most objects go the short way', () => assert.ok(short > all / 2, `${short} of ${all}`));

properties.run();

function comparedFields(own: KindVersion, kind: Kind, object: object): string {
  const versions: Versions = { find: () => own, convert: (same) => same };
  const writer = { name: 'a', subresource: '', version: own };
  const managers = updateManagers(versions, kind.normalized({}), object, new Map(), writer, '2024-01-01T00:00:00Z');
  const [entry] = (managedFieldsOf(managers) ?? []) as { fieldsV1: object }[];
  return JSON.stringify(entry?.fieldsV1 ?? {});
}

/** 'invalid' for an object that its type does not allow */
function unlessInvalid<T>(find: () => T): T | 'invalid' {
  try {
    return find();
  } catch (error) {
    if (error instanceof ElementError) return 'invalid';
    throw error;
  }
}
