/** A small object of every kind that some release had, each in the version that a test is about to create it in. */
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import type { ListedResource } from './server.ts';

type Members = Readonly<Record<string, unknown>>;

const labels = { app: 'a' };
const pod = { containers: [{ name: 'a', image: 'a:1' }] };
const template = { metadata: { labels }, spec: pod };
const job = { template: { spec: { ...pod, restartPolicy: 'Never' } } };
const reference = { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' };
const ingressV1 = { defaultBackend: { service: { name: 'a', port: { number: 80 } } } };
const ingressBefore = { backend: { serviceName: 'a', servicePort: 80 } };
const webhookClient = { url: 'https://example.com/' };
const reviewer = { name: 'a.example.com', clientConfig: webhookClient, sideEffects: 'None', admissionReviewVersions: ['v1'] };
const subjects = [{ kind: 'Group', name: 'g', apiGroup: 'rbac.authorization.k8s.io' }];
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
const definitionNames = { plural: 'lamps', kind: 'Lamp' };
const flowRules = { resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['*'] }] };
const flowSubject = { kind: 'Group', group: { name: 'g' } };
const policyConstraints = { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }] };
const anyOf = { rule: 'RunAsAny' };
const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } };
const capacity = { storageClassName: 'a', capacity: '1Gi' };
const device = { name: 'a', basic: {} };

/** By `group/version Kind`, or by the kind where all its versions take the same. */
const bodies: Readonly<Record<string, Members>> = {
  ConfigMap: { data: { a: 'b' } },
  Endpoints: { subsets: [{ addresses: [{ ip: '10.1.1.1' }], ports: [{ port: 80 }] }] },
  '/v1 Event': { involvedObject: { namespace: 'default', kind: 'Pod', name: 'a' }, reason: 'A' },
  Event: {
    eventTime: '2020-01-01T00:00:00.000000Z',
    reportingController: 'example.com/a',
    reportingInstance: 'a',
    action: 'A',
    reason: 'A',
    type: 'Normal',
    regarding: { namespace: 'default', kind: 'Pod', name: 'a' },
  },
  LimitRange: { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } },
  Namespace: {},
  Node: { spec: { podCIDR: '10.2.0.0/24' } },
  PersistentVolume: { spec: volume },
  PersistentVolumeClaim: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  Pod: { spec: pod },
  PodTemplate: { template },
  ReplicationController: { spec: { replicas: 1, selector: labels, template } },
  ResourceQuota: { spec: { hard: { pods: '1' } } },
  Secret: { stringData: { a: 'b' } },
  Service: { spec: { ports: [{ port: 80 }], selector: labels } },
  ServiceAccount: {},
  ControllerRevision: { revision: 1, data: { a: 'b' } },
  DaemonSet: { spec: { selector: { matchLabels: labels }, template } },
  Deployment: { spec: { selector: { matchLabels: labels }, template } },
  ReplicaSet: { spec: { selector: { matchLabels: labels }, template } },
  StatefulSet: { spec: { serviceName: 'a', selector: { matchLabels: labels }, template } },
  MutatingWebhookConfiguration: { webhooks: [reviewer] },
  ValidatingWebhookConfiguration: { webhooks: [reviewer] },
  ValidatingAdmissionPolicy: { spec: { matchConstraints: policyConstraints, validations: [{ expression: 'true' }] } },
  'admissionregistration.k8s.io/v1alpha1 ValidatingAdmissionPolicyBinding': { spec: { policyName: 'a' } },
  ValidatingAdmissionPolicyBinding: { spec: { policyName: 'a', validationActions: ['Deny'] } },
  MutatingAdmissionPolicy: {
    spec: {
      matchConstraints: policyConstraints,
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "add", path: "/spec/paused", value: true}]' } }],
    },
  },
  MutatingAdmissionPolicyBinding: { spec: { policyName: 'a' } },
  'apiextensions.k8s.io/v1beta1 CustomResourceDefinition': {
    spec: { group: 'example.com', names: definitionNames, scope: 'Cluster', version: 'v1' },
  },
  CustomResourceDefinition: {
    spec: {
      group: 'example.com',
      names: definitionNames,
      scope: 'Cluster',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  },
  APIService: {
    spec: {
      group: 'other.example.com',
      version: 'v1',
      groupPriorityMinimum: 1,
      versionPriority: 1,
      service: { namespace: 'default', name: 'a' },
      insecureSkipTLSVerify: true,
    },
  },
  StorageVersion: { spec: {}, status: {} },
  AuditSink: { spec: { policy: { level: 'Metadata' }, webhook: { clientConfig: webhookClient } } },
  HorizontalPodAutoscaler: { spec: { scaleTargetRef: reference, maxReplicas: 3 } },
  Job: { spec: job },
  CronJob: { spec: { schedule: '0 0 * * *', jobTemplate: { spec: job } } },
  Lease: { spec: { holderIdentity: 'a', leaseDurationSeconds: 10 } },
  'coordination.k8s.io/v1alpha1 LeaseCandidate': {
    spec: { leaseName: 'a', binaryVersion: '1.31.0', emulationVersion: '1.31.0', preferredStrategies: ['OldestEmulationVersion'] },
  },
  LeaseCandidate: { spec: { leaseName: 'a', binaryVersion: '1.32.0', emulationVersion: '1.32.0', strategy: 'OldestEmulationVersion' } },
  EndpointSlice: { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.1.1'] }], ports: [{ name: 'a', port: 80, protocol: 'TCP' }] },
  'networking.k8s.io/v1 Ingress': { spec: ingressV1 },
  Ingress: { spec: ingressBefore },
  IngressClass: { spec: { controller: 'example.com/a' } },
  NetworkPolicy: { spec: { podSelector: {} } },
  IPAddress: { spec: { parentRef: { group: '', resource: 'services', namespace: 'default', name: 'a' } } },
  ServiceCIDR: { spec: { cidrs: ['10.9.0.0/24'] } },
  ClusterCIDR: { spec: { perNodeHostBits: 8, ipv4: '10.8.0.0/16' } },
  FlowSchema: {
    spec: {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 100,
      rules: [{ subjects: [flowSubject], ...flowRules }],
    },
  },
  PriorityLevelConfiguration: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } },
  'node.k8s.io/v1alpha1 RuntimeClass': { spec: { runtimeHandler: 'a' } },
  RuntimeClass: { handler: 'a' },
  PodDisruptionBudget: { spec: { minAvailable: 1, selector: { matchLabels: labels } } },
  PodSecurityPolicy: { spec: { seLinux: anyOf, runAsUser: anyOf, supplementalGroups: anyOf, fsGroup: anyOf } },
  ClusterRole: { rules },
  Role: { rules },
  'rbac.authorization.k8s.io/v1alpha1 ClusterRoleBinding': {
    subjects: [{ kind: 'Group', name: 'g' }],
    roleRef: { kind: 'ClusterRole', name: 'a' },
  },
  'rbac.authorization.k8s.io/v1alpha1 RoleBinding': { subjects: [{ kind: 'Group', name: 'g' }], roleRef: { kind: 'Role', name: 'a' } },
  ClusterRoleBinding: { subjects, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'a' } },
  RoleBinding: { subjects, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' } },
  PodScheduling: { spec: { selectedNode: 'a' } },
  PodSchedulingContext: { spec: { selectedNode: 'a' } },
  'resource.k8s.io/v1alpha1 ResourceClaim': { spec: { resourceClassName: 'a' } },
  'resource.k8s.io/v1alpha2 ResourceClaim': { spec: { resourceClassName: 'a' } },
  ResourceClaim: { spec: { devices: { requests: [{ name: 'a', deviceClassName: 'a' }] } } },
  'resource.k8s.io/v1alpha1 ResourceClaimTemplate': { spec: { spec: { resourceClassName: 'a' } } },
  'resource.k8s.io/v1alpha2 ResourceClaimTemplate': { spec: { spec: { resourceClassName: 'a' } } },
  ResourceClaimTemplate: { spec: { spec: { devices: { requests: [{ name: 'a', deviceClassName: 'a' }] } } } },
  ResourceClass: { driverName: 'example.com' },
  ResourceClaimParameters: { shareable: true },
  ResourceClassParameters: { filters: [] },
  'resource.k8s.io/v1alpha2 ResourceSlice': { nodeName: 'a', driverName: 'example.com', namedResources: { instances: [{ name: 'a' }] } },
  ResourceSlice: {
    spec: { driver: 'example.com', nodeName: 'a', pool: { name: 'a', generation: 1, resourceSliceCount: 1 }, devices: [device] },
  },
  DeviceClass: { spec: { selectors: [{ cel: { expression: 'true' } }] } },
  PriorityClass: { value: 7 },
  PodPreset: { spec: { selector: { matchLabels: labels }, env: [{ name: 'A', value: 'b' }] } },
  CSIDriver: { spec: { attachRequired: false } },
  CSINode: { spec: { drivers: [] } },
  CSIStorageCapacity: capacity,
  StorageClass: { provisioner: 'example.com/a' },
  VolumeAttachment: { spec: { attacher: 'example.com', nodeName: 'a', source: { persistentVolumeName: 'a' } } },
  VolumeAttributesClass: { driverName: 'example.com', parameters: { a: 'b' } },
  Lamp: {},
  StorageVersionMigration: { spec: { resource: { group: 'apps', version: 'v1', resource: 'deployments' } } },
};

