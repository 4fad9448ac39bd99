/**
 * Versions that releases removed (specification: Removed API versions): the last release that served one tells of its end, and the next one answers 404 where it
 * was, and has its objects in the version that replaces it, with the changes that the specification names.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bodyOf } from './objects.ts';
import { type EmulatingServer, type ListedResource, startAt } from './server.ts';

interface Removed {
  /** such as `batch/v1beta1` */
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced?: true;
  /** undefined: nothing replaces it */
  readonly replacement?: string;
  /** members of the object, where it shall not be the usual one */
  readonly members?: object;
  /** members that it has in the replacement */
  readonly becomes?: object;
}

const DOMAIN = 'k8s.io';
const rbac = `rbac.authorization.${DOMAIN}`;
const flow = `flowcontrol.apiserver.${DOMAIN}`;
const scaleTargetRef = { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' };
const level = (shares: object): object => ({ spec: { type: 'Limited', limited: { ...shares, limitResponse: { type: 'Reject' } } } });
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: '*' };

/** By the release that removed them. */
const table: Readonly<Record<string, readonly Removed[]>> = {
  '1.22': [
    ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((kind) => ({
      apiVersion: `admissionregistration.${DOMAIN}/v1beta1`,
      kind,
      resource: `${kind.toLowerCase()}s`,
      replacement: `admissionregistration.${DOMAIN}/v1`,
      members: { webhooks: [{ name: 'a.example.com', clientConfig: { url: 'https://example.com/' }, rules: [rule] }] },
      becomes: {
        webhooks: [
          {
            failurePolicy: 'Ignore',
            matchPolicy: 'Exact',
            timeoutSeconds: 30,
            sideEffects: 'Unknown',
            admissionReviewVersions: ['v1beta1'],
          },
        ],
      },
    })),
    {
      apiVersion: `apiextensions.${DOMAIN}/v1beta1`,
      kind: 'CustomResourceDefinition',
      resource: 'customresourcedefinitions',
      replacement: `apiextensions.${DOMAIN}/v1`,
      members: {
        spec: {
          group: 'example.com',
          names: { plural: 'lamps', kind: 'Lamp' },
          version: 'v1',
          validation: { openAPIV3Schema: { type: 'object' } },
          additionalPrinterColumns: [{ name: 'A', type: 'string', JSONPath: '.a' }],
        },
      },
      becomes: {
        spec: {
          scope: 'Namespaced',
          versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object' } }, additionalPrinterColumns: [{ jsonPath: '.a' }] }],
          preserveUnknownFields: true,
        },
      },
    },
    {
      apiVersion: `apiregistration.${DOMAIN}/v1beta1`,
      kind: 'APIService',
      resource: 'apiservices',
      replacement: `apiregistration.${DOMAIN}/v1`,
    },
    {
      apiVersion: `coordination.${DOMAIN}/v1beta1`,
      kind: 'Lease',
      resource: 'leases',
      namespaced: true,
      replacement: `coordination.${DOMAIN}/v1`,
    },
    {
      apiVersion: `scheduling.${DOMAIN}/v1beta1`,
      kind: 'PriorityClass',
      resource: 'priorityclasses',
      replacement: `scheduling.${DOMAIN}/v1`,
    },
    { apiVersion: `${rbac}/v1beta1`, kind: 'ClusterRole', resource: 'clusterroles', replacement: `${rbac}/v1` },
    { apiVersion: `${rbac}/v1beta1`, kind: 'ClusterRoleBinding', resource: 'clusterrolebindings', replacement: `${rbac}/v1` },
    { apiVersion: `${rbac}/v1beta1`, kind: 'Role', resource: 'roles', namespaced: true, replacement: `${rbac}/v1` },
    { apiVersion: `${rbac}/v1beta1`, kind: 'RoleBinding', resource: 'rolebindings', namespaced: true, replacement: `${rbac}/v1` },
    {
      apiVersion: `certificates.${DOMAIN}/v1beta1`,
      kind: 'CertificateSigningRequest',
      resource: 'certificatesigningrequests',
      replacement: `certificates.${DOMAIN}/v1`,
      becomes: { spec: { signerName: 'kubernetes.io/legacy-unknown', usages: ['client auth'] } },
    },
    {
      apiVersion: `networking.${DOMAIN}/v1beta1`,
      kind: 'Ingress',
      resource: 'ingresses',
      namespaced: true,
      replacement: `networking.${DOMAIN}/v1`,
      members: {
        spec: {
          backend: { serviceName: 'a', servicePort: 80 },
          rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: { serviceName: 'b', servicePort: 'web' } }] } }],
        },
      },
      becomes: {
        spec: {
          defaultBackend: { service: { name: 'a', port: { number: 80 } } },
          rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'b', port: { name: 'web' } } } }] } }],
        },
      },
    },
    {
      apiVersion: `networking.${DOMAIN}/v1beta1`,
      kind: 'IngressClass',
      resource: 'ingressclasses',
      replacement: `networking.${DOMAIN}/v1`,
    },
    { apiVersion: `storage.${DOMAIN}/v1beta1`, kind: 'CSIDriver', resource: 'csidrivers', replacement: `storage.${DOMAIN}/v1` },
    { apiVersion: `storage.${DOMAIN}/v1beta1`, kind: 'CSINode', resource: 'csinodes', replacement: `storage.${DOMAIN}/v1` },
    { apiVersion: `storage.${DOMAIN}/v1beta1`, kind: 'StorageClass', resource: 'storageclasses', replacement: `storage.${DOMAIN}/v1` },
    {
      apiVersion: `storage.${DOMAIN}/v1beta1`,
      kind: 'VolumeAttachment',
      resource: 'volumeattachments',
      replacement: `storage.${DOMAIN}/v1`,
    },
  ],
  '1.25': [
    { apiVersion: 'batch/v1beta1', kind: 'CronJob', resource: 'cronjobs', namespaced: true, replacement: 'batch/v1' },
    {
      apiVersion: `discovery.${DOMAIN}/v1beta1`,
      kind: 'EndpointSlice',
      resource: 'endpointslices',
      namespaced: true,
      replacement: `discovery.${DOMAIN}/v1`,
      members: {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.1.1.1'], nodeName: 'n', topology: { 'topology.kubernetes.io/zone': 'z', other: 'o' } }],
        ports: [],
      },
      becomes: { endpoints: [{ addresses: ['10.1.1.1'], nodeName: 'n', zone: 'z', deprecatedTopology: { other: 'o' } }] },
    },
    {
      apiVersion: `events.${DOMAIN}/v1beta1`,
      kind: 'Event',
      resource: 'events',
      namespaced: true,
      replacement: `events.${DOMAIN}/v1`,
      becomes: { reportingController: 'example.com/a', action: 'A', regarding: { name: 'a' } },
    },
    {
      apiVersion: 'autoscaling/v2beta1',
      kind: 'HorizontalPodAutoscaler',
      resource: 'horizontalpodautoscalers',
      namespaced: true,
      replacement: 'autoscaling/v2',
      members: {
        spec: { scaleTargetRef, maxReplicas: 3, metrics: [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 50 } }] },
      },
      becomes: {
        spec: { metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }] },
      },
    },
    {
      apiVersion: 'policy/v1beta1',
      kind: 'PodDisruptionBudget',
      resource: 'poddisruptionbudgets',
      namespaced: true,
      replacement: 'policy/v1',
    },
    { apiVersion: 'policy/v1beta1', kind: 'PodSecurityPolicy', resource: 'podsecuritypolicies' },
    { apiVersion: `node.${DOMAIN}/v1beta1`, kind: 'RuntimeClass', resource: 'runtimeclasses', replacement: `node.${DOMAIN}/v1` },
  ],
  '1.26': [
    {
      apiVersion: `${flow}/v1beta1`,
      kind: 'PriorityLevelConfiguration',
      resource: 'prioritylevelconfigurations',
      replacement: `${flow}/v1beta2`,
      members: level({ assuredConcurrencyShares: 7 }),
      becomes: level({ assuredConcurrencyShares: 7 }),
    },
    { apiVersion: `${flow}/v1beta1`, kind: 'FlowSchema', resource: 'flowschemas', replacement: `${flow}/v1beta2` },
    {
      apiVersion: 'autoscaling/v2beta2',
      kind: 'HorizontalPodAutoscaler',
      resource: 'horizontalpodautoscalers',
      namespaced: true,
      replacement: 'autoscaling/v2',
    },
  ],
  '1.27': [
    {
      apiVersion: `storage.${DOMAIN}/v1beta1`,
      kind: 'CSIStorageCapacity',
      resource: 'csistoragecapacities',
      namespaced: true,
      replacement: `storage.${DOMAIN}/v1`,
    },
  ],
  '1.29': [
    {
      apiVersion: `${flow}/v1beta2`,
      kind: 'PriorityLevelConfiguration',
      resource: 'prioritylevelconfigurations',
      replacement: `${flow}/v1beta3`,
      members: level({ assuredConcurrencyShares: 7 }),
      becomes: level({ nominalConcurrencyShares: 7 }),
    },
    { apiVersion: `${flow}/v1beta2`, kind: 'FlowSchema', resource: 'flowschemas', replacement: `${flow}/v1beta3` },
  ],
  '1.32': [
    {
      apiVersion: `${flow}/v1beta3`,
      kind: 'PriorityLevelConfiguration',
      resource: 'prioritylevelconfigurations',
      replacement: `${flow}/v1`,
      becomes: level({ nominalConcurrencyShares: 30 }),
    },
    { apiVersion: `${flow}/v1beta3`, kind: 'FlowSchema', resource: 'flowschemas', replacement: `${flow}/v1` },
  ],
};

