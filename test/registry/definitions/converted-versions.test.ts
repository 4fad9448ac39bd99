/** A resource whose versions somebody else converts, who takes their time: nothing is lost, doubled or out of order, whatever the form. */
import { once } from 'node:events';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Converter } from '../../../runtime/contract/converter.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { Waiting } from '../../../runtime/contract/request-context.ts';
import { newInternalErrorOf } from '../../../runtime/status/status.ts';
import { type LmdbTestStore, lmdbStore } from '../../storage/lmdb/lmdb-store.ts';
import { type Answer, ChangingServer, type Wanted } from './server.ts';

const test = suite('versions that are converted by somebody else');
const OLD: Wanted = { group: 'shop.example', name: 'gadgets', kind: 'Gadget', versions: ['v1', 'v2'], converted: true };
/** The same with the other version stored. */
const NEW: Wanted = { ...OLD, versions: ['v2', 'v1'] };
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';

const reversed = (text: string): string => [...text].reverse().join('');

/** v1 says `one` where v2 says `two`, backwards. Objects with the member `fail` cannot be converted. */
function convertOne(object: ApiObject, apiVersion: string): ApiObject {
  if (object.apiVersion === apiVersion) return object;
  if (object.data?.fail !== undefined) throw newInternalErrorOf('conversion webhook for shop.example failed: it is broken');
  const { one, two, ...data } = object.data ?? {};
  if (one !== undefined) data.two = reversed(one);
  if (two !== undefined) data.one = reversed(two);
  return { ...object, apiVersion, data };
}

/** Answers after some turns of the event loop, as its seed has it; now and then at once. */
class SlowConverter implements Converter {
  /** lengths of what was asked for at a time */
  readonly batches: number[] = [];
  readonly signals: (AbortSignal | undefined)[] = [];
  /** until it is called nothing is answered; absent: nobody is held */
  held: Promise<void> | undefined;
  #random = 1;

  convert(objects: readonly ApiObject[], apiVersion: string, waiting?: Waiting) {
    this.batches.push(objects.length);
    this.signals.push(waiting?.signal);
    const turns = this.#next() % 5;
    return turns === 0 && this.held === undefined
      ? objects.map((each) => convertOne(each, apiVersion))
      : this.#later(objects, apiVersion, turns);
  }

  async #later(objects: readonly ApiObject[], apiVersion: string, turns: number): Promise<ApiObject[]> {
    await this.held;
    for (let i = 0; i < turns; i++) await new Promise(setImmediate);
    return objects.map((each) => convertOne(each, apiVersion));
  }

  seed(seed: number): void {
    this.#random = seed;
  }

  #next(): number {
    this.#random = (Math.imul(this.#random, 1_103_515_245) + 12_345) & 0x7fffffff;
    return this.#random >> 8;
  }
}

let store: LmdbTestStore;
let server: ChangingServer;
let converter: SlowConverter;
test.before.each(async () => {
  converter = new SlowConverter();
  store = await lmdbStore();
  server = await ChangingServer.over(store.storage, converter);
  await server.define(OLD);
});
test.after.each(async () => {
  await server.close();
  await store.remove();
});

const gadgets = (version: string) => `/apis/shop.example/${version}/namespaces/a/gadgets`;
const gadget = (version: string, name: string, data: object, metadata: object = {}) => ({
  kind: 'Gadget',
  apiVersion: `shop.example/${version}`,
  metadata: { name, ...metadata },
  data,
});
const send = (method: string, path: string, body: unknown, type = 'application/json') => server.request(method, path, { body, type });
const dataOf = ({ body }: Answer): unknown => body.data;
const create = (version: string, name: string, data: object, metadata = {}) =>
  send('POST', gadgets(version), gadget(version, name, data, metadata));

async function createSome(): Promise<void> {
  for (let i = 0; i < 12; i++)
    await create(i % 2 === 0 ? 'v1' : 'v2', `g${String(i).padStart(2, '0')}`, i % 2 === 0 ? { one: `a${i}` } : { two: `b${i}` });
}

test('one object is written and read in each version, however it is stored', async () => {
  const made = await create('v2', 'x', { two: 'abc' });
  assert.equal([made.status, made.body.apiVersion, dataOf(made)], [201, 'shop.example/v2', { two: 'abc' }]);
  const read = await server.request('GET', `${gadgets('v1')}/x`);
  assert.equal([read.status, read.body.apiVersion, dataOf(read)], [200, 'shop.example/v1', { one: 'cba' }]);
  assert.is(read.body.metadata.resourceVersion, made.body.metadata.resourceVersion);
  const put = await send('PUT', `${gadgets('v1')}/x`, { ...read.body, data: { one: 'fed', more: '1' } });
  assert.equal([put.status, dataOf(put)], [200, { one: 'fed', more: '1' }]);
  const patched = await send('PATCH', `${gadgets('v2')}/x`, { data: { two: 'xyz' } }, MERGE);
  assert.equal([patched.status, dataOf(patched)], [200, { two: 'xyz', more: '1' }]);
  const deleted = await server.request('DELETE', `${gadgets('v2')}/x`);
  assert.is(deleted.status, 200);
  assert.is((await server.request('GET', `${gadgets('v1')}/x`)).status, 404);
});

