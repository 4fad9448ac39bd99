/** Random objects of every kind that is stored: what comes back from etcd is byte for byte what was written there. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomObject } from '../../../codegen/policy/conversions/random-objects.ts';
import type { Field } from '../../../runtime/contract/descriptor.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import type { ReadValue } from '../../../runtime/storage/etcd/value-codec.ts';
import { tryRandomObjects } from '../roundtrip/random-cases.ts';
import { codecOf, filled, storedBytes, storedKinds } from './codec-parts.ts';

const values = suite('random objects through etcd');

/** Protobuf has no empty list that is told from none. */
const tellsEmptyList = ({ type, go }: Field): boolean => type.kind === 'list' && go?.pointer === true;
const leavesOut = (_path: string, field: Field): boolean => field.number === undefined || tellsEmptyList(field);

/** Entries of managedFields that are stored say what was done. */
function withEntries(object: ApiObject): ApiObject {
  const { metadata } = object;
  const entries = metadata.managedFields?.filter((entry) => (entry as { operation?: string }).operation !== undefined) ?? [];
  if (entries.length > 0) metadata.managedFields = entries;
  else delete metadata.managedFields;
  return object;
}

/** Of as many as the round trips of each kind have: there are two forms of each, and most of their code is theirs. */
const PART = 1 / 3;

const kinds = await storedKinds();
values('are of all resources', () => assert.ok(kinds.length > 50));

for (const mediaType of ['application/vnd.kubernetes.protobuf', 'application/json']) {
  const codec = codecOf({ mediaType });
  for (const { kind, resource, prefix } of kinds) {
    const key = `${prefix}/n/x`;
    // nothing is loaded before a value comes
    const first = kind.completed({ metadata: { name: 'x' } });
    await codec.toEtcd(key, storedBytes(kind, first, resource.storedFields));
    /** What stands in etcd in another version has got that one's defaults. */
    const withDefaults = (object: ApiObject): ApiObject => {
      const { version, jsonInEtcd = version } = resource.data.storage as { version: string; jsonInEtcd?: string };
      if (jsonInEtcd === version) return object;
      const value = codec.toEtcd(key, storedBytes(kind, object, resource.storedFields)) as Uint8Array;
      return filled(codec.fromEtcd(key, value) as ReadValue).parse();
    };
    const loss = (object: ApiObject): string | undefined => {
      const stored = storedBytes(kind, object, resource.storedFields);
      const value = codec.toEtcd(key, stored) as Uint8Array;
      const before = JSON.stringify(object);
      if (Buffer.compare(codec.toEtcd(key, stored, object) as Uint8Array, value) !== 0) return 'the object itself is written otherwise';
      if (JSON.stringify(object) !== before) return 'the object is changed';
      const read = codec.fromEtcd(key, value);
      if (read instanceof Promise) return 'its kind is not loaded';
      const back = filled(read);
      if (back.bytes.equals(stored)) return read.outdated ? 'it is outdated' : undefined;
      return `${new StoredObject(stored).json}\nis\n${back.json}`;
    };
    values(`${kind.apiVersion} ${kind.kind} as ${mediaType}`, () =>
      tryRandomObjects(
        (seed, size) => withDefaults(withEntries(kind.completed(kind.completed(randomObject(kind.data.type, { seed, size, leavesOut }))))),
        loss,
        PART,
      ),
    );
  }
}

values.run();
