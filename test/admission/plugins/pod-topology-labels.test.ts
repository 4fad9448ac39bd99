import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { podTopologyLabels } from '../../../runtime/admission/plugins/pod-topology-labels.ts';
import { startServer } from '../../../runtime/embedded/start-server.ts';
import { type Asked, asked, partsOf } from '../asking.ts';

const test = suite('topology labels of pods');

const TOPOLOGY = { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r' };
const NODES = [
  { metadata: { name: 'placed', labels: { ...TOPOLOGY, 'topology.kubernetes.io/rack': '1', other: 'x' } } },
  { metadata: { name: 'bare' } },
];
const plugin = (isOn: boolean) =>
  podTopologyLabels(partsOf({ featureEnabled: (gate) => isOn && gate === 'PodTopologyLabelsAdmission' }, { nodes: NODES }));

const binding = (name: string, kind = 'Node'): Asked => ({ subresource: 'binding', object: { target: { kind, name } } });
const pod = (nodeName?: string, labels?: object): Asked => ({
  object: { metadata: { name: 'x', ...(labels && { labels }) }, spec: { ...(nodeName && { nodeName }) } },
});
interface Row {
  readonly name: string;
  readonly asked: Asked;
  readonly labels: object | undefined;
  readonly isOff?: true;
}
const ROWS: readonly Row[] = [
  { name: 'a binding gets those of its node', asked: binding('placed'), labels: TOPOLOGY },
  { name: 'a binding to a node without any', asked: binding('bare'), labels: undefined },
  { name: 'a binding to a node that is not there', asked: binding('none'), labels: undefined },
  { name: 'a binding to something else', asked: binding('placed', 'Pod'), labels: undefined },
  { name: 'a pod that is created on its node', asked: pod('placed'), labels: TOPOLOGY },
  { name: 'a pod without a node', asked: pod(), labels: undefined },
  {
    name: 'labels that are there stay',
    asked: pod('placed', { 'topology.kubernetes.io/zone': 'own' }),
    labels: { ...TOPOLOGY, 'topology.kubernetes.io/zone': 'own' },
  },
  { name: 'an update', asked: { ...pod('placed'), operation: 'update' }, labels: undefined },
  { name: 'another resource', asked: { ...pod('placed'), resource: 'podtemplates' }, labels: undefined },
  { name: 'a gate that is off', asked: binding('placed'), labels: undefined, isOff: true },
];
for (const { name, asked: given, labels, isOff = false } of ROWS)
  test(name, async () => {
    const object = await asked(plugin(!isOff), given);
    assert.equal((object as { metadata: { labels?: object } }).metadata.labels, labels);
  });

test('of a binding reach no pod in a release without the gate', async () => {
  const server = await startServer({
    dialect: 'kubernetes',
    flags: { 'disable-admission-plugins': ['ServiceAccount'], controllers: ['-*'] },
  });
  try {
    const pods = '/api/v1/namespaces/default/pods';
    await server.client.request('POST', pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    const metadata = { name: 'p', labels: { a: 'b' }, annotations: { c: 'd' } };
    await server.client.request('POST', `${pods}/p/binding`, { metadata, target: { kind: 'Node', name: 'n' } });
    const { metadata: stored } = (await server.client.request('GET', `${pods}/p`)) as {
      metadata: { labels?: object; annotations?: object };
    };
    assert.equal([stored.labels, stored.annotations], [undefined, { c: 'd' }]);
  } finally {
    await server.stop();
  }
});

test.run();
