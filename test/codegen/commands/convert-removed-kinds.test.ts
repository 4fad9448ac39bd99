/** The table of removed versions of the specification: each kind has a row that says what becomes of it, and what people are told. */
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ManifestChecker } from '../../../codegen/convert/check-manifests.ts';
import { type ConvertedObject, convertObject } from '../../../codegen/convert/convert-object.ts';
import { KnownKinds, loadGeneratedKinds } from '../../../codegen/convert/known-kinds.ts';
import { ManifestKinds } from '../../../codegen/convert/manifest-kinds.ts';
import type { GroupVersionData } from '../../../runtime/contract/kind.ts';
import { startServer } from '../../../runtime/embedded/start-server.ts';

const generated = await loadGeneratedKinds(path.join(import.meta.dirname, '../../..'));
const kinds = new KnownKinds(generated, 'kubernetes');

// biome-ignore lint/suspicious/noExplicitAny: objects of any kind
type Json = any;

async function convert(written: Json, apiVersion?: string, withDefaults = false): Promise<ConvertedObject> {
  const from = await kinds.find(written.apiVersion, written.kind);
  assert.ok(from !== undefined, `${written.apiVersion} ${written.kind} is known`);
  const to = apiVersion === undefined ? await kinds.servedForm(from, '1.32') : await kinds.find(apiVersion, written.kind);
  assert.ok(to !== undefined, `${written.kind} has a place to go`);
  return convertObject(kinds, written, { from, to, withDefaults });
}

interface Row {
  readonly from: string;
  readonly kind: string;
  readonly written: Json;
  readonly to: string;
  /** without `apiVersion` and `kind`; absent: what was written */
  readonly becomes?: Json;
  /** beginnings of all notices, in their order; absent: none */
  readonly notices?: readonly string[];
}

const metadata = { name: 'a' };
const podSpec = { containers: [{ name: 'a', image: 'a:1' }] };
const template = { metadata: { labels: { app: 'a' } }, spec: podSpec };
const selector = { matchLabels: { app: 'a' } };
const ofTemplate = { metadata: { name: 'a', labels: { app: 'a' } } };
const SELECTED = ['metadata.labels: {"app":"a"} is written out', 'spec.selector: {"matchLabels":{"app":"a"}} is written out'];
const roleRules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
const rbac = 'rbac.authorization.k8s.io';
const binding = {
  metadata,
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'r' },
  subjects: [{ kind: 'User', apiGroup: rbac, name: 'u' }],
};
const resourceAttributes = { verb: 'get', resource: 'pods' };
const webhook = { name: 'a.example.com', clientConfig: { url: 'https://a.example.com' }, rules: [] };
const oldWebhook = {
  ...webhook,
  failurePolicy: 'Ignore',
  matchPolicy: 'Exact',
  sideEffects: 'Unknown',
  timeoutSeconds: 30,
  admissionReviewVersions: ['v1beta1'],
};
const flow = { priorityLevelConfiguration: { name: 'p' }, rules: [] };
const level = (member: string) => ({ metadata, spec: { type: 'Limited', limited: { [member]: 5, limitResponse: { type: 'Reject' } } } });
const hpa = (...metrics: Json[]) => ({
  metadata,
  spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, metrics },
});
const resourceMetric = (source: Json) => ({ type: 'Resource', resource: { name: 'cpu', ...source } });
const utilization = resourceMetric({ target: { type: 'Utilization', averageUtilization: 50 } });
const same = (from: string, kind: string, to: string, written: Json): Row => ({ from, kind, to, written });

