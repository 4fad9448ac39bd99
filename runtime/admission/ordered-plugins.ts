/** The plugins of 1.32 in the order in which they run, with what they are made of. */
import type { Identity } from '../contract/identity.ts';
import type { FileKinds } from '../files/file-kinds.ts';
import type { FileKindName } from '../files/file-versions.ts';
import type { Log } from '../observability/log.ts';
import type { AdmissionPlugin, PluginParts } from './plugin-interface/plugin.ts';
import { alwaysDeny } from './plugins/always-deny.ts';
import { alwaysPullImages } from './plugins/always-pull-images.ts';
import { certificateSubjectRestriction } from './plugins/certificate-subject-restriction.ts';
import { defaultIngressClass, defaultStorageClass } from './plugins/default-classes.ts';
import { defaultTolerationSeconds } from './plugins/default-toleration-seconds.ts';
import { denyServiceExternalIPs } from './plugins/deny-service-external-ips.ts';
import { eventRateLimit } from './plugins/event-rate-limit.ts';
import { extendedResourceToleration } from './plugins/extended-resource-toleration.ts';
import { imagePolicyWebhook } from './plugins/image-policy-webhook.ts';
import { limitRanger } from './plugins/limit-ranger.ts';
import { mutatingPolicies } from './plugins/mutating-policies.ts';
import { mutatingWebhooks } from './plugins/mutating-webhooks.ts';
import { namespaceAutoProvision, namespaceExists } from './plugins/namespace-existence.ts';
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts';
import { nodeRestriction } from './plugins/node-restriction.ts';
import { ownerReferencesPermissionEnforcement } from './plugins/owner-references-permission.ts';
import { persistentVolumeClaimResize } from './plugins/persistent-volume-claim-resize.ts';
import { limitPodHardAntiAffinityTopology } from './plugins/pod-anti-affinity.ts';
import { podNodeSelector } from './plugins/pod-node-selector.ts';
import { podSecurity } from './plugins/pod-security.ts';
import { podTolerationRestriction } from './plugins/pod-toleration-restriction.ts';
import { podTopologyLabels } from './plugins/pod-topology-labels.ts';
import { priority } from './plugins/priority.ts';
import { resourceQuota } from './plugins/resource-quota.ts';
import { runtimeClass } from './plugins/runtime-class.ts';
import { serviceAccount } from './plugins/service-account.ts';
import { certificateApproval, certificateSigning, clusterTrustBundleAttest } from './plugins/signer-permissions.ts';
import { storageObjectInUseProtection } from './plugins/storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './plugins/taint-nodes-by-condition.ts';
import { validatingPolicies } from './plugins/validating-policies.ts';
import { validatingWebhooks } from './plugins/validating-webhooks.ts';
import type { Operation } from './request/attributes.ts';

export interface OrderedPlugin {
  readonly name: string;
  /** whether it runs where no flag names it */
  readonly byDefault: boolean;
  /** the operations for which the plugin is asked, and for which its time is counted */
  readonly operations: readonly Operation[];
  /** the kind of its configuration; absent if it reads its configuration itself, or has none */
  readonly configuredBy?: FileKindName;
  /** Makes the plugin. @throws Error if its configuration is malformed */
  readonly make: (parts: PluginParts) => AdmissionPlugin;
  /** Reads its part of the configuration file; absent if the plugin gets that part unchanged. @throws FileError */
  readonly readConfiguration?: (value: unknown, file: string, parts: ConfigurationParts) => Promise<unknown>;
}

export interface ConfigurationParts {
  readonly identity: Identity;
  readonly fileKinds: () => Promise<FileKinds>;
  /** whether a plugin of the name runs */
  readonly runs: (name: string) => boolean;
  readonly log: Pick<Log, 'warn'>;
}

type Make = OrderedPlugin['make'];
type Operations = OrderedPlugin['operations'];
const on = (name: string, operations: Operations, make: Make): OrderedPlugin => ({ name, operations, byDefault: true, make });
const off = (name: string, operations: Operations, make: Make): OrderedPlugin => ({ name, operations, byDefault: false, make });
const CREATES: Operations = ['create'];
const UPDATES: Operations = ['update'];
const WRITES: Operations = ['create', 'update'];
const CHANGES: Operations = ['create', 'update', 'delete'];
const ALL: Operations = ['create', 'update', 'delete', 'connect'];
/** Few servers are told as whom they ask webhooks. */
const readWebhookCredentials: OrderedPlugin['readConfiguration'] = async (value, file, parts) =>
  (await import('./webhooks/webhook-credentials.ts')).readWebhookCredentials(value, file, parts);