/** What the oldest release had removed already. */
const REMOVED_BEFORE = [
  ...['deployments', 'daemonsets', 'replicasets', 'networkpolicies', 'podsecuritypolicies'].map(
    (name) => `/apis/extensions/v1beta1/${name}`,
  ),
  ...['deployments', 'daemonsets', 'replicasets', 'statefulsets', 'controllerrevisions'].map((name) => `/apis/apps/v1beta2/${name}`),
  ...['deployments', 'statefulsets', 'controllerrevisions'].map((name) => `/apis/apps/v1beta1/${name}`),
];

/** Reviews that 1.22 no longer takes: what is sent to them, and what the last release answers. */
const REVIEWS = [
  [`/apis/authentication.${DOMAIN}/v1beta1/tokenreviews`, { spec: { token: 'none' } }],
  [`/apis/authorization.${DOMAIN}/v1beta1/selfsubjectrulesreviews`, { spec: { namespace: 'default' } }],
  [`/apis/authorization.${DOMAIN}/v1beta1/selfsubjectaccessreviews`, { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } }],
  [
    `/apis/authorization.${DOMAIN}/v1beta1/subjectaccessreviews`,
    { spec: { user: 'a', group: ['system:masters'], resourceAttributes: { verb: 'get', resource: 'pods' } } },
  ],
] as const;