test('what was stored in a version that is stored no longer is read as before, and stored anew by whoever writes it', async () => {
  await createSome();
  await server.define(NEW);
  const before = (await server.request('GET', `${gadgets('v1')}/g00`)).body;
  assert.equal(before.data, { one: 'a0' });
  const asked = converter.batches.length;
  await server.request('GET', `${gadgets('v1')}/g00`);
  assert.is(converter.batches.length, asked, 'it is of that version already');
  const same = await send('PUT', `${gadgets('v2')}/g00`, gadget('v2', 'g00', { two: '0a' }));
  assert.is.not(same.body.metadata.resourceVersion, before.metadata.resourceVersion);
  const again = await send('PUT', `${gadgets('v2')}/g00`, gadget('v2', 'g00', { two: '0a' }));
  assert.is(again.body.metadata.resourceVersion, same.body.metadata.resourceVersion);
});

test('no conversion is asked for where the version is the one that is stored', async () => {
  await create('v1', 'x', { one: 'abc' });
  await server.request('GET', `${gadgets('v1')}/x`);
  await server.request('GET', gadgets('v1'));
  await send('PATCH', `${gadgets('v1')}/x`, { data: { one: 'xyz' } }, MERGE);
  assert.equal(converter.batches, []);
});

test('a page of all objects has no more converted than it shows, and one of chosen objects looks further', async () => {
  await createSome();
  const before = converter.batches.length;
  const page = await server.request('GET', `${gadgets('v2')}?limit=5`);
  assert.is(page.body.items.length, 5);
  assert.equal(converter.batches.slice(before), [5]);
  const chosen = await server.request('GET', `${gadgets('v2')}?limit=1&fieldSelector=metadata.name%3Dg07`);
  assert.is(chosen.body.items.length, 1);
});

for (const definition of [OLD, NEW])
  for (const version of ['v1', 'v2'])
    test(`lists in ${version} with ${definition.versions[0]} stored have what single gets have, in all forms and pages`, async () => {
      await createSome();
      await server.define(definition);
      const names = Array.from({ length: 12 }, (_, i) => `g${String(i).padStart(2, '0')}`);
      const single = await Promise.all(names.map(async (name) => (await server.request('GET', `${gadgets(version)}/${name}`)).body));
      const items = single.map(({ kind: _kind, apiVersion: _version, ...rest }) => rest);
      converter.batches.length = 0;
      const whole = await server.request('GET', gadgets(version));
      assert.equal([whole.body.kind, whole.body.apiVersion], ['GadgetList', `shop.example/${version}`]);
      assert.equal(whole.body.items, items);
      assert.ok(converter.batches.length <= 1, 'a slice is one batch');
      const paged: unknown[] = [];
      for (let token = ''; ; ) {
        const { body } = await server.request('GET', `${gadgets(version)}?limit=5&continue=${token}`);
        paged.push(...body.items);
        token = body.metadata.continue ?? '';
        if (token === '') break;
        assert.is(body.items.length, 5);
      }
      assert.equal(paged, items);
      const { body: table } = await server.request('GET', `${gadgets(version)}?includeObject=Object`, { accept: TABLE });
      assert.equal(
        table.rows.map(({ object }: { object: unknown }) => object),
        single,
      );
      const { body: metadata } = await server.request('GET', gadgets(version), { accept: METADATA });
      assert.equal(
        metadata.items.map((item: ApiObject) => item.metadata),
        single.map((each) => each.metadata),
      );
      const { body: selected } = await server.request('GET', `${gadgets(version)}?fieldSelector=metadata.name=g03`);
      assert.equal(selected.items, [items[3]]);
    });

async function* eventsOf(path: string): AsyncGenerator<{ type: string; object: ApiObject }> {
  const response = await server.open('GET', path, {});
  let text = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop() as string;
      for (const line of lines) yield JSON.parse(line);
    }
  } finally {
    response.destroy();
  }
}

