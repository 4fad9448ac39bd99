/** Values of etcd as kube-apiserver writes them, and what is no such value. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { encodeProtobuf, wrapEnvelope } from '../../../runtime/schema/protobuf/codec.ts';
import type { ReadValue } from '../../../runtime/storage/etcd/value-codec.ts';
import { builtIn, codecOf, filled, storedBytes } from './codec-parts.ts';

const values = suite('values of etcd');
const codec = codecOf();

const read = async (key: string, value: Uint8Array, from = codec): Promise<ReadValue> => from.fromEtcd(key, value);
const objectOf = async (key: string, value: Uint8Array, from = codec): Promise<ApiObject> => filled(await read(key, value, from)).parse();
const text = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

/** The reason why a value cannot be read. */
async function reason(key: string, value: Uint8Array, from = codec): Promise<string> {
  try {
    await from.fromEtcd(key, value);
  } catch (error) {
    assert.instance(error, Error);
    return (error as Error).message;
  }
  return assert.unreachable(`${key} was read`) as never;
}

/** Of a kind that is named; the object needs not have its defaults. */
async function protobufOf(group: string, version: string, name: string, members: object): Promise<Buffer> {
  const kind = await builtIn.storedKinds.kind(group, version, name);
  return wrapEnvelope(kind.apiVersion, kind.kind, encodeProtobuf(kind.compiled, kind.normalized(members)));
}

const NAMESPACE = Buffer.from(
  [
    // k8s\0, and an Unknown with the TypeMeta v1 Namespace
    '6b387300 0a0f 0a027631 12094e616d657370616365',
    // its raw bytes, which begin with the metadata: name, generateName, namespace, selfLink
    '128501 0a6b 0a0764656661756c74 1200 1a00 2200',
    // uid, resourceVersion, generation
    '2a2435633461316630652d306435622d346133652d396435332d336131643062306635633131 3200 3800',
    // creationTimestamp
    '420808c0e381af061000',
    // a label
    '5a26 0a1b6b756265726e657465732e696f2f6d657461646174612e6e616d65 120764656661756c74',
    // spec and status
    '120c 0a0a6b756265726e65746573 1a08 0a06416374697665',
    // contentEncoding and contentType of the Unknown
    '1a00 2200',
  ]
    .join('')
    .replaceAll(' ', ''),
  'hex',
);
const CONFIG_MAP = Buffer.from(
  [
    '6b387300 0a0f 0a027631 1209436f6e6669674d6170 128101',
    '0a77 0a0873657474696e6773 1200 1a0764656661756c74 2200 2a027531 3200 3800 420808c0e381af061000',
    // an entry of managedFields: manager, operation, apiVersion, time, fieldsType
    '8a014b 0a076b75626563746c 1206557064617465 1a027631 220808c0e381af061000 32084669656c64735631',
    // fieldsV1 and subresource
    '3a1e 0a1c7b22663a64617461223a7b222e223a7b7d2c22663a61223a7b7d7d7d 4200',
    // data
    '1206 0a0161 120162',
    '1a00 2200',
  ]
    .join('')
    .replaceAll(' ', ''),
  'hex',
);

values('a namespace that kube-apiserver wrote', async () => {
  const value = await read('namespaces/default', NAMESPACE);
  assert.is(value.outdated, undefined);
  const stored = filled(value, 42);
  assert.is(
    stored.json.toString().replace(/ +/, ''),
    '{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"default","uid":"5c4a1f0e-0d5b-4a3e-9d53-3a1d0b0f5c11","resourceVersion":"42",' +
      '"creationTimestamp":"2024-02-29T12:00:00Z","labels":{"kubernetes.io/metadata.name":"default"}},' +
      '"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}}',
  );
  assert.equal(stored.labels, { 'kubernetes.io/metadata.name': 'default' });
  assert.equal(stored.fields, ['Active']);
  assert.is(stored.deleting, false);
  assert.is(stored.unowned, true);
  assert.is(stored.schemaHash, (await builtIn.storedKinds.kind('', 'v1', 'Namespace')).data.schemaHash >>> 0);
  assert.equal(await codec.toEtcd('namespaces/default', stored.bytes), NAMESPACE, 'it is written again as it was');
});

