import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadKind } from '../kind.ts';

const test = suite('removed versions of workloads');
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const decode = async (apiVersion: string, kind: string, spec: object) =>
  (await loadKind(apiVersion, kind)).decode({ metadata: { name: 'x' }, spec: { template, ...spec } }).object;

const strategies: [string, string, string, unknown][] = [
  ['extensions/v1beta1', 'Deployment', 'strategy', { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } }],
  ['apps/v1beta1', 'Deployment', 'strategy', { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } }],
  ['apps/v1beta2', 'Deployment', 'strategy', { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } }],
  ['extensions/v1beta1', 'DaemonSet', 'updateStrategy', { type: 'OnDelete' }],
  ['apps/v1beta2', 'DaemonSet', 'updateStrategy', { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }],
  ['apps/v1beta1', 'StatefulSet', 'updateStrategy', { type: 'OnDelete' }],
];
for (const [apiVersion, kind, member, expected] of strategies)
  test(`strategy of ${apiVersion} ${kind}`, async () => assert.equal((await decode(apiVersion, kind, {})).spec[member], expected));

const selectors: [string, string, unknown][] = [
  ['extensions/v1beta1', 'ReplicaSet', { matchLabels: { a: 'b' } }],
  ['extensions/v1beta1', 'DaemonSet', { matchLabels: { a: 'b' } }],
  ['apps/v1beta1', 'StatefulSet', { matchLabels: { a: 'b' } }],
];
for (const [apiVersion, kind, expected] of selectors)
  test(`selector of ${apiVersion} ${kind}`, async () => {
    const object = await decode(apiVersion, kind, {});
    assert.equal(JSON.parse(JSON.stringify(object.spec.selector)), expected);
    assert.equal({ ...object.metadata.labels }, { a: 'b' });
  });

test('a rollback is an annotation in apps/v1', async () => {
  const kind = await loadKind('extensions/v1beta1', 'Deployment');
  const hub = kind.toHub(await decode('extensions/v1beta1', 'Deployment', { rollbackTo: { revision: 3 } }));
  assert.equal({ ...hub.metadata.annotations }, { 'deprecated.deployment.rollback.to': '3' });
  assert.is(hub.spec.rollbackTo, undefined);
  const back = kind.fromHub(hub);
  assert.is(back.spec.rollbackTo.revision, 3);
  assert.is(back.metadata.annotations, undefined);
});

test('the generation of a template is an annotation in apps/v1', async () => {
  const kind = await loadKind('extensions/v1beta1', 'DaemonSet');
  const hub = kind.toHub(await decode('extensions/v1beta1', 'DaemonSet', { templateGeneration: 2 }));
  assert.equal({ ...hub.metadata.annotations }, { 'deprecated.daemonset.template.generation': '2' });
  assert.is(kind.fromHub(hub).spec.templateGeneration, 2);
});

const texts: [string, object | undefined][] = [
  ['a=b,c=d', { a: 'b', c: 'd' }],
  ['a in (b)', undefined],
  ['!a', undefined],
];
for (const [selector, map] of texts)
  test(`size selected by ${selector}`, async () => {
    const kind = await loadKind('apps/v1beta2', 'Scale');
    const hub = kind.hub.decode({ metadata: { name: 'x' }, status: { replicas: 1, selector } }).object;
    const object = kind.fromHub(hub);
    assert.is(object.status.targetSelector, selector);
    assert.equal(object.status.selector && { ...object.status.selector }, map);
    assert.is(kind.toHub(object).status.selector, selector);
  });

test.run();
