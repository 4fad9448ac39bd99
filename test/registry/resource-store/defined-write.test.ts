/** Creations on their way to the store while the definition of their resource changes and goes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { whileDefined } from '../../../runtime/registry/resource-store/defined-write.ts';
import type { Resource } from '../../../runtime/registry/resources/resource.ts';
import type { DefiningObject } from '../../../runtime/registry/resources/resource-definition.ts';
import { encodeStoredObject, StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { MemoryStorage } from '../../../runtime/storage/memory/memory-storage.ts';
import type { Guard, StoredBytes } from '../../../runtime/storage/storage.ts';

const test = suite('writes of what definitions have brought');
const KEY = 'definitions/widgets.shop.example';

const bytes = (metadata: object = {}): StoredBytes => {
  const object = { kind: 'D', apiVersion: 'v1', metadata: { name: 'widgets.shop.example', uid: 'first', ...metadata } } as ApiObject;
  return encodeStoredObject(object, 1, []);
};
const DELETED = bytes({ deletionTimestamp: '2026-01-01T00:00:00Z' });
const EMPTIED = bytes({ deletionTimestamp: '2026-01-01T00:00:00Z', labels: { are: 'gone' } });
const definedBy: DefiningObject = { key: KEY, uid: 'first', isEmptied: async (value) => new StoredObject(value).label('are') === 'gone' };
const resourceOf = (definition?: DefiningObject) =>
  ({ groupResource: { group: 'shop.example', resource: 'widgets' }, versions: { definition } }) as unknown as Resource;

/** @param between what happens before the object is first written */
async function created(storage: MemoryStorage, byUpdate: boolean, between: () => Promise<unknown> = async () => {}): Promise<string> {
  let isFirst = true;
  const write = async (guard: Guard | undefined): Promise<number> => {
    if (isFirst) await between();
    isFirst = false;
    return storage.create('shop.example/widgets/x', bytes(), guard);
  };
  try {
    await whileDefined({ resource: resourceOf(definedBy), storage }, byUpdate, write);
    return 'created';
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    assert.is(storage.revisionOf('shop.example/widgets/x'), undefined);
    return `${error.status.code} ${error.status.message}`;
  }
}

const REFUSED = '405 create not allowed while custom resource definition is terminating';
const ROWS: readonly [
  what: string,
  change: (storage: MemoryStorage, revision: number) => Promise<unknown>,
  create: string,
  apply: string,
][] = [
  ['nothing changes', async () => {}, 'created', 'created'],
  ['it changes', (storage, revision) => storage.update(KEY, revision, bytes({ labels: { a: 'b' } })), 'created', 'created'],
  ['it is being deleted', (storage, revision) => storage.update(KEY, revision, DELETED), REFUSED, 'created'],
  ['its objects have gone with it', (storage, revision) => storage.update(KEY, revision, EMPTIED), REFUSED, REFUSED],
  [
    'another one has its name',
    async (storage, revision) => {
      await storage.delete(KEY, revision, bytes());
      await storage.create(KEY, bytes({ uid: 'second' }));
    },
    REFUSED,
    REFUSED,
  ],
  ['it goes', (storage, revision) => storage.delete(KEY, revision, bytes()), REFUSED, REFUSED],
];

for (const [what, change, create, apply] of ROWS)
  test(`an object is created though ${what}, or is refused`, async () => {
    for (const isMeanwhile of [false, true])
      for (const [byUpdate, expected] of [
        [false, create],
        [true, apply],
      ] as const) {
        const storage = new MemoryStorage();
        const revision = await storage.create(KEY, bytes());
        if (!isMeanwhile) await change(storage, revision);
        assert.is(await created(storage, byUpdate, isMeanwhile ? () => change(storage, revision) : undefined), expected);
      }
  });

test('what nothing in the store defines depends on nothing', async () => {
  const write = async (guard: Guard | undefined): Promise<number> => (guard === undefined ? 7 : 0);
  assert.is(await whileDefined({ resource: resourceOf(), storage: new MemoryStorage() }, false, write), 7);
});

test.run();