values('a config map that kube-apiserver wrote, with managed fields', async () => {
  const stored = filled(await read('configmaps/default/settings', CONFIG_MAP));
  assert.equal(stored.parse(), {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      name: 'settings',
      namespace: 'default',
      uid: 'u1',
      resourceVersion: '7',
      creationTimestamp: '2024-02-29T12:00:00Z',
      managedFields: [
        {
          manager: 'kubectl',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2024-02-29T12:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } },
        },
      ],
    },
    data: { a: 'b' },
  });
  assert.equal(await codec.toEtcd('configmaps/default/settings', stored.bytes), CONFIG_MAP);
});

values('what is being deleted, and what has owners, says so in its header', async () => {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };
  const metadata = { name: 'a', namespace: 'n', deletionTimestamp: '2024-02-29T12:00:00Z', ownerReferences: [owner] };
  const stored = filled(await read('configmaps/n/a', await protobufOf('', 'v1', 'ConfigMap', { metadata })));
  assert.is(stored.deleting, true);
  assert.is(stored.unowned, false);
});

values('selectable fields are those of the stored kind', async () => {
  const value = await protobufOf('', 'v1', 'Pod', {
    metadata: { name: 'a', namespace: 'n' },
    spec: { nodeName: 'node1', containers: [] },
    status: { phase: 'Running' },
  });
  const stored = filled(await read('pods/n/a', value));
  const { storedFields } = builtIn.snapshot.storedAt('pods') as { storedFields: readonly string[] };
  assert.is(stored.field(storedFields.indexOf('spec.nodeName')), 'node1');
  assert.is(stored.field(storedFields.indexOf('status.phase')), 'Running');
});

