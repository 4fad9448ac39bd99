/** The plugins of 1.32 in the order in which they run, with what they are made of. */
import type { Identity } from '../contract/identity.ts';
import type { FileKinds } from '../files/file-kinds.ts';
import type { FileKindName } from '../files/file-versions.ts';
import { alwaysDeny } from './always-deny.ts';
import { alwaysPullImages } from './always-pull-images.ts';
import { certificateSubjectRestriction } from './certificate-subject-restriction.ts';
import { defaultIngressClass, defaultStorageClass } from './default-classes.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { denyServiceExternalIPs } from './deny-service-external-ips.ts';
import { eventRateLimit } from './event-rate-limit.ts';
import { extendedResourceToleration } from './extended-resource-toleration.ts';
import { imagePolicyWebhook } from './image-policy-webhook.ts';
import { limitRanger } from './limit-ranger.ts';
import { mutatingPolicies } from './mutating-policies.ts';
import { mutatingWebhooks } from './mutating-webhooks.ts';
import { namespaceAutoProvision, namespaceExists } from './namespace-existence.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { nodeRestriction } from './node-restriction.ts';
import { ownerReferencesPermissionEnforcement } from './owner-references-permission.ts';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import type { AdmissionPlugin, PluginParts } from './plugin.ts';
import { limitPodHardAntiAffinityTopology } from './pod-anti-affinity.ts';
import { podNodeSelector } from './pod-node-selector.ts';
import { podSecurity } from './pod-security.ts';
import { podTolerationRestriction } from './pod-toleration-restriction.ts';
import { podTopologyLabels } from './pod-topology-labels.ts';
import { priority } from './priority.ts';
import { resourceQuota } from './resource-quota.ts';
import { runtimeClass } from './runtime-class.ts';
import { serviceAccount } from './service-account.ts';
import { certificateApproval, certificateSigning, clusterTrustBundleAttest } from './signer-permissions.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';
import { validatingPolicies } from './validating-policies.ts';
import { validatingWebhooks } from './validating-webhooks.ts';

export interface OrderedPlugin {
  readonly name: string;
  /** whether it runs where no flag names it */
  readonly byDefault: boolean;
  /** what its configuration is; absent: it reads its configuration itself, if it has one */
  readonly configuredBy?: FileKindName;
  /** @throws Error for a configuration that is none */
  readonly make: (parts: PluginParts) => AdmissionPlugin;
  /** Reads what the configuration file has for it; absent: the plugin gets that as it stands. @throws FileError */
  readonly readConfiguration?: (value: unknown, file: string, parts: ConfigurationParts) => Promise<unknown>;
}

export interface ConfigurationParts {
  readonly identity: Identity;
  readonly fileKinds: () => Promise<FileKinds>;
}

type Make = OrderedPlugin['make'];
const on = (name: string, make: Make): OrderedPlugin => ({ name, byDefault: true, make });
const off = (name: string, make: Make): OrderedPlugin => ({ name, byDefault: false, make });
/** Few servers are told as whom they ask webhooks. */
const readWebhookCredentials: OrderedPlugin['readConfiguration'] = async (value, file, parts) =>
  (await import('./webhooks/webhook-credentials.ts')).readWebhookCredentials(value, file, parts);
const readImagePolicy: OrderedPlugin['readConfiguration'] = async (value, file, parts) =>
  (await import('./image-policy/configuration.ts')).readImagePolicy(value, file, parts);

export const ORDERED_PLUGINS: readonly OrderedPlugin[] = [
  off('AlwaysAdmit', () => ({})),
  off('NamespaceAutoProvision', namespaceAutoProvision),
  on('NamespaceLifecycle', ({ identity, namespacePhase }) => namespaceLifecycle(identity, namespacePhase)),
  off('NamespaceExists', namespaceExists),
  off('LimitPodHardAntiAffinityTopology', limitPodHardAntiAffinityTopology),
  on('LimitRanger', limitRanger),
  on('ServiceAccount', ({ identity, objects }) => serviceAccount(identity, objects)),
  off('NodeRestriction', nodeRestriction),
  on('TaintNodesByCondition', ({ identity }) => taintNodesByCondition(identity)),
  off('AlwaysPullImages', alwaysPullImages),
  { ...off('ImagePolicyWebhook', imagePolicyWebhook), readConfiguration: readImagePolicy },
  {
    ...on('PodSecurity', podSecurity),
    configuredBy: { group: 'pod-security.admission.config.${groupDomain}', kind: 'PodSecurityConfiguration' },
  },
  off('PodNodeSelector', podNodeSelector),
  on('Priority', priority),
  on('DefaultTolerationSeconds', ({ identity }) => defaultTolerationSeconds(identity)),
  off('PodTolerationRestriction', podTolerationRestriction),
  off('EventRateLimit', (parts) => eventRateLimit(parts)),
  off('ExtendedResourceToleration', extendedResourceToleration),
  on('DefaultStorageClass', defaultStorageClass),
  on('StorageObjectInUseProtection', ({ identity }) => storageObjectInUseProtection(identity)),
  off('OwnerReferencesPermissionEnforcement', ownerReferencesPermissionEnforcement),
  on('PersistentVolumeClaimResize', persistentVolumeClaimResize),
  on('RuntimeClass', runtimeClass),
  on('CertificateApproval', certificateApproval),
  on('CertificateSigning', certificateSigning),
  on('ClusterTrustBundleAttest', clusterTrustBundleAttest),
  on('CertificateSubjectRestriction', ({ identity }) => certificateSubjectRestriction(identity)),
  on('DefaultIngressClass', defaultIngressClass),
  off('DenyServiceExternalIPs', denyServiceExternalIPs),
  on('PodTopologyLabels', podTopologyLabels),
  on('MutatingAdmissionPolicy', mutatingPolicies),
  { ...on('MutatingAdmissionWebhook', mutatingWebhooks), readConfiguration: readWebhookCredentials },
  on('ValidatingAdmissionPolicy', validatingPolicies),
  { ...on('ValidatingAdmissionWebhook', validatingWebhooks), readConfiguration: readWebhookCredentials },
  {
    ...on('ResourceQuota', resourceQuota),
    configuredBy: { group: 'apiserver.config.${groupDomain}', kind: 'ResourceQuotaConfiguration' },
  },
  off('AlwaysDeny', alwaysDeny),
];