const rows: Row[] = [
  // 1.32, 1.29 and 1.26
  same('flowcontrol.apiserver.k8s.io/v1beta3', 'FlowSchema', 'flowcontrol.apiserver.k8s.io/v1', { metadata, spec: flow }),
  same('flowcontrol.apiserver.k8s.io/v1beta2', 'FlowSchema', 'flowcontrol.apiserver.k8s.io/v1', { metadata, spec: flow }),
  same('flowcontrol.apiserver.k8s.io/v1beta1', 'FlowSchema', 'flowcontrol.apiserver.k8s.io/v1', { metadata, spec: flow }),
  same(
    'flowcontrol.apiserver.k8s.io/v1beta3',
    'PriorityLevelConfiguration',
    'flowcontrol.apiserver.k8s.io/v1',
    level('nominalConcurrencyShares'),
  ),
  ...['v1beta2', 'v1beta1'].map((version) => ({
    ...same(
      `flowcontrol.apiserver.k8s.io/${version}`,
      'PriorityLevelConfiguration',
      'flowcontrol.apiserver.k8s.io/v1',
      level('assuredConcurrencyShares'),
    ),
    becomes: level('nominalConcurrencyShares'),
  })),
  { ...same('autoscaling/v2beta2', 'HorizontalPodAutoscaler', 'autoscaling/v2', hpa(utilization)) },
  // 1.27
  same('storage.k8s.io/v1beta1', 'CSIStorageCapacity', 'storage.k8s.io/v1', { metadata, storageClassName: 's' }),
  // 1.25
  same('batch/v1beta1', 'CronJob', 'batch/v1', {
    metadata,
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } } },
  }),
  {
    ...same('discovery.k8s.io/v1beta1', 'EndpointSlice', 'discovery.k8s.io/v1', {
      metadata,
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['10.0.0.1'], nodeName: 'n', topology: { 'topology.kubernetes.io/zone': 'z', 'kubernetes.io/hostname': 'n' } },
        { addresses: ['10.0.0.2'], topology: { rack: 'r' } },
      ],
    }),
    becomes: {
      metadata,
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['10.0.0.1'], nodeName: 'n', zone: 'z' },
        { addresses: ['10.0.0.2'], deprecatedTopology: { rack: 'r' } },
      ],
    },
    notices: ['endpoints[0].topology and 1 more: v1 has nodeName and zone'],
  },
  same('events.k8s.io/v1beta1', 'Event', 'events.k8s.io/v1', {
    metadata,
    eventTime: '2020-01-01T00:00:00.000000Z',
    reportingController: 'example.com/c',
    reportingInstance: 'c-1',
    action: 'Act',
    reason: 'Reason',
    type: 'Normal',
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
  }),
  {
    ...same('autoscaling/v2beta1', 'HorizontalPodAutoscaler', 'autoscaling/v2', hpa(resourceMetric({ targetAverageUtilization: 50 }))),
    becomes: hpa(utilization),
  },
  same('policy/v1beta1', 'PodDisruptionBudget', 'policy/v1', { metadata, spec: { minAvailable: 1, selector } }),
  {
    ...same('policy/v1beta1', 'PodDisruptionBudget', 'policy/v1', { metadata, spec: { minAvailable: 1, selector: {} } }),
    becomes: {
      metadata,
      spec: {
        minAvailable: 1,
        selector: { matchExpressions: [{ key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' }] },
      },
    },
    notices: ['spec.selector: An empty selector picks no pods in v1beta1 and all pods of the namespace in v1'],
  },
  same('policy/v1beta1', 'PodDisruptionBudget', 'policy/v1', { metadata, spec: { minAvailable: 1 } }),
  same('node.k8s.io/v1beta1', 'RuntimeClass', 'node.k8s.io/v1', { metadata, handler: 'runc' }),
  {
    ...same('node.k8s.io/v1alpha1', 'RuntimeClass', 'node.k8s.io/v1', { metadata, spec: { runtimeHandler: 'runc' } }),
    becomes: { metadata, handler: 'runc' },
  },
  // 1.22
  ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((kind) => ({
    ...same('admissionregistration.k8s.io/v1beta1', kind, 'admissionregistration.k8s.io/v1', { metadata, webhooks: [webhook] }),
    becomes: { metadata, webhooks: [oldWebhook] },
    notices: [
      'webhooks[0].failurePolicy: Ignore is written out, which admissionregistration.k8s.io/v1beta1 sets by itself; admissionregistration.k8s.io/v1 would set Fail.',
      'webhooks[0].matchPolicy: Exact is written out',
      'webhooks[0].sideEffects: Unknown is written out, which admissionregistration.k8s.io/v1beta1 sets by itself; admissionregistration.k8s.io/v1 would set nothing. v1 requires None or NoneOnDryRun',
      'webhooks[0].timeoutSeconds: 30 is written out',
      'webhooks[0].admissionReviewVersions: ["v1beta1"] is written out',
      'webhooks[0].sideEffects: admissionregistration.k8s.io/v1 refuses it: Unsupported value: "Unknown"',
    ],
  })),
  {
    ...same('apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition', 'apiextensions.k8s.io/v1', {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', kind: 'Widget' },
        scope: 'Namespaced',
        version: 'v1',
        preserveUnknownFields: false,
        validation: { openAPIV3Schema: { type: 'object' } },
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'A', type: 'string', JSONPath: '.spec.a' }],
        conversion: { strategy: 'Webhook', webhookClientConfig: { url: 'https://a.example.com' } },
      },
    }),
    becomes: {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', kind: 'Widget' },
        scope: 'Namespaced',
        preserveUnknownFields: false,
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: 'https://a.example.com' }, conversionReviewVersions: ['v1beta1'] },
        },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
          },
        ],
      },
    },
    notices: ['spec.conversion.webhook.conversionReviewVersions: ["v1beta1"] is written out'],
  },
  {
    ...same('apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition', 'apiextensions.k8s.io/v1', {
      metadata: { name: 'widgets.example.com' },
      spec: { group: 'example.com', version: 'v1', names: { plural: 'widgets', kind: 'Widget' }, scope: 'Namespaced' },
    }),
    becomes: {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', kind: 'Widget' },
        scope: 'Namespaced',
        preserveUnknownFields: true,
        versions: [{ name: 'v1', served: true, storage: true }],
      },
    },
    notices: [
      'spec.preserveUnknownFields: true is written out, which apiextensions.k8s.io/v1beta1 sets by itself; apiextensions.k8s.io/v1 would set nothing. v1 refuses',
      'spec.versions[0].schema.openAPIV3Schema: apiextensions.k8s.io/v1 refuses it: Required value: schemas are required',
      'spec.preserveUnknownFields: apiextensions.k8s.io/v1 refuses it: Invalid value: true',
    ],
  },
  same('apiregistration.k8s.io/v1beta1', 'APIService', 'apiregistration.k8s.io/v1', {
    metadata: { name: 'v1.example.com' },
    spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10, service: { name: 's', namespace: 'n' } },
  }),
  same('authentication.k8s.io/v1beta1', 'TokenReview', 'authentication.k8s.io/v1', { spec: { token: 't' } }),
  same('coordination.k8s.io/v1beta1', 'Lease', 'coordination.k8s.io/v1', {
    metadata,
    spec: { holderIdentity: 'h', leaseDurationSeconds: 15 },
  }),
  same('scheduling.k8s.io/v1beta1', 'PriorityClass', 'scheduling.k8s.io/v1', { metadata, value: 10 }),
  same('scheduling.k8s.io/v1alpha1', 'PriorityClass', 'scheduling.k8s.io/v1', { metadata, value: 10 }),
  ...['v1beta1', 'v1alpha1'].flatMap((version) => [
    same(`${rbac}/${version}`, 'Role', `${rbac}/v1`, { metadata, rules: roleRules }),
    same(`${rbac}/${version}`, 'ClusterRole', `${rbac}/v1`, { metadata, rules: roleRules }),
  ]),
  same(`${rbac}/v1beta1`, 'RoleBinding', `${rbac}/v1`, binding),
  same(`${rbac}/v1beta1`, 'ClusterRoleBinding', `${rbac}/v1`, binding),
  ...['RoleBinding', 'ClusterRoleBinding'].map((kind) => ({
    ...same(`${rbac}/v1alpha1`, kind, `${rbac}/v1`, {
      ...binding,
      subjects: [{ kind: 'User', apiVersion: `${rbac}/v1alpha1`, name: 'u' }],
    }),
    becomes: binding,
  })),
  ...[
    { kind: 'SubjectAccessReview', attributes: resourceAttributes },
    { kind: 'LocalSubjectAccessReview', attributes: { ...resourceAttributes, namespace: 'default' } },
  ].map(({ kind, attributes }) => ({
    ...same('authorization.k8s.io/v1beta1', kind, 'authorization.k8s.io/v1', {
      spec: { group: ['g'], user: 'u', resourceAttributes: attributes },
    }),
    becomes: { spec: { groups: ['g'], user: 'u', resourceAttributes: attributes } },
  })),
  same('authorization.k8s.io/v1beta1', 'SelfSubjectAccessReview', 'authorization.k8s.io/v1', { spec: { resourceAttributes } }),
  same('authorization.k8s.io/v1beta1', 'SelfSubjectRulesReview', 'authorization.k8s.io/v1', { spec: { namespace: 'n' } }),
  {
    ...same('certificates.k8s.io/v1beta1', 'CertificateSigningRequest', 'certificates.k8s.io/v1', {
      metadata,
      spec: { request: 'aGVsbG8=', usages: ['client auth'] },
    }),
    becomes: { metadata, spec: { request: 'aGVsbG8=', usages: ['client auth'], signerName: 'kubernetes.io/legacy-unknown' } },
    notices: [
      'spec.signerName: kubernetes.io/legacy-unknown is written out, which certificates.k8s.io/v1beta1 sets by itself; certificates.k8s.io/v1 would set nothing. v1 requires the name of a signer',
      'spec.signerName: certificates.k8s.io/v1 refuses it: Invalid value: "kubernetes.io/legacy-unknown"',
    ],
  },
  ...['extensions/v1beta1', 'networking.k8s.io/v1beta1'].map((from) => ({
    ...same(from, 'Ingress', 'networking.k8s.io/v1', {
      metadata,
      spec: {
        backend: { serviceName: 's', servicePort: 80 },
        rules: [{ host: 'a.example.com', http: { paths: [{ path: '/', backend: { serviceName: 's', servicePort: 'http' } }] } }],
      },
    }),
    becomes: {
      metadata,
      spec: {
        defaultBackend: { service: { name: 's', port: { number: 80 } } },
        rules: [
          {
            host: 'a.example.com',
            http: {
              paths: [{ path: '/', pathType: 'ImplementationSpecific', backend: { service: { name: 's', port: { name: 'http' } } } }],
            },
          },
        ],
      },
    },
    notices: [
      `spec.rules[0].http.paths[0].pathType: ImplementationSpecific is written out, which ${from} sets by itself; networking.k8s.io/v1 would set nothing. ImplementationSpecific leaves it to the ingress controller`,
    ],
  })),
  same('networking.k8s.io/v1beta1', 'IngressClass', 'networking.k8s.io/v1', { metadata, spec: { controller: 'example.com/c' } }),
  same('storage.k8s.io/v1beta1', 'CSIDriver', 'storage.k8s.io/v1', { metadata, spec: { attachRequired: false } }),
  same('storage.k8s.io/v1beta1', 'CSINode', 'storage.k8s.io/v1', { metadata, spec: { drivers: [{ name: 'd', nodeID: 'n' }] } }),
  same('storage.k8s.io/v1beta1', 'StorageClass', 'storage.k8s.io/v1', { metadata, provisioner: 'example.com/p' }),
  same('storage.k8s.io/v1beta1', 'VolumeAttachment', 'storage.k8s.io/v1', {
    metadata,
    spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
  }),
  // 1.16
  same('extensions/v1beta1', 'NetworkPolicy', 'networking.k8s.io/v1', { metadata, spec: { podSelector: selector } }),
  {
    ...same('extensions/v1beta1', 'DaemonSet', 'apps/v1', { metadata, spec: { template } }),
    becomes: {
      metadata: { ...ofTemplate.metadata, annotations: { 'deprecated.daemonset.template.generation': '0' } },
      spec: { selector, template, updateStrategy: { type: 'OnDelete' } },
    },
    notices: [
      ...SELECTED,
      'spec.updateStrategy.type: OnDelete is written out, which extensions/v1beta1 sets by itself; apps/v1 would set RollingUpdate.',
      'metadata.annotations[deprecated.daemonset.template.generation]: The annotation keeps',
    ],
  },
  same('apps/v1beta2', 'DaemonSet', 'apps/v1', { metadata, spec: { selector, template } }),
  {
    ...same('extensions/v1beta1', 'Deployment', 'apps/v1', { metadata, spec: { template } }),
    becomes: {
      ...ofTemplate,
      spec: {
        selector,
        template,
        strategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
        revisionHistoryLimit: 2147483647,
        progressDeadlineSeconds: 2147483647,
      },
    },
    notices: [
      ...SELECTED,
      'spec.strategy.rollingUpdate.maxUnavailable and 1 more: 1 is written out, which extensions/v1beta1 sets by itself; apps/v1 would set 25%.',
      'spec.revisionHistoryLimit: 2147483647 is written out, which extensions/v1beta1 sets by itself; apps/v1 would set 10.',
      'spec.progressDeadlineSeconds: 2147483647 is written out, which extensions/v1beta1 sets by itself; apps/v1 would set 600.',
    ],
  },
  {
    ...same('apps/v1beta1', 'Deployment', 'apps/v1', { metadata, spec: { selector, template, rollbackTo: { revision: 3 } } }),
    becomes: {
      metadata: { ...ofTemplate.metadata, annotations: { 'deprecated.deployment.rollback.to': '3' } },
      spec: { selector, template, revisionHistoryLimit: 2 },
    },
    notices: [
      'metadata.labels: {"app":"a"} is written out',
      'spec.revisionHistoryLimit: 2 is written out',
      'metadata.annotations[deprecated.deployment.rollback.to]: The annotation keeps',
      'spec.rollbackTo: Nothing acts on it any more',
    ],
  },
  same('apps/v1beta2', 'Deployment', 'apps/v1', { metadata, spec: { selector, template } }),
  {
    ...same('extensions/v1beta1', 'ReplicaSet', 'apps/v1', { metadata, spec: { template } }),
    becomes: { ...ofTemplate, spec: { selector, template } },
    notices: SELECTED,
  },
  same('apps/v1beta2', 'ReplicaSet', 'apps/v1', { metadata, spec: { selector, template } }),
  {
    ...same('apps/v1beta1', 'StatefulSet', 'apps/v1', { metadata, spec: { serviceName: 's', template } }),
    becomes: { ...ofTemplate, spec: { serviceName: 's', selector, template, updateStrategy: { type: 'OnDelete' } } },
    notices: [
      ...SELECTED,
      'spec.updateStrategy.type: OnDelete is written out, which apps/v1beta1 sets by itself; apps/v1 would set RollingUpdate.',
      'spec.persistentVolumeClaimRetentionPolicy: apps/v1 sets',
    ],
  },
  {
    ...same('apps/v1beta2', 'StatefulSet', 'apps/v1', { metadata, spec: { serviceName: 's', selector, template } }),
    notices: ['spec.persistentVolumeClaimRetentionPolicy: apps/v1 sets'],
  },
  ...['apps/v1beta1', 'apps/v1beta2'].flatMap((from) => [
    same(from, 'ControllerRevision', 'apps/v1', { metadata, revision: 1, data: { a: 1 } }),
    same(from, 'Scale', 'autoscaling/v1', { metadata, spec: { replicas: 3 } }),
  ]),
  same('extensions/v1beta1', 'Scale', 'autoscaling/v1', { metadata, spec: { replicas: 3 } }),
];

