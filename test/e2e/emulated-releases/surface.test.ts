/** The parts of the API surface of a release that discovery does not tell: fields, values, defaults, gates, the version, and the form in which objects are stored. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../../generated/routes.ts';
import { storeFolder } from '../../../runtime/assembly/store/store-folder.ts';
import { storedTerms } from '../../../runtime/registry/stored-objects/stored-terms.ts';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { bodyOf } from './objects.ts';
import { type ListedResource, releases, startAt, withServer } from './server.ts';

const template = { spec: { containers: [{ name: 'a', image: 'a:1' }], restartPolicy: 'Never' } };
const job = (spec: object) => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' }, spec: { template, ...spec } });
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const pod = (spec: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { ...template.spec, ...spec } });
const PODS = '/api/v1/namespaces/default/pods';
const SERVICES = '/api/v1/namespaces/default/services';
const claim = (accessMode: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'a' },
  spec: { accessModes: [accessMode], resources: { requests: { storage: '1Gi' } } },
});
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const AUTOSCALERS = '/apis/autoscaling/v2beta2/namespaces/default/horizontalpodautoscalers';
const autoscaler = {
  apiVersion: 'autoscaling/v2beta2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
    maxReplicas: 2,
    metrics: [
      {
        type: 'ContainerResource',
        containerResource: { name: 'cpu', container: 'a', target: { type: 'Utilization', averageUtilization: 50 } },
      },
    ],
  },
};
const selector = { matchLabels: { app: 'a' } };
const daemonSet = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'a' },
  spec: { selector, template: { metadata: { labels: selector.matchLabels }, spec: { containers: template.spec.containers } } },
};

const balancer = (spec: object) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a' },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec },
});

interface Row {
  readonly name: string;
  readonly release: string;
  readonly gates?: Readonly<Record<string, boolean>>;
  readonly url: string;
  readonly body: object;
  readonly validation?: 'Strict' | 'Ignore';
  /** default 201 */
  readonly status?: number;
  readonly message?: RegExp;
  /** dotted path in the answer, and what is there; undefined: nothing */
  readonly has?: readonly (readonly [path: string, value: unknown])[];
}