const readImagePolicy: OrderedPlugin['readConfiguration'] = async (value, file, parts) =>
  (await import('./image-policy/configuration.ts')).readImagePolicy(value, file, parts);

export const ORDERED_PLUGINS: readonly OrderedPlugin[] = [
  off('AlwaysAdmit', ALL, () => ({})),
  off('NamespaceAutoProvision', CREATES, namespaceAutoProvision),
  on('NamespaceLifecycle', CHANGES, ({ identity, namespacePhase }) => namespaceLifecycle(identity, namespacePhase)),
  off('NamespaceExists', CHANGES, namespaceExists),
  off('LimitPodHardAntiAffinityTopology', WRITES, limitPodHardAntiAffinityTopology),
  on('LimitRanger', WRITES, limitRanger),
  on('ServiceAccount', WRITES, ({ identity, objects }) => serviceAccount(identity, objects)),
  off('NodeRestriction', CHANGES, nodeRestriction),
  on('TaintNodesByCondition', CREATES, ({ identity }) => taintNodesByCondition(identity)),
  off('AlwaysPullImages', WRITES, alwaysPullImages),
  { ...off('ImagePolicyWebhook', WRITES, imagePolicyWebhook), readConfiguration: readImagePolicy },
  {
    ...on('PodSecurity', WRITES, podSecurity),
    configuredBy: { group: 'pod-security.admission.config.${groupDomain}', kind: 'PodSecurityConfiguration' },
  },
  off('PodNodeSelector', CREATES, podNodeSelector),
  on('Priority', CHANGES, priority),
  on('DefaultTolerationSeconds', WRITES, defaultTolerationSeconds),
  {
    ...off('PodTolerationRestriction', WRITES, podTolerationRestriction),
    configuredBy: { group: 'podtolerationrestriction.admission.${groupDomain}', kind: 'PodTolerationRestrictionConfiguration' },
  },
  {
    ...off('EventRateLimit', WRITES, (parts) => eventRateLimit(parts)),
    configuredBy: { group: 'eventratelimit.admission.${groupDomain}', kind: 'EventRateLimitConfiguration' },
  },
  off('ExtendedResourceToleration', WRITES, extendedResourceToleration),
  on('DefaultStorageClass', CREATES, defaultStorageClass),
  on('StorageObjectInUseProtection', CREATES, ({ identity }) => storageObjectInUseProtection(identity)),
  off('OwnerReferencesPermissionEnforcement', WRITES, ownerReferencesPermissionEnforcement),
  on('PersistentVolumeClaimResize', UPDATES, persistentVolumeClaimResize),
  on('RuntimeClass', CREATES, runtimeClass),
  on('CertificateApproval', UPDATES, certificateApproval),
  on('CertificateSigning', UPDATES, certificateSigning),
  on('ClusterTrustBundleAttest', WRITES, clusterTrustBundleAttest),
  on('CertificateSubjectRestriction', CREATES, ({ identity }) => certificateSubjectRestriction(identity)),
  on('DefaultIngressClass', CREATES, defaultIngressClass),
  off('DenyServiceExternalIPs', WRITES, denyServiceExternalIPs),
  on('PodTopologyLabels', CREATES, podTopologyLabels),
  on('MutatingAdmissionPolicy', ALL, mutatingPolicies),
  { ...on('MutatingAdmissionWebhook', ALL, mutatingWebhooks), readConfiguration: readWebhookCredentials },
  on('ValidatingAdmissionPolicy', ALL, validatingPolicies),
  { ...on('ValidatingAdmissionWebhook', ALL, validatingWebhooks), readConfiguration: readWebhookCredentials },
  {
    ...on('ResourceQuota', WRITES, resourceQuota),
    configuredBy: { group: 'apiserver.config.${groupDomain}', kind: 'ResourceQuotaConfiguration' },
  },
  off('AlwaysDeny', ALL, alwaysDeny),
];