const removed = suite('removed kinds');
for (const [index, { from, kind, written, to, becomes = written, notices = [] }] of rows.entries())
  removed(`${index + 1}: ${from} ${kind} goes to ${to}`, async () => {
    const before = structuredClone(written);
    const { value, notices: told } = await convert({ apiVersion: from, kind, ...written });
    assert.equal(value, { apiVersion: to, kind, ...becomes });
    assert.equal(
      told.map((text, at) => (text.startsWith(notices[at] ?? '\0') ? notices[at] : text)),
      notices,
    );
    assert.equal(written, before, 'what was written has not changed');
  });
removed('each has a row that some version takes the place of', async () => {
  const gone: string[] = [];
  for (const { load, group, version } of generated.groupVersions) {
    const modules = Object.entries((await load()).kinds);
    const lists = new Set(modules.map(([, data]) => data.list));
    for (const [kind, data] of modules) {
      if (data.lifecycle.removed === undefined || lists.has(kind)) continue;
      const text = kinds.identity.text(group);
      const known = await kinds.find(text === '' ? version : `${text}/${version}`, kind);
      if (known === undefined || data.lifecycle.replacement === undefined || (await kinds.servedForm(known, '1.32')) === undefined)
        continue;
      gone.push(`${known.apiVersion} ${kind}`);
    }
  }
  const stated = new Set(rows.map(({ from, kind }) => `${from} ${kind}`));
  assert.ok(gone.length > 40, `${gone.length}`);
  assert.equal(
    // Alpha versions may go at any time; the table has none.
    gone.filter((name) => !stated.has(name) && !/alpha/.test(name)),
    [],
  );
});
removed.run();