test('watches tell every change once and in order, in their version', () =>
  fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.array(fc.tuple(fc.nat(2), fc.constantFrom('v1', 'v2')), { minLength: 1, maxLength: 25 }),
      async (seed, writes) => {
        converter.seed(seed);
        const { body: list } = await server.request('GET', gadgets('v1'));
        const since = list.metadata.resourceVersion;
        const wanted: [string, string, string][] = [];
        const present = new Set<string>(list.items.map(({ metadata }: ApiObject) => metadata.name));
        const watches = ['v1', 'v2', 'v2'].map((version) => ({
          version,
          events: eventsOf(`${gadgets(version)}?watch=1&resourceVersion=${since}&timeoutSeconds=20`),
        }));
        const begun = watches.map(({ events }) => events.next());
        for (const [index, [object, version]] of writes.entries()) {
          const name = `w${object}`;
          const data = version === 'v1' ? { one: `t${since}-${index}` } : { two: reversed(`t${since}-${index}`) };
          if (!present.has(name)) {
            await create(version, name, data);
            present.add(name);
            wanted.push(['ADDED', name, `t${since}-${index}`]);
          } else if (index % 4 === 3) {
            await server.request('DELETE', `${gadgets(version)}/${name}`);
            present.delete(name);
            wanted.push(['DELETED', name, '']);
          } else {
            await send('PATCH', `${gadgets(version)}/${name}`, { data }, MERGE);
            wanted.push(['MODIFIED', name, `t${since}-${index}`]);
          }
        }
        for (const [at, { version, events }] of watches.entries()) {
          const got: [string, string, string][] = [];
          for (let step = await begun[at]; step?.done === false; step = await events.next()) {
            const { type, object } = step.value;
            assert.is(object.apiVersion, `shop.example/${version}`);
            const text = version === 'v1' ? object.data?.one : reversed(object.data?.two ?? '');
            got.push([type, object.metadata.name ?? '', type === 'DELETED' ? '' : text]);
            if (got.length === wanted.length) break;
          }
          await events.return(undefined);
          assert.equal(got, wanted);
        }
      },
    ),
    { numRuns: 8 },
  ));

test('an applier gives up a field in another version than it applied it in, and conflicts are found across versions', async () => {
  const apply = (version: string, manager: string, data: object, force = '') =>
    send('PATCH', `${gadgets(version)}/x?fieldManager=${manager}${force}`, gadget(version, 'x', data), APPLY);
  assert.is((await apply('v1', 'me', { one: 'abc', mine: '1' })).status, 201);
  const other = await apply('v2', 'you', { two: 'zzz' });
  assert.is(other.status, 409);
  const forced = await apply('v2', 'you', { two: 'zzz' }, '&force=true');
  assert.equal([forced.status, dataOf(forced)], [200, { two: 'zzz', mine: '1' }]);
  const owners = forced.body.metadata.managedFields.map(({ manager, apiVersion }: { manager: string; apiVersion: string }) => [
    manager,
    apiVersion,
  ]);
  assert.equal(owners, [
    ['me', 'shop.example/v1'],
    ['you', 'shop.example/v2'],
  ]);
  const left = await apply('v2', 'me', { more: '2' });
  assert.equal([left.status, dataOf(left)], [200, { two: 'zzz', more: '2' }]);
});

test('an object that cannot be converted is an error that says why, and ends lists and watches of its version alone', async () => {
  await create('v1', 'good', { one: 'abc' });
  const events = eventsOf(`${gadgets('v2')}?watch=1&timeoutSeconds=20`);
  const first = await events.next();
  assert.equal([first.value.type, first.value.object.metadata.name], ['ADDED', 'good']);
  assert.is((await create('v1', 'bad', { fail: 'yes' })).status, 201);
  const told = await events.next();
  assert.equal([told.value.type, told.value.object.code], ['ERROR', 500]);
  assert.ok((await events.next()).done);
  for (const path of [gadgets('v2'), `${gadgets('v2')}/bad`]) {
    const { status, body } = await server.request('GET', path);
    assert.equal([status, body.message], [500, 'Internal error occurred: conversion webhook for shop.example failed: it is broken']);
  }
  assert.is((await send('PATCH', `${gadgets('v2')}/bad`, { data: { a: 'b' } }, MERGE)).status, 500);
  assert.is((await server.request('GET', gadgets('v1'))).body.items.length, 2);
});

test('a client that leaves ends the conversion that it waits for', async () => {
  await create('v1', 'x', { one: 'abc' });
  for (const path of [gadgets('v2'), `${gadgets('v2')}/x`]) {
    const { promise, resolve } = Promise.withResolvers<void>();
    converter.held = promise;
    converter.signals.length = 0;
    const leaving = new AbortController();
    const gone = fetch(`http://127.0.0.1:${server.port}${path}`, { signal: leaving.signal }).catch(() => undefined);
    while (converter.signals.length === 0) await new Promise(setImmediate);
    const [signal] = converter.signals as [AbortSignal];
    const aborted = once(signal, 'abort');
    leaving.abort();
    await gone;
    await aborted;
    resolve();
    converter.held = undefined;
  }
});

test.run();
