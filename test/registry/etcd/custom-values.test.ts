/** Custom resources in etcd: JSON, which is kept as it is for whoever reads it by what is defined then. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ListMeta, ObjectMeta } from '../../../generated/meta/v1/descriptors.ts';
import { renaming } from '../../../runtime/custom-resources/conversion/converter-of.ts';
import { customKinds } from '../../../runtime/custom-resources/custom-kinds.ts';
import { customResource } from '../../../runtime/custom-resources/custom-resource.ts';
import type { CustomDefinition, CustomVersion } from '../../../runtime/custom-resources/definition.ts';
import { ResourceReader } from '../../../runtime/registry/resource-store/resource-reader.ts';
import { VersionView } from '../../../runtime/registry/resource-store/version-view.ts';
import { Registry } from '../../../runtime/registry/resources/registry.ts';
import type { Resource } from '../../../runtime/registry/resources/resource.ts';
import type { ResourceDefinition } from '../../../runtime/registry/resources/resource-definition.ts';
import { StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { decodeCbor } from '../../../runtime/schema/cbor/decode.ts';
import { encodeCborDocument } from '../../../runtime/schema/cbor/encode.ts';
import type { ReadValue, ValueCodec } from '../../../runtime/storage/etcd/value-codec.ts';
import type { Storage } from '../../../runtime/storage/storage.ts';
import { builtIn, codecOf, filled } from './codec-parts.ts';

const values = suite('custom resources in etcd');
const KEY = 'example.com/widgets/n/a';
const PREFIX = 'example.com/widgets';

const text = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
/** Go has the members of maps in the order of their names. */
const widget = (members: object = {}, metadata: object = {}, version = 'v1') => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: {
    creationTimestamp: '2024-02-29T12:00:00Z',
    generation: 1,
    labels: { a: 'b' },
    managedFields: [
      {
        apiVersion: 'example.com/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { '.': {}, 'f:color': {} } },
        manager: 'm',
        operation: 'Update',
        time: '2024-02-29T12:00:00Z',
      },
    ],
    name: 'a',
    namespace: 'n',
    uid: 'u',
    ...metadata,
  },
  spec: { color: 'red', ...members },
});

const version = (name: string, storage: boolean, size: object = {}): CustomVersion => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { color: { type: 'string' }, size: { type: 'integer', ...size } } } },
    },
  },
  selectableFields: [{ jsonPath: '.spec.color' }],
});

/** A registry with the definition, whose kinds are loaded as when somebody has used them. */
async function registryOf(versions: readonly CustomVersion[]): Promise<Registry> {
  const names = { plural: 'widgets', kind: 'Widget' };
  const definition: CustomDefinition = { spec: { group: 'example.com', scope: 'Namespaced', names, versions } };
  const registry = new Registry(builtIn);
  const metadata = { objectMeta: ObjectMeta, listMeta: ListMeta };
  const defined = {
    group: 'example.com',
    name: 'widgets',
    kinds: ['Widget', 'WidgetList'],
    versions: versions.map((each) => ({ version: each.name, resource: customResource(definition, each, false) })),
    load: async (name: string) => customKinds(definition, name, 11 + versions.findIndex((each) => each.name === name), metadata),
    ...(versions.length > 1 && { converter: renaming(versions.map((each) => `example.com/${each.name}`)) }),
  } as unknown as ResourceDefinition;
  registry.change({ defined: [defined], removed: [] });
  for (const { name } of versions) await registry.current.kind('example.com', name, 'Widget');
  return registry;
}

const codecWith = (registry: Registry): ValueCodec => codecOf({ customResource: (prefix) => registry.current.storedAt(prefix) });
const read = async (codec: ValueCodec, value: Uint8Array): Promise<ReadValue> => codec.fromEtcd(KEY, value);

function readerOf(registry: Registry): ResourceReader {
  const resource = registry.current.storedAt(PREFIX) as Resource;
  const hub = registry.current.loadedKind('example.com', 'v1', 'Widget');
  return new ResourceReader(resource, hub as NonNullable<typeof hub>, {} as Storage);
}