const nowhere = suite('removed kinds that nothing replaces');
const gone: [apiVersion: string, kind: string, advice: RegExp][] = [
  ['policy/v1beta1', 'PodSecurityPolicy', /^No kind takes its place: pod security admission .* pod-security\.kubernetes\.io\/enforce/],
  ['extensions/v1beta1', 'PodSecurityPolicy', /^No kind takes its place: pod security admission/],
  ['settings.k8s.io/v1alpha1', 'PodPreset', /^No kind takes its place: a mutating webhook/],
  ['auditregistration.k8s.io/v1alpha1', 'AuditSink', /^No kind takes its place: flags/],
  ['apps/v1beta1', 'DeploymentRollback', /^No kind takes its place: clients roll back/],
  ['extensions/v1beta1', 'DeploymentRollback', /^No kind takes its place: clients roll back/],
];
for (const [apiVersion, kind, advice] of gone)
  nowhere(`${apiVersion} ${kind}`, async () => {
    const checker = new ManifestChecker(new ManifestKinds(generated, 'kubernetes'), '1.32');
    await checker.checkFile({ name: 'a.yaml', path: 'a.yaml', relative: 'a.yaml', text: `apiVersion: ${apiVersion}\nkind: ${kind}\n` });
    const [finding] = checker.result.findings;
    assert.is(finding?.standing, 'removed');
    assert.is(finding?.replacement, undefined);
    assert.match(finding?.advice ?? '', advice);
  });
