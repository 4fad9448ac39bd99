/** Lists whose snapshot is compacted, before they are read and while they are. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Part, Span } from '../../../runtime/contract/trace.ts';
import { decodeContinue } from '../../../runtime/registry/lists/continue-token.ts';
import { ObjectList } from '../../../runtime/registry/lists/list.ts';
import type { ResourceStore } from '../../../runtime/registry/resource-store/resource-store.ts';
import { EVERYTHING } from '../../../runtime/registry/selection/selection.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import type { Scan, ScanOptions, Storage } from '../../../runtime/storage/storage.ts';
import { partUnderWay } from '../../../runtime/storage/traced-part.ts';
import { TestCluster } from '../../controllers/server.ts';
import { identity } from '../../kinds/context.ts';

const VERSION = identity.text('meta.${groupDomain}/v1');
const test = suite('lists of a snapshot that is gone');
let cluster: TestCluster;
test.before.each(async () => {
  cluster = await TestCluster.create();
  for (const name of ['a', 'b', 'c']) await create(name);
});
test.after.each(() => cluster.remove());

const create = (name: string) => cluster.create('v1', 'configmaps', { metadata: { name, namespace: 'n' } });

async function open(query: { continue?: string; resourceVersion?: string; limit?: number }): Promise<ObjectList> {
  const { server } = cluster;
  const store = await server.store(cluster.resource('v1', 'configmaps'));
  const options = {
    selection: EVERYTHING,
    resourceVersion: '',
    resourceVersionMatch: '',
    limit: 0,
    continue: '',
    namespace: 'n',
    ...query,
  };
  return ObjectList.open(store, server.storage, server.identity, options);
}

function namesOf(list: ObjectList): string[] {
  const names: string[] = [];
  for (const _slice of list.slices({ add: ({ key }) => names.push(key.slice(key.lastIndexOf('/') + 1)) }));
  return names;
}

/** A change, and nothing of what was before it. */
async function forget(): Promise<void> {
  await create('later');
  const { storage } = cluster.server;
  await storage.compact(storage.currentRevision());
}

function refusal(act: () => unknown): StatusError {
  try {
    act();
  } catch (error) {
    assert.instance(error, StatusError);
    return error as StatusError;
  }
  throw new Error('it was not refused');
}

test('what is read for a part of a trace is read within it, slice by slice, converted or not', async () => {
  const { server } = cluster;
  const store = await server.store(cluster.resource('v1', 'configmaps'));
  const part = { name: 'part' } as unknown as Span;
  const seen = new Set<Part | undefined>();
  const storage = new Proxy<Storage>(server.storage, {
    get(target, name) {
      if (name !== 'scan') return (target[name as keyof Storage] as () => unknown).bind(target);
      return (options: ScanOptions): Scan => {
        const scan = target.scan(options);
        return {
          next(visit) {
            seen.add(partUnderWay());
            return scan.next(visit);
          },
        };
      };
    },
  });
  const options = { selection: EVERYTHING, resourceVersion: '', resourceVersionMatch: '', limit: 2, continue: '', namespace: 'n' };
  for (const converts of [false, true]) {
    const read = Object.create(store, { converts: { value: converts } }) as ResourceStore;
    for (const within of [part, undefined]) {
      const told: number[] = [];
      seen.clear();
      const list = await ObjectList.open(read, storage, server.identity, {
        ...options,
        ...(within && { reading: { part: within, done: (looked, count) => void told.push(looked, count), end() {} } }),
      });
      for (const _slice of list.slices({ add: () => 1 })) assert.is(partUnderWay(), undefined);
      assert.equal([...seen], [within]);
      assert.is(list.count, 2);
      if (within !== undefined) assert.equal(told, [2, 2]);
    }
  }
});

const TOO_OLD = 'The resourceVersion for the provided list is too old.';

test('while it is read', async () => {
  const list = await open({});
  await forget();
  const { code, status } = refusal(() => namesOf(list));
  assert.equal([code, status.message, status.metadata], [410, TOO_OLD, {}]);
});

test('while a page is read: its token goes on in the present', async () => {
  const first = await open({ limit: 1 });
  assert.equal(namesOf(first), ['a']);
  const page = await open({ limit: 1, continue: first.outcome.continue });
  await forget();
  const { code, status } = refusal(() => namesOf(page));
  assert.is(code, 410);
  assert.match(status.message ?? '', /^The provided continue parameter is too old/);
  const { continue: token = '' } = status.metadata as { continue?: string };
  assert.is(decodeContinue(token, VERSION).revision, -1);
  assert.equal(namesOf(await open({ continue: token })), ['b', 'c', 'later']);
});

test('before a page is asked for', async () => {
  const first = await open({ limit: 1 });
  namesOf(first);
  await forget();
  const error = await open({ limit: 1, continue: first.outcome.continue }).catch((each: unknown) => each);
  assert.instance(error, StatusError);
  assert.match((error as StatusError).message, /^The provided continue parameter is too old/);
});

test('a token goes with no revision but 0', async () => {
  const first = await open({ limit: 1 });
  namesOf(first);
  const { continue: token } = first.outcome;
  assert.equal(namesOf(await open({ continue: token, resourceVersion: '0', limit: 1 })), ['b']);
  const error = await open({ continue: token, resourceVersion: '1' }).catch((each: unknown) => each);
  assert.instance(error, StatusError);
  const { code, message } = error as StatusError;
  assert.equal([code, message], [400, 'specifying resource version is not allowed when using continue']);
});

test('without a token 0 means all, however few are asked for', async () => {
  assert.equal(namesOf(await open({ resourceVersion: '0', limit: 1 })), ['a', 'b', 'c']);
});

test.run();