const before = (release: string): string => `1.${Number(release.split('.')[1]) - 1}`;
const pathOf = (apiVersion: string, { resource, namespaced }: Removed): string =>
  `/apis/${apiVersion}/${namespaced ? 'namespaces/default/' : ''}${resource}`;

function objectOf({ apiVersion, kind, members }: Removed): { readonly name: string; readonly body: object } {
  const [group = '', version = ''] = apiVersion.split('/');
  const { name, body } = bodyOf({ group, version, kind } as ListedResource);
  return { name, body: { ...body, ...members } };
}

/** Whether a value has all that another one has; lists have the same length. */
function has(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(value) && value.length === wanted.length && wanted.every((each, index) => has(value[index], each));
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(wanted).every(([name, member]) => has((value as Record<string, unknown>)[name], member));
}

const folder = mkdtempSync(path.join(tmpdir(), 'removed-versions-'));
const flags = { controllers: ['-*'], 'disable-admission-plugins': ['Priority'] };

async function at(release: string, directory: string, use: (server: EmulatingServer) => Promise<void>): Promise<void> {
  const server = await startAt(release, { flags, store: { directory } });
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

const test = suite('removed versions');
test.after(() => rmSync(folder, { recursive: true, force: true }));
for (const [release, rows] of Object.entries(table)) {
  const directory = path.join(folder, release);
  test(`the release before ${release} serves what that removes, and says so`, () =>
    at(before(release), directory, async ({ call }) => {
      for (const row of rows) {
        const { body } = objectOf(row);
        const { status, body: answer, warnings } = await call('POST', pathOf(row.apiVersion, row), body);
        assert.is(status, 201, `${row.apiVersion} ${row.kind}: ${answer.message}`);
        const told = warnings.find((text) => text.startsWith(`${row.apiVersion} ${row.kind} is deprecated in v1.`));
        assert.ok(told?.includes(`, unavailable in v${release}+`), `${row.apiVersion} ${row.kind}: ${warnings.join()}`);
        assert.not.match(told ?? '', '${');
      }
    }));
  test(`${release} answers 404 where they were, and has their objects in other versions`, () =>
    at(release, directory, async ({ call }) => {
      for (const row of rows) {
        const { name } = objectOf(row);
        assert.is((await call('GET', `${pathOf(row.apiVersion, row)}/${name}`)).status, 404, `${row.apiVersion} ${row.kind}`);
        if (row.replacement === undefined) continue;
        const { status, body } = await call('GET', `${pathOf(row.replacement, row)}/${name}`);
        assert.is(status, 200, `${row.replacement} ${row.kind}: ${body.message}`);
        assert.ok(has(body, row.becomes ?? {}), `${row.replacement} ${row.kind}: ${JSON.stringify(body)}`);
      }
    }));
}
test('1.24 answers the deletion of a pod security policy with it', () =>
  at('1.24', path.join(folder, 'deletion'), async ({ call }) => {
    const row: Removed = { apiVersion: 'policy/v1beta1', kind: 'PodSecurityPolicy', resource: 'podsecuritypolicies' };
    const { name, body } = objectOf(row);
    await call('POST', pathOf(row.apiVersion, row), body);
    const { body: answer } = await call('DELETE', `${pathOf(row.apiVersion, row)}/${name}`);
    assert.equal([answer.kind, answer.metadata.name], ['PodSecurityPolicy', name]);
  }));
test('1.16 does not serve what it has removed', () =>
  at('1.16', path.join(folder, '1.16'), async ({ call }) => {
    for (const each of REMOVED_BEFORE) assert.is((await call('GET', each)).status, 404, each);
  }));
test('1.21 answers reviews of v1beta1, which 1.22 does not', async () => {
  await at('1.21', path.join(folder, 'reviews'), async ({ call }) => {
    for (const [url, body] of REVIEWS) assert.is((await call('POST', url, body)).status, 201, url);
    const [url, body] = REVIEWS[3];
    assert.is((await call('POST', url, body)).body.status.allowed, true);
  });
  await at('1.22', path.join(folder, 'reviews'), async ({ call }) => {
    for (const [url, body] of REVIEWS) assert.is((await call('POST', url, body)).status, 404, url);
  });
});
test.run();