nowhere('a policy for pods goes to the version that served it longest', async () => {
  const known = await kinds.find('extensions/v1beta1', 'PodSecurityPolicy');
  assert.ok(known);
  assert.is((await kinds.servedForm(known, '1.20'))?.apiVersion, 'policy/v1beta1');
});
nowhere.run();

const taken = suite('what removed kinds become');
taken('is taken by a server, unless the notices say what it refuses', async () => {
  const server = await startServer({ dialect: 'kubernetes' });
  try {
    const failures: string[] = [];
    for (const [index, { from, kind, written }] of rows.entries()) {
      const { value, notices } = await convert({ apiVersion: from, kind, ...written });
      const path = await collectionOf(value);
      if (path === undefined) continue;
      const refused = notices.some((text) => text.includes(' refuses it: '));
      try {
        await server.client.request('POST', `${path}?dryRun=All`, value);
        if (refused) failures.push(`${index + 1}: taken, against its notices`);
      } catch (error) {
        if (!refused) failures.push(`${index + 1}: ${from} ${kind}: ${(error as Error).message}`);
      }
    }
    assert.equal(failures, []);
  } finally {
    await server.stop();
  }
});
taken.run();

/** Undefined for what no client creates in a collection. */
async function collectionOf({ apiVersion, kind }: Json): Promise<string | undefined> {
  const { groupVersions } = (await import('../../../generated/routes.ts')) as { groupVersions: readonly GroupVersionData[] };
  const version = groupVersions.find(({ group, version: name }) => `${kinds.identity.text(group)}/${name}` === apiVersion);
  const resource = version?.resources.find((each) => each.kind === kind);
  if (resource === undefined) return undefined;
  return `/apis/${apiVersion}${resource.scope === 'Namespaced' ? '/namespaces/default' : ''}/${resource.name}`;
}