/** Names that rules prescribe; others are `walked`. */
const names: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'lamps.example.com',
  APIService: 'v1.other.example.com',
  IPAddress: '10.9.0.7',
  StorageVersion: 'apps.deployments',
};

const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
const request = (await x509.Pkcs10CertificateRequestGenerator.create({ name: 'CN=a', keys, signingAlgorithm })).toString('pem');
const authority = (
  await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=a',
    keys,
    signingAlgorithm,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  })
).toString('pem');

const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Of what holds certificates. */
function certificateBody({ version, kind }: ListedResource): Members | undefined {
  if (kind === 'ClusterTrustBundle') return { spec: { trustBundle: authority } };
  if (kind !== 'CertificateSigningRequest') return undefined;
  const spec = { request: encoded(request), usages: ['client auth'] };
  return { spec: version === 'v1' ? { ...spec, signerName: 'example.com/a' } : spec };
}

/** @throws Error for a kind that this page does not know */
export function bodyOf(resource: ListedResource): { readonly name: string; readonly body: object } {
  const { group, version, kind } = resource;
  const members = certificateBody(resource) ?? bodies[`${group}/${version} ${kind}`] ?? bodies[kind];
  if (members === undefined) throw new Error(`no object of ${group}/${version} ${kind}`);
  const name = names[kind] ?? 'walked';
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return { name, body: { apiVersion, kind, metadata: { name }, ...members } };
}
