import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../harness/eventually.ts';
import { asked, askingWebhooks, CONFIG_MAPS, configMap, configure, hook, request, webhook } from './webhooked-server.ts';

const test = suite('what plugins are shown');
askingWebhooks(test);

const NAMESPACES = '/api/v1/namespaces';
const DEFAULT = `${NAMESPACES}/default`;
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const SPEC = { containers: [{ name: 'c', image: 'i' }] };
const named = (name: string, others: object = {}) => ({ metadata: { name }, ...others });
const deployment = named('d', {
  spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: SPEC } },
});
const definition = named('things.shop.example', {
  spec: {
    group: 'shop.example',
    scope: 'Cluster',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});
const NODE = { target: { kind: 'Node', name: 'n' } };
type Sent = readonly [method: string, path: string, body?: object, type?: string];
interface Row {
  readonly name: string;
  readonly before?: readonly Sent[];
  readonly sent: Sent;
  /** of each review: operation, resource, kind, namespace, name, kinds of the object and of the old one, kind of the options */
  readonly shown: readonly string[];
}
const created = (path: string, body: object): Sent => ['POST', path, body];
const pod = created(`${DEFAULT}/pods`, named('p', { spec: SPEC }));
const account = created(`${DEFAULT}/serviceaccounts`, named('default'));

const ROWS: readonly Row[] = [
  {
    name: 'a new namespace, which is in itself',
    sent: ['POST', NAMESPACES, named('new')],
    shown: ['CREATE namespaces v1/Namespace new new Namespace - CreateOptions'],
  },
  {
    name: 'a change of a namespace',
    before: [created(NAMESPACES, named('changed'))],
    sent: ['PATCH', `${NAMESPACES}/changed`, { metadata: { labels: { a: 'b' } } }, MERGE],
    shown: ['UPDATE namespaces v1/Namespace changed changed Namespace Namespace UpdateOptions'],
  },
  {
    name: 'the end of a namespace',
    before: [created(NAMESPACES, named('ending'))],
    sent: ['DELETE', `${NAMESPACES}/ending`],
    shown: ['DELETE namespaces v1/Namespace ending ending - Namespace DeleteOptions'],
  },
  {
    name: 'the finalizers of a namespace',
    before: [created(NAMESPACES, named('ended'))],
    sent: ['PUT', `${NAMESPACES}/ended/finalize`, named('ended', { spec: { finalizers: [] } })],
    shown: ['UPDATE namespaces/finalize v1/Namespace ended ended Namespace Namespace UpdateOptions'],
  },
  {
    name: 'an object that gets its name later',
    sent: ['POST', CONFIG_MAPS, { metadata: { generateName: 'made-' } }],
    shown: ['CREATE configmaps v1/ConfigMap default - ConfigMap - CreateOptions'],
  },
  {
    name: 'the status of a pod',
    before: [account, pod],
    sent: ['PATCH', `${DEFAULT}/pods/p/status`, { status: { message: 'm' } }, MERGE],
    shown: ['UPDATE pods/status v1/Pod default p Pod Pod UpdateOptions'],
  },
  {
    name: 'ephemeral containers',
    sent: ['PATCH', `${DEFAULT}/pods/p/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } }, MERGE],
    shown: ['UPDATE pods/ephemeralcontainers v1/Pod default p Pod Pod UpdateOptions'],
  },
  {
    name: 'a binding of a pod',
    sent: ['POST', `${DEFAULT}/pods/p/binding`, named('p', NODE)],
    shown: ['CREATE pods/binding v1/Binding default p Binding - CreateOptions'],
  },
  {
    name: 'an eviction, and not the delete that it is',
    sent: ['POST', `${DEFAULT}/pods/p/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }],
    shown: ['CREATE pods/eviction policy/v1/Eviction default p Eviction - CreateOptions'],
  },
  {
    name: 'a binding of its own',
    before: [created(`${DEFAULT}/pods`, named('q', { spec: SPEC }))],
    sent: ['POST', `${DEFAULT}/bindings`, named('q', NODE)],
    shown: ['CREATE bindings v1/Binding default q Binding - CreateOptions'],
  },
  {
    name: 'a command',
    sent: ['GET', `${DEFAULT}/pods/q/exec?command=ls&stdout=true`],
    shown: ['CONNECT pods/exec v1/PodExecOptions default q PodExecOptions - -'],
  },
  {
    name: 'a terminal',
    sent: ['GET', `${DEFAULT}/pods/q/attach?stdout=true`],
    shown: ['CONNECT pods/attach v1/PodAttachOptions default q PodAttachOptions - -'],
  },
  {
    name: 'forwarded ports',
    sent: ['GET', `${DEFAULT}/pods/q/portforward?ports=1`],
    shown: ['CONNECT pods/portforward v1/PodPortForwardOptions default q PodPortForwardOptions - -'],
  },
  {
    name: 'a request for a pod',
    sent: ['GET', `${DEFAULT}/pods/q/proxy/a`],
    shown: ['CONNECT pods/proxy v1/PodProxyOptions default q PodProxyOptions - -'],
  },
  {
    name: 'a write for a service',
    sent: ['POST', `${DEFAULT}/services/s/proxy/a`, {}],
    shown: ['CONNECT services/proxy v1/ServiceProxyOptions default s ServiceProxyOptions - -'],
  },
  {
    name: 'a request for a node',
    sent: ['DELETE', '/api/v1/nodes/n/proxy/a'],
    shown: ['CONNECT nodes/proxy v1/NodeProxyOptions - n NodeProxyOptions - -'],
  },
  { name: 'no reads, not even of logs', sent: ['GET', `${DEFAULT}/pods/q/log`], shown: [] },
  {
    name: 'a token',
    sent: ['POST', `${DEFAULT}/serviceaccounts/default/token`, { spec: {} }],
    shown: ['CREATE serviceaccounts/token authentication.k8s.io/v1/TokenRequest default default TokenRequest - CreateOptions'],
  },
  {
    name: 'a scale, in its own kind',
    before: [created(DEPLOYMENTS, deployment)],
    sent: ['PATCH', `${DEPLOYMENTS}/d/scale`, { spec: { replicas: 2 } }, MERGE],
    shown: ['UPDATE deployments/scale autoscaling/v1/Scale default d Scale Scale UpdateOptions'],
  },
  {
    name: 'a review',
    sent: [
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
    ],
    shown: ['CREATE selfsubjectaccessreviews authorization.k8s.io/v1/SelfSubjectAccessReview - - SelfSubjectAccessReview - CreateOptions'],
  },
  {
    name: 'an update that makes an object',
    sent: ['PUT', '/apis/coordination.k8s.io/v1/namespaces/default/leases/l', named('l', { spec: {} })],
    shown: ['CREATE leases coordination.k8s.io/v1/Lease default l Lease - CreateOptions'],
  },
  {
    name: 'an apply that makes an object',
    sent: ['PATCH', `${CONFIG_MAPS}/a?fieldManager=m`, configMap('a'), APPLY],
    shown: ['CREATE configmaps v1/ConfigMap default a ConfigMap - CreateOptions'],
  },
  {
    name: 'an apply that changes one',
    before: [created(CONFIG_MAPS, configMap('a'))],
    sent: ['PATCH', `${CONFIG_MAPS}/a?fieldManager=m`, configMap('a', { data: { k: 'v' } }), APPLY],
    shown: ['UPDATE configmaps v1/ConfigMap default a ConfigMap ConfigMap UpdateOptions'],
  },
  {
    name: 'a delete of a collection, object by object and without their names',
    before: [created(CONFIG_MAPS, configMap('a')), created(CONFIG_MAPS, configMap('b'))],
    sent: ['DELETE', CONFIG_MAPS],
    shown: [
      'DELETE configmaps v1/ConfigMap default - - ConfigMap DeleteOptions',
      'DELETE configmaps v1/ConfigMap default - - ConfigMap DeleteOptions',
    ],
  },
  {
    name: 'custom resources and their status',
    before: [
      created('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition),
      created('/apis/shop.example/v1/things', { ...named('t'), apiVersion: 'shop.example/v1', kind: 'Thing' }),
    ],
    sent: ['PATCH', '/apis/shop.example/v1/things/t/status', { status: { a: 'b' } }, MERGE],
    shown: ['UPDATE things/status shop.example/v1/Thing - t Thing Thing UpdateOptions'],
  },
  { name: 'nothing that is not there', sent: ['DELETE', `${CONFIG_MAPS}/none`], shown: [] },
];
const ALL = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] };
for (const { name, before = [], sent, shown } of ROWS)
  test(name, async () => {
    for (const each of before) await done(...each);
    for (const kind of ['Mutating', 'Validating'] as const)
      await configure(kind, hook({ rules: [ALL], clientConfig: { url: `${webhook.url}/${kind}`, caBundle: webhook.caBundle } }));
    await request(...sent);
    const reviews = asked().map((each, index) => ({
      line: lineOf(each),
      phase: /convert\/(\w+)/.exec(webhook.requests[index] ?? '')?.[1],
    }));
    for (const kind of ['Mutating', 'Validating'])
      assert.equal(
        reviews.filter(({ phase }) => phase === kind).map(({ line }) => line),
        shown,
        kind,
      );
  });