const rows: readonly Row[] = [
  {
    name: 'a field that came later is unknown',
    release: '1.20',
    url: JOBS,
    body: job({ suspend: true }),
    validation: 'Strict',
    status: 400,
    message: /unknown field "spec\.suspend"/,
  },
  {
    name: 'a field that came later is dropped',
    release: '1.20',
    url: JOBS,
    body: job({ suspend: true }),
    has: [['spec.suspend', undefined]],
  },
  {
    name: 'a field is there from its release on',
    release: '1.21',
    gates: { SuspendJob: true },
    url: JOBS,
    body: job({ suspend: true }),
    validation: 'Strict',
    has: [['spec.suspend', true]],
  },
  {
    name: 'a field of a struct below is unknown',
    release: '1.26',
    url: PODS,
    body: pod({ containers: [{ name: 'a', image: 'a:1', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }] }),
    validation: 'Strict',
    status: 400,
    message: /unknown field "spec\.containers\[0\]\.resizePolicy"/,
  },
  {
    name: 'a default came with its release',
    release: '1.20',
    url: JOBS,
    body: job({}),
    has: [
      ['spec.completionMode', undefined],
      ['spec.backoffLimit', 6],
    ],
  },
  {
    name: 'a default is there from its release on',
    release: '1.21',
    gates: { IndexedJob: true, SuspendJob: true },
    url: JOBS,
    body: job({}),
    has: [
      ['spec.completionMode', 'NonIndexed'],
      ['spec.suspend', false],
    ],
  },
  {
    name: 'a default of a member of a rolling update',
    release: '1.20',
    url: '/apis/apps/v1/namespaces/default/daemonsets',
    body: daemonSet,
    has: [
      ['spec.updateStrategy.rollingUpdate.maxUnavailable', 1],
      ['spec.updateStrategy.rollingUpdate.maxSurge', undefined],
    ],
  },
  {
    name: 'a default of a member of a rolling update later',
    release: '1.21',
    gates: { DaemonSetUpdateSurge: true },
    url: '/apis/apps/v1/namespaces/default/daemonsets',
    body: daemonSet,
    has: [['spec.updateStrategy.rollingUpdate.maxSurge', 0]],
  },
  {
    name: 'a value that came later is refused',
    release: '1.21',
    url: CLAIMS,
    body: claim('ReadWriteOncePod'),
    status: 422,
    message:
      /spec\.accessModes: Unsupported value: "ReadWriteOncePod": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"$/,
  },
  {
    name: 'a value is taken from its release on',
    release: '1.22',
    url: CLAIMS,
    body: claim('ReadWriteOncePod'),
    has: [['spec.accessModes', ['ReadWriteOncePod']]],
  },
  {
    name: 'a value of a version that is converted, and came later, is refused',
    release: '1.19',
    url: AUTOSCALERS,
    body: autoscaler,
    status: 422,
    message: /spec\.metrics\[0\]\.type: Unsupported value: "ContainerResource": supported values: "External", "Object", "Pods", "Resource"/,
  },
  {
    name: 'a value of a version that is converted is taken later',
    release: '1.20',
    gates: { HPAContainerMetrics: true },
    url: AUTOSCALERS,
    body: autoscaler,
    has: [['spec.metrics.0.containerResource.container', 'a']],
  },
  {
    name: 'values that came later are not named',
    release: '1.19',
    url: AUTOSCALERS,
    body: { ...autoscaler, spec: { ...autoscaler.spec, metrics: [{ type: 'Other' }] } },
    status: 422,
    message: /Unsupported value: "Other": supported values: "External", "Object", "Pods", "Resource"/,
  },
  {
    name: 'what is behind an alpha gate is dropped',
    release: '1.28',
    url: JOBS,
    body: job({ podReplacementPolicy: 'Failed' }),
    has: [['spec.podReplacementPolicy', undefined]],
  },
  {
    name: 'what is behind an alpha gate that is on is kept',
    release: '1.28',
    gates: { JobPodReplacementPolicy: true },
    url: JOBS,
    body: job({ podReplacementPolicy: 'Failed' }),
    has: [['spec.podReplacementPolicy', 'Failed']],
  },
  {
    name: 'a member that is required now needs no value where its gate is closed',
    release: '1.20',
    url: SERVICES,
    body: balancer({ allocateLoadBalancerNodePorts: false }),
    has: [['spec.allocateLoadBalancerNodePorts', undefined]],
  },
  {
    name: 'a default is set where the gate of its member is open',
    release: '1.20',
    gates: { ServiceLBNodePortControl: true },
    url: SERVICES,
    body: balancer({}),
    has: [['spec.allocateLoadBalancerNodePorts', true]],
  },
  {
    name: 'what was behind an alpha gate that is gone by now is dropped',
    release: '1.21',
    url: JOBS,
    body: job({ suspend: true }),
    validation: 'Strict',
    has: [
      ['spec.suspend', undefined],
      ['spec.completionMode', undefined],
    ],
  },
  {
    name: 'what was behind a gate that is gone by now and was beta by then is kept',
    release: '1.22',
    url: JOBS,
    body: job({ suspend: true }),
    has: [
      ['spec.suspend', true],
      ['spec.completionMode', 'NonIndexed'],
    ],
  },
  {
    name: 'a volume of a kind behind an alpha gate that is gone by now is none',
    release: '1.20',
    url: PODS,
    body: pod({
      volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec: claim('ReadWriteOnce').spec } } }],
    }),
    status: 422,
    message: /spec\.volumes\[0\]: Required value: must specify a volume type/,
  },
  {
    name: 'a metric of a container, behind an alpha gate that is gone by now, is none',
    release: '1.20',
    url: AUTOSCALERS,
    body: autoscaler,
    status: 422,
    message: /spec\.metrics\[0\]\.containerResource: Required value: must populate information for the given metric source/,
  },
  {
    name: 'defaults of members behind an alpha gate that is gone by now',
    release: '1.20',
    url: '/apis/storage.k8s.io/v1/csidrivers',
    body: { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'a' } },
    has: [
      ['spec.attachRequired', true],
      ['spec.requiresRepublish', undefined],
      ['spec.storageCapacity', undefined],
    ],
  },
  {
    name: 'a member that has to be there where its gate is on',
    release: '1.20',
    gates: { CSIStorageCapacity: true },
    url: '/apis/storage.k8s.io/v1/csidrivers',
    body: { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'a' }, spec: { storageCapacity: true } },
    has: [['spec.storageCapacity', true]],
  },
  {
    name: 'what is behind a gate that is beta by then is kept',
    release: '1.29',
    url: JOBS,
    body: job({ podReplacementPolicy: 'Failed' }),
    has: [['spec.podReplacementPolicy', 'Failed']],
  },
  {
    name: 'what is behind a beta gate that is off is dropped',
    release: '1.29',
    gates: { JobPodReplacementPolicy: false },
    url: JOBS,
    body: job({ podReplacementPolicy: 'Failed' }),
    has: [['spec.podReplacementPolicy', undefined]],
  },
];

const at = (object: unknown, dotted: string): unknown =>
  dotted.split('.').reduce((value: unknown, name) => (value as Record<string, unknown> | undefined)?.[name], object);