values('what was stored without defaults gets them', async () => {
  const value = await protobufOf('', 'v1', 'Pod', { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i:1' }] } });
  const { spec } = await objectOf('pods/n/a', value);
  assert.is(spec.restartPolicy, 'Always');
  assert.is(spec.containers[0].imagePullPolicy, 'IfNotPresent');
});

values('fields that nobody knows are dropped', async () => {
  const unknown = Buffer.concat([CONFIG_MAP.subarray(0, 21), Buffer.from('12', 'hex')]);
  const raw = CONFIG_MAP.subarray(24, 24 + 129);
  const more = Buffer.concat([raw, Buffer.from('fa3f0378797a', 'hex')]);
  const value = Buffer.concat([
    unknown,
    Buffer.from([0x80 | (more.length & 0x7f), more.length >> 7]),
    more,
    Buffer.from('1a002200', 'hex'),
  ]);
  assert.equal((await objectOf('configmaps/default/settings', value)).data, { a: 'b' });
});

const OTHER_VERSIONS: readonly [
  key: string,
  apiVersion: string,
  kind: string,
  members: object,
  shown: (object: ApiObject) => unknown,
  wanted: unknown,
][] = [
  [
    'horizontalpodautoscalers/n/a',
    'autoscaling/v1',
    'HorizontalPodAutoscaler',
    { spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 3, targetCPUUtilizationPercentage: 50 } },
    ({ apiVersion, spec }) => [apiVersion, spec.metrics[0].resource.target.averageUtilization],
    ['autoscaling/v2', 50],
  ],
  [
    'events/n/a',
    'events.k8s.io/v1',
    'Event',
    { eventTime: '2024-02-29T12:00:00.000000Z', regarding: { kind: 'Pod', name: 'p' }, note: 'words' },
    ({ apiVersion, involvedObject, message }) => [apiVersion, involvedObject.name, message],
    ['v1', 'p', 'words'],
  ],
  [
    'cronjobs/n/a',
    'batch/v1beta1',
    'CronJob',
    { spec: { schedule: '* * * * *' } },
    ({ apiVersion, spec }) => [apiVersion, spec.schedule],
    ['batch/v1', '* * * * *'],
  ],
  [
    'flowschemas/a',
    'flowcontrol.apiserver.k8s.io/v1beta3',
    'FlowSchema',
    { spec: { priorityLevelConfiguration: { name: 'p' } } },
    ({ apiVersion, spec }) => [apiVersion, spec.priorityLevelConfiguration.name],
    ['flowcontrol.apiserver.k8s.io/v1', 'p'],
  ],
];
for (const [key, apiVersion, kind, members, shown, wanted] of OTHER_VERSIONS)
  values(`${apiVersion} ${kind} is read as the version that is stored`, async () => {
    const metadata = { name: 'a', uid: 'u' };
    const [version, group = ''] = apiVersion.split('/').reverse() as [string, string?];
    const protobuf = await protobufOf(group, version, kind, { metadata, ...members });
    for (const value of [protobuf, text({ kind, apiVersion, metadata, ...members })]) {
      const made = await read(key, value);
      assert.is(made.outdated, true);
      assert.equal(shown(filled(made).parse()), wanted);
    }
  });

values('a version that the schemas have no longer is read where the past knows it', async () => {
  const spec = { schedule: '1 * * * *', jobTemplate: { spec: { template: { spec: { containers: [] } } } } };
  const object = await objectOf('cronjobs/n/a', text({ kind: 'CronJob', apiVersion: 'batch/v2alpha1', metadata: { name: 'a' }, spec }));
  assert.is(object.apiVersion, 'batch/v1');
  assert.is(object.spec.schedule, '1 * * * *');
});

values('JSON and YAML are read whatever is written, and are outdated where that is protobuf', async () => {
  const json = text({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', labels: { a: 'b' } }, data: { k: 'dg==' }, unknown: 1 });
  const yaml = Buffer.from('apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  labels:\n    a: b\ndata:\n  k: dg==\n');
  const [fromJson, fromYaml] = await Promise.all([read('secrets/n/s', json), read('secrets/n/s', yaml)]);
  assert.is(fromJson.outdated, true);
  assert.equal(fromJson.bytes, fromYaml.bytes);
  const stored = filled(fromJson);
  assert.equal(stored.labels, { a: 'b' });
  assert.is(stored.parse().type, 'Opaque');
  const inJson = codecOf({ mediaType: 'application/json' });
  assert.is((await read('secrets/n/s', json, inJson)).outdated, undefined);
  assert.is((await read('namespaces/default', NAMESPACE, inJson)).outdated, true);
  assert.is((await read('secrets/n/s', yaml, codecOf({ mediaType: 'application/yaml' }))).outdated, undefined);
});

values('JSON is written without a version, on a line', async () => {
  const kind = await builtIn.storedKinds.kind('', 'v1', 'ConfigMap');
  const { object } = kind.decode({ metadata: { name: 'a', namespace: 'n' }, data: { a: 'b' } });
  const written = await codecOf({ mediaType: 'application/json' }).toEtcd('configmaps/n/a', storedBytes(kind, object, []));
  const line = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n","creationTimestamp":null},"data":{"a":"b"}}\n';
  assert.is(Buffer.from(written).toString(), line);
});

const definitionKind = await builtIn.storedKinds.kind('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition');
const DEFINITION = 'apiextensions.k8s.io/customresourcedefinitions/lamps.example.com';

/** @param versions of lamps */
function definition(versions: readonly object[]): Buffer {
  const spec = { group: 'example.com', names: { plural: 'lamps', kind: 'Lamp' }, scope: 'Namespaced', versions };
  return storedBytes(definitionKind, definitionKind.completed({ metadata: { name: 'lamps.example.com' }, spec }), []);
}

values('definitions are JSON of v1beta1, in which stands once what versions have in common', async () => {
  const schema = { openAPIV3Schema: { type: 'object', description: '<a>' } };
  const columns = { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a' }] };
  const stored = definition([
    { name: 'v1', served: true, storage: true, schema, ...columns },
    { name: 'v2', served: true, storage: false, schema },
  ]);
  const value = Buffer.from(await codec.toEtcd(DEFINITION, stored));
  const { apiVersion, spec } = JSON.parse(value.toString());
  assert.is(apiVersion, 'apiextensions.k8s.io/v1beta1');
  assert.is(spec.version, 'v1');
  assert.equal(spec.validation, schema);
  assert.equal(spec.versions, [
    { name: 'v1', served: true, storage: true, additionalPrinterColumns: [{ name: 'A', type: 'string', JSONPath: '.a' }] },
    { name: 'v2', served: true, storage: false },
  ]);
  assert.match(value.toString(), '\\u003ca\\u003e');
  assert.is(value.at(-1), 0x0a);
  const back = await read(DEFINITION, value);
  assert.is(back.outdated, undefined);
  assert.is(filled(back).json.toString(), new StoredObject(stored).json.toString());
});

values('API services are JSON', async () => {
  const kind = await builtIn.storedKinds.kind('apiregistration.k8s.io', 'v1', 'APIService');
  const key = 'apiregistration.k8s.io/apiservices/v1.';
  const stored = storedBytes(kind, kind.completed({ metadata: { name: 'v1.' }, spec: { version: 'v1' } }), []);
  const value = Buffer.from(await codec.toEtcd(key, stored));
  assert.match(value.toString(), /^\{"kind":"APIService","apiVersion":"apiregistration\.k8s\.io\/v1",/);
  const back = await read(key, value);
  assert.is(back.outdated, undefined);
  assert.is(filled(back).json.toString(), new StoredObject(stored).json.toString());
});

values('definitions in another form or version are read, and outdated', async () => {
  const spec = { group: 'example.com', names: { plural: 'lamps', kind: 'Lamp' }, scope: 'Namespaced', versions: [{ name: 'v1' }] };
  const members = { metadata: { name: 'lamps.example.com' }, spec };
  for (const value of [
    await protobufOf('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', members),
    text({ kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1', ...members }),
  ]) {
    const back = await read(DEFINITION, value);
    assert.is(back.outdated, true);
    assert.is(filled(back).parse().spec.names.plural, 'lamps');
  }
});

values('numbers of definitions beyond 2^53 are written', async () => {
  const kind = definitionKind;
  const schema = { openAPIV3Schema: { type: 'object', properties: { a: { type: 'integer', maximum: 9223372036854775807n } } } };
  const members = JSON.parse(
    JSON.stringify({ metadata: { name: 'a' }, spec: { versions: [{ name: 'v1', schema }] } }, (_, value) =>
      typeof value === 'bigint' ? Number(value) : value,
    ),
  );
  const stored = storedBytes(kind, kind.completed(members), []);
  const key = 'apiextensions.k8s.io/customresourcedefinitions/a';
  const { spec } = await objectOf(key, await codec.toEtcd(key, stored));
  assert.is(Number(spec.versions[0].schema.openAPIV3Schema.properties.a.maximum.rawJSON), 2 ** 63);
});

values('what is no object comes back as it was', async () => {
  for (const own of ['', '{}', '{"kind":"A","apiVersion":"v1"}', 'raw\0', 'k8s\0', '0e6b6a6e-1111-4222-8333-000000000000', '\0\xff'])
    for (const key of ['defaults/roles', 'ranges/serviceips/10.0.0.1', 'ranges/servicenodeports/30000', 'guards/resourcequotas/n']) {
      const value = Buffer.from(own, 'latin1');
      const back = await read(key, await codec.toEtcd(key, value));
      assert.equal(back.bytes, value);
      assert.is(back.revisionOffset, -1);
    }
});

values('what is no object is never written below the prefix of a resource', async () => {
  for (const key of ['pods/n/a', 'services/specs/n/a', 'apiregistration.k8s.io/apiservices/a'])
    assert.throws(() => codec.toEtcd(key, Buffer.from('{}')), /is no object: kube-apiserver reads whatever is below/);
});

values('what kube-apiserver keeps besides resources is left as it is', async () => {
  for (const key of ['ranges/serviceips', 'others/a']) {
    // in memory of its own: short buffers that Node makes share some
    const value = Buffer.from(new Uint8Array(NAMESPACE).buffer);
    const { bytes, revisionOffset } = await read(key, value);
    assert.equal(bytes, NAMESPACE);
    assert.is.not(bytes.buffer, value.buffer);
    assert.is(revisionOffset, -1);
  }
});

values('leases of servers are read and written as the Endpoints that they are', async () => {
  for (const key of ['masterleases/10.0.0.1', 'peerserverleases/apiserver-a']) await assertLease(key);
});

async function assertLease(key: string): Promise<void> {
  const lease = text({ kind: 'Endpoints', apiVersion: 'v1', metadata: { generation: 3 }, subsets: [{ addresses: [{ ip: '10.0.0.1' }] }] });
  const stored = await read(key, lease);
  const { metadata, subsets } = await objectOf(key, await codec.toEtcd(key, stored.bytes));
  assert.equal([metadata.generation, subsets], [3, [{ addresses: [{ ip: '10.0.0.1' }] }]]);
  assert.match(await reason(key, NAMESPACE), /^it is v1 Namespace, where v1 Endpoints is stored$/);
  assert.throws(() => codec.toEtcd(key, Buffer.from('{}')), /is no object/);
}

values('a kind that has nothing to do with its key is refused', async () => {
  assert.match(await reason('pods/n/a', NAMESPACE), /^it is v1 Namespace, where v1 Pod is stored$/);
  assert.match(await reason('pods/n/a', text({ kind: 'Secret', apiVersion: 'v1', metadata: {} })), /it is v1 Secret, where v1 Pod/);
  assert.match(await reason('pods/n/a', text({ kind: 'Pod', apiVersion: 'v9', metadata: {} })), /nothing is known here of v9 Pod/);
  assert.match(await reason('pods/n/a', text({ kind: 'Pod', apiVersion: 'a/b/c', metadata: {} })), /nothing is known here of a\/b\/c Pod/);
  assert.match(
    await reason('pods/n/a', text({ kind: '__proto__', apiVersion: 'v1', metadata: {} })),
    /nothing is known|cannot be read|no schema/,
  );
});

const deep = (length: number): string => `${'{"a":'.repeat(length)}1${'}'.repeat(length)}`;
const BAD: readonly [name: string, value: Buffer | string, wanted: RegExp][] = [
  ['nothing', '', /it is empty/],
  ['a magic alone', 'k8s\0', /empty body/],
  ['an envelope without a type', 'k8s\0\x1a\x00\x22\x00', /does not say its kind/],
  ['bytes', Buffer.from('00ff0102', 'hex'), /neither JSON nor YAML, nor protobuf/],
  ['CBOR', Buffer.from('d9d9f7a1646b696e6461', 'hex'), /it is CBOR, in which kube-apiserver stores custom resources alone/],
  ['a text', 'some words', /neither JSON nor YAML of an object/],
  ['a list', '[1]', /neither JSON nor YAML of an object/],
  ['JSON that ends early', '{"kind":"Pod","apiVersion":"v1"', /unexpected end|unexpected EOF/i],
  ['no kind', '{"apiVersion":"v1"}', /does not say its kind/],
  ['no version', '{"kind":"Pod"}', /does not say its apiVersion/],
  ['a kind that is no text', '{"kind":{},"apiVersion":"v1"}', /does not say its kind/],
  ['a long kind', `{"kind":"${'x'.repeat(100_000)}","apiVersion":"v1"}`, /no kind's name/],
  ['what another provider has encrypted', 'k8s:enc:aescbc:v1:key1:\0\x01', /it is encrypted/],
  ['an own value', Buffer.from('raw\0{}', 'latin1'), /what a server keeps for itself/],
  ['deep JSON', deep(200_000), /max depth/],
  ['members of wrong types', '{"kind":"Pod","apiVersion":"v1","metadata":{"labels":[1]}}', /v1 Pod cannot be read/],
  ['metadata that are a list', '{"kind":"Pod","apiVersion":"v1","metadata":[]}', /v1 Pod cannot be read/],
];
for (const [name, value, wanted] of BAD)
  values(`${name} is refused`, async () => assert.match(await reason('pods/n/a', Buffer.from(value as string, 'latin1')), wanted));

values('a message that ends anywhere is an error', async () => {
  const value = await protobufOf('', 'v1', 'Pod', { metadata: { name: 'a', labels: { a: 'b' } }, spec: { containers: [{ name: 'c' }] } });
  await read('pods/n/a', value);
  for (let length = 4; length < value.length - 4; length++)
    assert.ok((await reason('pods/n/a', value.subarray(0, length))).length > 0, `${length} bytes`);
});

values('any changed byte gives an error or an object of its kind', async () => {
  const value = await protobufOf('', 'v1', 'Pod', { metadata: { name: 'a', labels: { a: 'b' } }, spec: { containers: [{ name: 'c' }] } });
  for (let at = 0; at < value.length; at++)
    for (const byte of [0x00, 0x7f, 0x80, 0xff, (value[at] as number) ^ 1]) {
      const changed = Buffer.from(value);
      changed[at] = byte;
      const made = await read('pods/n/a', changed).catch((error: unknown) => error);
      if (made instanceof Error) continue;
      assert.is(filled(made as ReadValue).parse().kind, 'Pod');
    }
});

values('huge lengths are errors', async () => {
  const huge = Buffer.from(`${CONFIG_MAP.subarray(0, 21).toString('hex')}12ffffffff0f0a00`, 'hex');
  assert.match(await reason('configmaps/n/a', huge), /unexpected EOF/);
});

const entry = (fieldsV1: unknown): object => ({ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 });
values('managed fields that are no sets are left out', async () => {
  const managedFields = [entry({ 'f:a': [{ b: 1 }, { c: 2 }] }), entry('text'), {}, entry({ 'f:data': { '.': {} } })];
  const value = text({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', managedFields } });
  const { metadata } = await objectOf('configmaps/n/a', value);
  assert.equal(metadata.managedFields, [entry({ 'f:data': { '.': {} } })]);
});

values('sets in another spelling get the one of this store', async () => {
  for (const spelt of ['{ "f:data" : { "f:a<": {} } }', '{"f:data":{"f:a\\u003c":{}}}']) {
    const kind = await builtIn.storedKinds.kind('', 'v1', 'ConfigMap');
    const object = kind.decode({ metadata: { name: 'a', managedFields: [entry({ 'f:x': {} })] } }).object;
    const plain = encodeProtobuf(kind.compiled, object).toString('latin1');
    assert.ok(plain.includes('{"f:x":{}}'));
    const lengths = (length: number): string => String.fromCharCode(length + 2, 0x0a, length);
    // so many bytes more are in the entry and in the metadata
    const more = spelt.length - 10;
    const at = plain.indexOf('\x8a\x01') + 2;
    const longer = (offset: number): string => String.fromCharCode(plain.charCodeAt(offset) + more);
    const changed = `${plain[0]}${longer(1)}${plain.slice(2, at)}${longer(at)}${plain.slice(at + 1)}`.replace(
      `${lengths(10)}{"f:x":{}}`,
      `${lengths(spelt.length)}${spelt}`,
    );
    const value = wrapEnvelope('v1', 'ConfigMap', Buffer.from(changed, 'latin1'));
    const stored = filled(await read('configmaps/n/a', value));
    assert.ok(stored.json.includes('"fieldsV1":{"f:data":{"f:a<":{}}}'), stored.json.toString());
  }
});

values('a label of 64 KB and more is refused', async () => {
  const value = text({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', labels: { a: 'x'.repeat(70_000) } } });
  assert.match(await reason('configmaps/n/a', value), /label of 64 KB/);
});

values('other media types are refused', () => {
  assert.throws(() => codecOf({ mediaType: 'text/plain' }), /^nothing is stored as "text\/plain": what may be is application\/json, /);
});

values.run();