test('what follows a proxy in the path, whatever the query says', async () => {
  await configure('Validating', hook({ rules: [ALL] }));
  const shown: unknown[] = [];
  for (const below of ['', '/', '/a%20b/c?path=q&x=y', '/a/', '?path=q']) {
    await request('GET', `${DEFAULT}/pods/q/proxy${below}`);
    shown.push(asked().at(-1)?.object?.path);
  }
  assert.equal(shown, [undefined, '/', '/a b/c', '/a/', undefined]);
});

test('a request for a token with the status that its answer will have', async () => {
  await request('POST', `${DEFAULT}/serviceaccounts`, named('default'));
  await configure('Validating', hook({ rules: [ALL] }));
  await request('POST', `${DEFAULT}/serviceaccounts/default/token`, { spec: {} });
  assert.equal(asked().at(-1)?.object?.status, { token: '', expirationTimestamp: null });
});

/** Sends a request until it succeeds: a new definition is served soon. */
async function done(...sent: Sent): Promise<void> {
  await eventually('it succeeds', async () => {
    const answer = await request(...sent).catch(({ message }: Error) => ({ status: 404, body: message }));
    assert.ok(answer.status === 404 || answer.status < 300, JSON.stringify(answer.body));
    return answer.status < 300;
  });
}

function lineOf({ operation, resource, subResource, kind, namespace, name, object, oldObject, options }: ReturnType<typeof asked>[number]) {
  // the name that is made is known in the second phase
  const nameOf = object?.metadata?.generateName === undefined ? name : undefined;
  return [
    operation,
    [resource.resource, subResource].filter(Boolean).join('/'),
    [kind.group, kind.version, kind.kind].filter(Boolean).join('/'),
    namespace ?? '-',
    nameOf ?? '-',
    object?.kind ?? '-',
    oldObject?.kind ?? '-',
    options?.kind ?? '-',
  ].join(' ');
}

test.run();