const flags = { controllers: ['-*'], 'disable-admission-plugins': ['ServiceAccount', 'Priority'] };

const surface = suite('the API surface of earlier releases');
for (const { name, release, gates = {}, url, body, validation = 'Ignore', status = 201, message, has = [] } of rows)
  surface(`${release}: ${name}`, () =>
    withServer(release, { flags: { ...flags, 'feature-gates': gates } }, async ({ call }) => {
      const answer = await call('POST', `${url}?fieldValidation=${validation}`, body);
      assert.is(answer.status, status, JSON.stringify(answer.body));
      if (message !== undefined) assert.match(answer.body.message, message);
      for (const [dotted, value] of has) assert.equal(at(answer.body, dotted), value, dotted);
      if (status !== 201) return;
      const read = await call('GET', `${url}/${answer.body.metadata.name}`);
      for (const [dotted, value] of has) assert.equal(at(read.body, dotted), value, `${dotted}, read`);
    }),
  );
for (const release of releases)
  surface(`${release} says so at /version`, () =>
    withServer(release, { flags }, async ({ call }) => {
      const { body } = await call('GET', '/version');
      assert.equal([body.major, body.minor, body.gitVersion], ['1', release.slice(2), `v${release}.0`]);
    }),
  );

/** What each release stores objects as: the version that one can go back from by a release. */
const stored: readonly (readonly [release: string, created: string, kind: string, resource: string, place: string, version: string])[] = [
  [
    '1.16',
    'apiextensions.k8s.io/v1beta1',
    'CustomResourceDefinition',
    'customresourcedefinitions',
    'apiextensions.k8s.io/customresourcedefinitions/',
    'apiextensions.k8s.io/v1beta1',
  ],
  [
    '1.17',
    'apiextensions.k8s.io/v1beta1',
    'CustomResourceDefinition',
    'customresourcedefinitions',
    'apiextensions.k8s.io/customresourcedefinitions/',
    'apiextensions.k8s.io/v1',
  ],
  ['1.18', 'extensions/v1beta1', 'Ingress', 'ingresses', 'ingress/default/', 'networking.k8s.io/v1beta1'],
  ['1.19', 'networking.k8s.io/v1', 'Ingress', 'ingresses', 'ingress/default/', 'networking.k8s.io/v1beta1'],
  ['1.20', 'networking.k8s.io/v1beta1', 'Ingress', 'ingresses', 'ingress/default/', 'networking.k8s.io/v1'],
  ['1.21', 'batch/v1', 'CronJob', 'cronjobs', 'cronjobs/default/', 'batch/v1beta1'],
  ['1.22', 'batch/v1beta1', 'CronJob', 'cronjobs', 'cronjobs/default/', 'batch/v1'],
  ['1.23', 'autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', 'horizontalpodautoscalers/default/', 'autoscaling/v1'],
  [
    '1.24',
    'autoscaling/v2beta2',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    'horizontalpodautoscalers/default/',
    'autoscaling/v2',
  ],
  ['1.29', 'flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', 'flowschemas', 'flowschemas/', 'flowcontrol.apiserver.k8s.io/v1beta3'],
  ['1.30', 'flowcontrol.apiserver.k8s.io/v1beta3', 'FlowSchema', 'flowschemas', 'flowschemas/', 'flowcontrol.apiserver.k8s.io/v1'],
];
const isNamespaced = (place: string): boolean => place.includes('/default/');
/** What is stored begins with what is known of it without reading it. */
const jsonIn = (value: Buffer | undefined): string => value?.subarray(value.indexOf('{"')).toString('utf8') ?? '{}';
const folder = mkdtempSync(path.join(tmpdir(), 'stored-form-'));
surface.after(() => rmSync(folder, { recursive: true, force: true }));
for (const [release, created, kind, resource, place, version] of stored)
  surface(`${release} stores ${created} ${kind} as ${version}`, async () => {
    const directory = path.join(folder, `${release}-${resource}`);
    const [group = '', of = ''] = created.split('/');
    const { name, body } = bodyOf({ group, version: of, kind } as ListedResource);
    const server = await startAt(release, { flags, store: { directory } });
    try {
      const { status, body: answer } = await server.call(
        'POST',
        `/apis/${created}/${isNamespaced(place) ? 'namespaces/default/' : ''}${resource}`,
        body,
      );
      assert.is(status, 201, answer.message);
      assert.is(answer.apiVersion, created);
    } finally {
      await server.stop();
    }
    const storage = openLmdbStorage({ directory: storeFolder(directory), dialect: 'kubernetes', terms: storedTerms(groupVersions) });
    try {
      assert.is(JSON.parse(jsonIn(storage.get(`${place}${name}`)?.value)).apiVersion, version);
    } finally {
      await storage.close();
    }
  });
surface.run();
