/** Long definitions come into the registry when they have been read, and not before. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { DefinitionFollower, type DefinitionSource } from '../../../runtime/registry/definition-follower.ts';
import type { DefinitionChanges, Registry } from '../../../runtime/registry/resources/registry.ts';
import type { ResourceDefinition } from '../../../runtime/registry/resources/resource-definition.ts';
import { encodeStoredObject, StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { fillRevision } from '../../../runtime/storage/storage.ts';

const test = suite('definition follower');

const KEY = 'definitions/toys.shop.example';

function stored(revision: number, isLong: boolean): StoredObject {
  const object: ApiObject = { kind: 'D', apiVersion: 'v1', metadata: { name: 'toys.shop.example', labels: { isLong: String(isLong) } } };
  const { bytes, revisionOffset } = encodeStoredObject(object, 1, []);
  fillRevision(bytes, revisionOffset, revision);
  return new StoredObject(bytes);
}

/** What a definition is called that was made at a revision, of one that was made before. */
const made = (of: StoredObject, before?: ResourceDefinition): ResourceDefinition =>
  ({ group: 'shop.example', name: `${before === undefined ? '' : `${before.name} `}${of.resourceVersion}` }) as ResourceDefinition;

const source: DefinitionSource = {
  prefix: 'definitions',
  define: made,
  isLong: (of) => of.label('isLong') === 'true',
  *defineSlices(of) {
    for (let i = 0; i < 3; i++) yield;
    return function* (before) {
      yield;
      return made(of, before);
    };
  },
};

function follow(mayTakeLong = false): { readonly follower: DefinitionFollower; readonly names: () => string[] } {
  const served = new Set<string>();
  const registry = {
    change({ defined, removed }: DefinitionChanges) {
      for (const { name } of removed) served.delete(name);
      for (const { name } of defined) served.add(name);
    },
    *changeSlices(changes: DefinitionChanges) {
      for (let i = 0; i < 2; i++) yield;
      registry.change(changes);
    },
  } as Registry;
  const follower = new DefinitionFollower(source, registry, mayTakeLong);
  follower.settle();
  return { follower, names: () => [...served] };
}

function change(follower: DefinitionFollower, of: StoredObject | undefined): void {
  follower.change(KEY, of);
  follower.settle();
}

test('short ones, and all at the start or on a thread that nobody waits for, are there at once', () => {
  const { follower, names } = follow();
  change(follower, stored(1, false));
  assert.equal(names(), ['1']);
  assert.is(follower.underWay(), undefined);
  const other = follow(true);
  change(other.follower, stored(1, true));
  assert.equal(other.names(), ['1']);
});

test('what was there before stays until a long one is read', async () => {
  const { follower, names } = follow();
  change(follower, stored(1, false));
  change(follower, stored(2, true));
  assert.equal(names(), ['1']);
  assert.is(follower.underWay('other.example'), undefined);
  await follower.underWay('shop.example');
  assert.equal(names(), ['1 2']);
  assert.is(follower.underWay(), undefined);
});

test('what has changed again is read as it is then, and what has gone is not', async () => {
  const { follower, names } = follow();
  change(follower, stored(1, true));
  const waiting = follower.underWay();
  change(follower, stored(2, true));
  await waiting;
  assert.equal(names(), ['2']);
  change(follower, stored(3, true));
  change(follower, undefined);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(names(), []);
});

test('when all comes again, a long one that has changed is not taken for gone', async () => {
  const { follower, names } = follow();
  change(follower, stored(1, false));
  follower.reset();
  change(follower, stored(2, true));
  assert.equal(names(), ['1']);
  await follower.underWay();
  assert.equal(names(), ['1 2']);
  follower.reset();
  follower.settle();
  assert.equal(names(), []);
});

test.run();
