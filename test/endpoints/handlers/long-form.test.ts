/** What another thread makes of long objects is what this one would make of them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeForm } from '../../../runtime/endpoints/handlers/long-form.ts';
import { type FormSubject, itemMaker } from '../../../runtime/endpoints/lists/item-forms.ts';
import { ITEM_LAYOUTS } from '../../../runtime/endpoints/lists/list-layout.ts';
import type { FormPlace, ItemForm } from '../../../runtime/endpoints/long-form.ts';
import type { Negotiated } from '../../../runtime/negotiation/negotiation.ts';
import { encodeStoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { fillRevision } from '../../../runtime/storage/storage.ts';
import { TestCluster } from '../../controllers/server.ts';

const test = suite('forms of long objects');
let cluster: TestCluster;
test.before(async () => {
  cluster = await TestCluster.create();
});
test.after(() => cluster.remove());

const negotiated = (encoding: Negotiated['encoding'], transform: Negotiated['transform']): Negotiated => ({
  encoding,
  transform,
  transformVersion: transform === 'none' ? '' : 'v1',
  pretty: false,
});
const place = (version: string, form: Negotiated, group = 'autoscaling', resource = 'horizontalpodautoscalers'): FormPlace => ({
  group,
  version,
  resource,
  negotiated: form,
});

/** An autoscaler as a server stores it. */
async function value(schemaHash?: number): Promise<Buffer> {
  const { hub } = await cluster.server.store(cluster.resource('autoscaling/v2', 'horizontalpodautoscalers'));
  const object = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: { name: 'a', namespace: 'n', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
    status: { currentMetrics: null, desiredReplicas: 0 },
  };
  const { bytes, revisionOffset } = encodeStoredObject(object, schemaHash ?? hub.data.schemaHash, []);
  fillRevision(bytes, revisionOffset, 7);
  return bytes;
}

const forms: readonly (readonly [item: ItemForm, version: string, negotiated: Negotiated])[] = [
  ['stored', 'v2', negotiated('json', 'none')],
  ['json', 'v1', negotiated('json', 'none')],
  ['metadata', 'v1', negotiated('json', 'PartialObjectMetadataList')],
  ['cells', 'v2', negotiated('json', 'Table')],
  ['object', 'v1', negotiated('json', 'Table')],
  ['protobuf', 'v1', negotiated('protobuf', 'none')],
  ['protobuf', 'v2', negotiated('protobuf', 'PartialObjectMetadataList')],
];
for (const [item, version, form] of forms)
  for (const hash of [undefined, 1])
    test(`the item form ${item} in ${version}, ${form.transform}, ${hash === undefined ? 'of the present schema' : 'of an older one'}`, async () => {
      const { server } = cluster;
      const registry = server.registry.current;
      const bytes = await value(hash);
      const resource = cluster.resource(`autoscaling/${version}`, 'horizontalpodautoscalers');
      const kind = await registry.kind('autoscaling', version, 'HorizontalPodAutoscaler');
      const subject: FormSubject = { server, registry, kind, store: await server.store(resource), negotiated: form };
      const metaVersion = 'meta.k8s.io/v1';
      const here = Buffer.concat((await itemMaker(subject, metaVersion, item))({ value: bytes }));
      const made = await makeForm(server, registry, { place: place(version, form), form: { item }, value: bytes });
      assert.equal(made, here);
      assert.ok(made.length > 20);
    });

test('an event, at its own revision', async () => {
  const { server } = cluster;
  const event = { type: 'DELETED', revision: 9, include: 'Metadata', columns: true } as const;
  const made = await makeForm(server, server.registry.current, {
    place: place('v1', negotiated('json', 'none')),
    form: { event },
    value: await value(),
  });
  const { type, object } = JSON.parse(made.toString());
  assert.equal([type, object.apiVersion, object.metadata.resourceVersion], ['DELETED', 'autoscaling/v1', '9']);
});

for (const columns of [true, false])
  test(`an event of a Table ${columns ? 'that says' : 'whose first event has said'} its columns`, async () => {
    const { server } = cluster;
    const event = { type: 'ADDED', revision: 7, include: 'None', columns } as const;
    const made = await makeForm(server, server.registry.current, {
      place: place('v2', negotiated('json', 'Table')),
      form: { event },
      value: await value(),
    });
    const { object } = JSON.parse(made.toString());
    assert.is(object.columnDefinitions === null, !columns);
    assert.is(object.rows[0].cells[0], 'a');
  });

for (const layout of ['yaml', 'indented'] as const)
  test(`the layout ${layout}`, async () => {
    const { server } = cluster;
    const json = Buffer.from('{"metadata":{"name":"a"},"data":{"a":"ä\\n","b":""}}');
    const made = await makeForm(server, server.registry.current, {
      place: place('v1', negotiated('json', 'none')),
      form: { layout },
      value: json,
    });
    assert.equal(made, ITEM_LAYOUTS[layout].of(json));
  });

test('what has gone meanwhile is not found', async () => {
  const { server } = cluster;
  const order = {
    place: place('v1', negotiated('json', 'none'), 'example.com', 'lamps'),
    form: { item: 'json' },
    value: await value(),
  } as const;
  await makeForm(server, server.registry.current, order).then(
    () => assert.unreachable(),
    (error) => {
      assert.instance(error, StatusError);
      assert.is((error as StatusError).code, 404);
    },
  );
});

test.run();