values('what says all that would be stored is as if it had been stored', async () => {
  const registry = await registryOf([version('v1', true)]);
  const codec = codecWith(registry);
  const value = await read(codec, text(widget()));
  assert.is(value.outdated, undefined);
  const stored = filled(value);
  const reader = readerOf(registry);
  assert.is(reader.isCurrent(stored), true);
  assert.equal(stored.fields, ['red']);
  assert.equal(stored.labels, { a: 'b' });
  assert.match(
    stored.json.toString(),
    /^\{"kind":"Widget","apiVersion":"example.com\/v1","metadata":\{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"/,
  );
  assert.equal(JSON.parse(stored.json.toString()), widget({}, { resourceVersion: '7' }));
  const written = Buffer.from(await codec.toEtcd(KEY, stored.bytes));
  assert.equal(JSON.parse(written.toString()), widget());
  assert.is(written.at(-1), 0x0a);
  assert.equal((await read(codec, written)).bytes.toString('latin1'), (await read(codec, text(widget()))).bytes.toString('latin1'));
});

values('defaults and unknown members are for the definition that is there when it is read', async () => {
  const codec = codecWith(await registryOf([version('v1', true, { default: 3 })]));
  const value = await read(codec, text(widget({ shape: 'round' })));
  assert.is(value.outdated, true);
  const stored = filled(value);
  assert.equal(JSON.parse(stored.json.toString()), widget({ shape: 'round' }, { resourceVersion: '7' }), 'it is kept as it is');
  assert.equal(stored.fields, []);
  // another default, by another definition that has come since
  const later = readerOf(await registryOf([version('v1', true, { default: 4 })]));
  assert.is(later.isCurrent(stored), false);
  assert.equal(later.decodeStored(stored).spec, { color: 'red', size: 4 });
  assert.equal(later.fieldsOf(stored), ['red']);
});

values('CBOR is read whether or not it is written', async () => {
  const registry = await registryOf([version('v1', true)]);
  const customResource = (prefix: string) => registry.current.storedAt(prefix);
  for (const writesCbor of [false, true]) {
    const codec = codecOf({ customResource, writesCbor });
    const ofCbor = await read(codec, encodeCborDocument(widget()));
    const ofJson = await read(codec, text(widget()));
    assert.is(ofCbor.bytes.toString('latin1'), ofJson.bytes.toString('latin1'));
    assert.equal([ofCbor.outdated, ofJson.outdated], writesCbor ? [undefined, true] : [true, undefined]);
    const written = Buffer.from(await codec.toEtcd(KEY, filled(ofCbor).bytes));
    assert.is(written.subarray(0, 3).toString('hex') === 'd9d9f7', writesCbor);
    if (writesCbor) assert.equal(decodeCbor(written).value, widget());
    assert.is(filled(await read(codec, written)).json.toString(), filled(ofCbor).json.toString());
  }
});

values('what 1.32 would not read again is not written as CBOR', async () => {
  const registry = await registryOf([version('v1', true)]);
  const codec = codecOf({ customResource: (prefix) => registry.current.storedAt(prefix), writesCbor: true });
  const labels = Object.fromEntries(Array.from({ length: 1_025 }, (_, i) => [`l${i}`, 'a']));
  const value = await read(codec, text(widget({}, { labels })));
  const written = Buffer.from(await codec.toEtcd(KEY, filled(value).bytes));
  assert.is(written.at(0), 0x7b);
  assert.is(value.outdated, undefined);
  const tooMany = await read(codec, encodeCborDocument(widget({}, { labels })));
  assert.equal(filled(tooMany).labels, labels, 'what another one has written is read all the same');
});

values('what nobody has defined stays JSON, and is read as CBOR', async () => {
  const codec = codecOf({ writesCbor: true });
  const value = await read(codec, encodeCborDocument(widget()));
  assert.is(Buffer.from(await codec.toEtcd(KEY, filled(value).bytes)).at(0), 0x7b);
});

values('CBOR that is none is refused', async () => {
  const codec = codecWith(await registryOf([version('v1', true)]));
  for (const [hex, wanted] of [
    ['d9d9f7', /unexpected EOF/],
    ['d9d9f7a2414101414102', /duplicate map key "A"/],
    ['d9d9f780', /neither JSON nor YAML of an object/],
  ] as const) {
    const error = await read(codec, Buffer.from(hex, 'hex')).catch((reason: unknown) => reason);
    assert.instance(error, Error);
    assert.match((error as Error).message, wanted);
  }
});

values('what nobody has defined so far is kept for whoever does', async () => {
  const value = await read(codecOf(), text(widget({ shape: 'round' })));
  assert.is(value.outdated, undefined, 'nobody knows');
  const stored = filled(value);
  assert.equal(stored.labels, { a: 'b' });
  assert.equal(JSON.parse(stored.metadata.toString()), widget({}, { resourceVersion: '7' }).metadata);
  assert.equal(readerOf(await registryOf([version('v1', true)])).decodeStored(stored).spec, { color: 'red' });
  const written = await codecOf().toEtcd(KEY, stored.bytes);
  assert.equal(JSON.parse(Buffer.from(written).toString()), widget({ shape: 'round' }));
});

values('an object of another version is converted where it is read', async () => {
  const registry = await registryOf([version('v1', true), version('v2', false)]);
  const value = await read(codecWith(registry), text(widget({}, {}, 'v2')));
  assert.is(value.outdated, true);
  const stored = filled(value);
  assert.is(stored.isOf('Widget', 'example.com/v2'), true);
  const { versions } = registry.current.storedAt(PREFIX) as Resource;
  const [v1, v2] = ['v1', 'v2'].map((name) => registry.current.loadedKind('example.com', name, 'Widget'));
  const fields = { own: ['spec.color'], stored: ['spec.color'] };
  for (const own of [v1, v2]) {
    const view = new VersionView(
      own as NonNullable<typeof own>,
      v1 as NonNullable<typeof v1>,
      fields,
      versions.converter as NonNullable<typeof versions.converter>,
    );
    assert.is(view.isOutdated(stored.bytes), true);
    const [shown] = (await view.ofStored([stored.bytes])) as [Buffer];
    const object = new StoredObject(shown);
    assert.is(object.isOf('Widget', own?.apiVersion as string), true);
    assert.equal(object.fields, ['red']);
    assert.is(object.resourceVersion, '7');
    assert.equal(object.parse().spec, { color: 'red' });
  }
});

values('of several versions that which is stored is as if it had been stored', async () => {
  const registry = await registryOf([version('v1', true), version('v2', false)]);
  const value = await read(codecWith(registry), text(widget()));
  assert.is(value.outdated, undefined);
  assert.equal(filled(value).fields, ['red']);
});

values('metadata that cannot be read are dropped, as 1.32 drops them', async () => {
  const stored = filled(await read(codecOf(), text(widget({}, { labels: { a: 1 }, generation: 'many' }))));
  const { metadata } = stored.parse();
  assert.is(metadata.labels, undefined);
  assert.is(metadata.generation, undefined);
  assert.is(metadata.name, 'a');
});

values('objects of before generations were counted are of the first, as in 1.32', async () => {
  const { generation: _none, ...metadata } = widget().metadata;
  const registry = await registryOf([version('v1', true)]);
  for (const counted of [{}, { generation: 0 }, { generation: 'many' }]) {
    const value = await read(codecWith(registry), text({ ...widget(), metadata: { ...metadata, ...counted } }));
    assert.is(value.outdated, true);
    const kind = registry.current.loadedKind('example.com', 'v1', 'Widget');
    assert.is(kind?.completed(filled(value).parse()).metadata.generation, 1);
  }
});

values('integers beyond 2^53 keep their digits', async () => {
  const json = JSON.stringify(widget()).replace('"red"', '"red","big":9007199254740993');
  const stored = filled(await read(codecOf(), Buffer.from(json)));
  assert.ok(stored.json.includes('"big":9007199254740993'));
});

values('members with names of their own kind stay members', async () => {
  const json = JSON.stringify(widget()).replace('"color":"red"', '"__proto__":{"a":1},"constructor":2,"resourceVersion":"x"');
  const codec = codecOf();
  const stored = filled(await read(codec, Buffer.from(json)));
  assert.ok(stored.json.includes('"spec":{"__proto__":{"a":1},"constructor":2,"resourceVersion":"x"}'));
  assert.ok(Buffer.from(await codec.toEtcd(KEY, stored.bytes)).includes('"resourceVersion":"x"}'));
});

const REFUSED: readonly [name: string, value: string, wanted: RegExp][] = [
  ['another kind', JSON.stringify({ ...widget(), kind: 'Gadget' }), /Gadget, where Widget of example.com is stored/],
  ['another group', JSON.stringify({ ...widget(), apiVersion: 'example.org/v1' }), /example.org\/v1 Widget, where Widget of example.com/],
  ['protobuf', 'k8s\0\x0a\x00', /it is no JSON, where Widget/],
  ['YAML', 'kind: Widget', /it is no JSON, where Widget/],
  ['an own value', 'raw\0{}', /it is no JSON, where Widget/],
  ['a list', '[]', /it is no JSON/],
  ['half of an object', '{"kind":"Widget"', /unexpected/i],
  ['deep JSON', `{"a":${'['.repeat(100_000)}`, /max depth/],
];
for (const [name, value, wanted] of REFUSED)
  values(`${name} is refused`, async () => {
    const codec = codecWith(await registryOf([version('v1', true)]));
    let message = 'it was read';
    try {
      await codec.fromEtcd(KEY, Buffer.from(value, 'latin1'));
    } catch (error) {
      message = (error as Error).message;
    }
    assert.match(message, wanted);
  });

values('of keys that nobody knows objects alone are read', async () => {
  for (const value of ['words', 'kind: A\napiVersion: v1', '1', '{"a":1}', '{}'])
    try {
      await codecOf().fromEtcd('things/a', Buffer.from(value));
      assert.unreachable(value);
    } catch (error) {
      assert.match((error as Error).message, /no object of any kind|does not say its kind/);
    }
});

values('an own value that would be taken for an object is refused', () => {
  const value = Buffer.concat([Buffer.from('raw\0', 'latin1'), Buffer.alloc(40, 2)]);
  assert.throws(() => codecOf().fromEtcd('defaults/roles', value), /somebody else has written it/);
});

values.run();