// What kubectl's own tests of its converter look for.
const upstream = suite('as kubectl convert');
const wholes: [name: string, written: Json, to: string, parts: Json][] = [
  [
    'a deployment of apps/v1 goes back to extensions/v1beta1',
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { selector, template } },
    'extensions/v1beta1',
    {},
  ],
  [
    'a deployment of extensions/v1beta1 goes to apps/v1beta2',
    { apiVersion: 'extensions/v1beta1', kind: 'Deployment', metadata, spec: { selector, template } },
    'apps/v1beta2',
    {},
  ],
  [
    'an autoscaler of v1 has a metric in v2beta1',
    {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata,
      spec: { ...hpa().spec, metrics: undefined, targetCPUUtilizationPercentage: 50 },
    },
    'autoscaling/v2beta1',
    { metrics: [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 50 } }] },
  ],
  [
    'an autoscaler of v2beta1 has a percentage in v1',
    { apiVersion: 'autoscaling/v2beta1', kind: 'HorizontalPodAutoscaler', ...hpa(resourceMetric({ targetAverageUtilization: 50 })) },
    'autoscaling/v1',
    { targetCPUUtilizationPercentage: 50 },
  ],
  [
    'an ingress of networking v1 goes to extensions/v1beta1',
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata,
      spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
    },
    'extensions/v1beta1',
    { backend: { serviceName: 's', servicePort: 80 } },
  ],
];
for (const [name, written, to, parts] of wholes)
  upstream(name, async () => {
    const { value } = await convert(written, to);
    assert.is(value.apiVersion, to);
    for (const [member, expected] of Object.entries(parts)) assert.equal((value.spec as Json)[member], expected);
  });
upstream('all defaults are written where that is asked for', async () => {
  const { value } = await convert({ apiVersion: 'extensions/v1beta1', kind: 'Deployment', metadata, spec: { template } }, 'apps/v1', true);
  const { status, metadata: meta, spec } = value as Json;
  assert.equal(status, {});
  assert.is(meta.creationTimestamp, null);
  assert.is(spec.replicas, 1);
  assert.is(spec.template.spec.restartPolicy, 'Always');
  assert.is(spec.progressDeadlineSeconds, 2147483647);
});
upstream.run();
