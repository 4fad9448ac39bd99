/** Hand-written behaviour of kinds, by the names that schemas give it; a file is loaded when its kind is first used. */
import type { Identity } from '../contract/identity.ts';
import type { ConversionFunctions, KindRules } from '../contract/kind.ts';

/** Rules that depend on the dialect's names are made for one identity. */
type RuleLoader = (identity: Identity) => Promise<KindRules>;
type ConversionLoader = (identity: Identity) => Promise<ConversionFunctions>;

const ruleLoaders: Readonly<Record<string, RuleLoader>> = {
  'admissionregistration/mutating-admission-policy': () =>
    import('./admissionregistration/mutating-admission-policy.ts').then((module) => module.rules),
  'admissionregistration/mutating-admission-policy-binding': () =>
    import('./admissionregistration/mutating-admission-policy-binding.ts').then((module) => module.rules),
  'admissionregistration/mutating-webhook-configuration': () =>
    import('./admissionregistration/mutating-webhook-configuration.ts').then((module) => module.rules),
  'admissionregistration/validating-admission-policy': () =>
    import('./admissionregistration/validating-admission-policy.ts').then((module) => module.rules),
  'admissionregistration/validating-admission-policy-binding': () =>
    import('./admissionregistration/validating-admission-policy-binding.ts').then((module) => module.rules),
  'admissionregistration/validating-webhook-configuration': () =>
    import('./admissionregistration/validating-webhook-configuration.ts').then((module) => module.rules),
  'apiextensions/custom-resource-definition-v1beta1': () =>
    import('./apiextensions/custom-resource-definition-v1beta1.ts').then((module) => module.rules),
  'apiextensions/custom-resource-definition': (identity) =>
    import('./apiextensions/custom-resource-definition.ts').then((module) => module.customResourceDefinitionRules(identity)),
  'apiregistration/api-service': () => import('./apiregistration/api-service.ts').then((module) => module.rules),
  'apiserver/egress-selector-configuration': () => import('./apiserver/egress-selector-configuration.ts').then((module) => module.rules),
  'apiserverconfig/admission-configuration': () => import('./apiserverconfig/admission-configuration.ts').then((module) => module.rules),
  'apiserverconfig/authentication-configuration': (identity) =>
    import('./apiserverconfig/authentication-configuration.ts').then((module) => module.authenticationConfigurationRules(identity)),
  'apiserverconfig/authorization-configuration': (identity) =>
    import('./apiserverconfig/authorization-configuration.ts').then((module) => module.authorizationConfigurationRules(identity)),
  'apiserverconfig/encryption-configuration': (identity) =>
    import('./apiserverconfig/encryption-configuration.ts').then((module) => module.encryptionConfigurationRules(identity)),
  'apiserverconfig/tracing-configuration': () => import('./apiserverconfig/tracing-configuration.ts').then((module) => module.rules),
  'apiserverinternal/storage-version': () => import('./apiserverinternal/storage-version.ts').then((module) => module.rules),
  'apps/controller-revision': () => import('./apps/controller-revision.ts').then((module) => module.rules),
  'apps/daemon-set': () => import('./apps/daemon-set.ts').then((module) => module.rules),
  'apps/deployment': () => import('./apps/deployment.ts').then((module) => module.rules),
  'apps/replica-set': () => import('./apps/replica-set.ts').then((module) => module.rules),
  'apps/stateful-set': () => import('./apps/stateful-set.ts').then((module) => module.rules),
  'apps/deployment-v1beta1': () => import('./extensions/defaults.ts').then((module) => module.deploymentDefaults('25%')),
  'apps/stateful-set-v1beta1': () => import('./extensions/defaults.ts').then((module) => module.statefulSetDefaults),
  'audit/policy': () => import('./audit/policy.ts').then((module) => module.rules),
  'autoscaling/horizontal-pod-autoscaler': (identity) =>
    import('./autoscaling/horizontal-pod-autoscaler.ts').then((module) => module.horizontalPodAutoscalerRules(identity)),
  'autoscaling/scale': () => import('./autoscaling/scale.ts').then((module) => module.rules),
  'certificates/certificate-signing-request': (identity) =>
    import('./certificates/certificate-signing-request.ts').then((module) => module.certificateSigningRequestRules(identity)),
  'certificates/certificate-signing-request-v1beta1': (identity) =>
    import('./certificates/certificate-signing-request-v1beta1.ts').then((module) => module.signingRequestV1beta1Rules(identity)),
  'certificates/cluster-trust-bundle': () => import('./certificates/cluster-trust-bundle.ts').then((module) => module.rules),
  'clientauthentication/exec-credential': () => import('./clientauthentication/exec-credential.ts').then((module) => module.rules),
  'clientconfig/config': (identity) => import('./clientconfig/config.ts').then((module) => module.clientConfigurationRules(identity)),
  'nodeagentconfig/node-agent-configuration': () => import('./nodeagentconfig/node-agent-configuration.ts').then((module) => module.rules),
  'podsecurity/pod-security-configuration': () => import('./podsecurity/pod-security-configuration.ts').then((module) => module.rules),
  'batch/cron-job': () => import('./batch/cron-job.ts').then((module) => module.rules),
  'batch/job': () => import('./batch/job.ts').then((module) => module.rules),
  'coordination/lease': () => import('./coordination/lease.ts').then((module) => module.rules),
  'coordination/lease-candidate': () => import('./coordination/lease-candidate.ts').then((module) => module.rules),
  'core/binding': () => import('./core/binding.ts').then((module) => module.rules),
  'core/componentstatus': () => import('./core/componentstatus.ts').then((module) => module.rules),
  'core/configmap': () => import('./core/configmap.ts').then((module) => module.rules),
  'core/endpoints': () => import('./core/endpoints.ts').then((module) => module.rules),
  'core/event': () => import('./core/event.ts').then((module) => module.rules),
  'core/limitrange': () => import('./core/limitrange.ts').then((module) => module.rules),
  'core/namespace': (identity) => import('./core/namespace.ts').then((module) => module.namespaceRules(identity)),
  'core/node': (identity) => import('./core/node.ts').then((module) => module.nodeRules(identity)),
  'core/persistentvolume': (identity) => import('./core/persistentvolume.ts').then((module) => module.persistentVolumeRules(identity)),
  'core/persistentvolumeclaim': (identity) =>
    import('./core/persistentvolumeclaim.ts').then((module) => module.persistentVolumeClaimRules(identity)),
  'core/pod': () => import('./core/pod.ts').then((module) => module.rules),
  'core/pod-log-options': () => import('./core/pod-log-options.ts').then((module) => module.rules),
  'core/podtemplate': () => import('./core/podtemplate.ts').then((module) => module.rules),
  'core/replicationcontroller': () => import('./core/replicationcontroller.ts').then((module) => module.rules),
  'core/resourcequota': () => import('./core/resourcequota.ts').then((module) => module.rules),
  'core/secret': () => import('./core/secret.ts').then((module) => module.rules),
  'core/service': () => import('./core/service.ts').then((module) => module.rules),
  'core/serviceaccount': () => import('./core/serviceaccount.ts').then((module) => module.rules),
  'flowcontrol/flow-schema': () => import('./flowcontrol/flow-schema.ts').then((module) => module.rules),
  'flowcontrol/priority-level-configuration': () => import('./flowcontrol/priority-level-configuration.ts').then((module) => module.rules),
  'flowcontrol/priority-level-configuration-v1beta3': (identity) =>
    import('./flowcontrol/priority-level-configuration-v1beta3.ts').then((module) => module.priorityLevelConfigurationRules(identity)),
  'discovery/endpoint-slice': (identity) => import('./discovery/endpoint-slice.ts').then((module) => module.endpointSliceRules(identity)),
  'extensions/daemon-set': () => import('./extensions/defaults.ts').then((module) => module.daemonSetDefaults),
  'extensions/deployment': () => import('./extensions/defaults.ts').then((module) => module.deploymentDefaults(1)),
  'extensions/network-policy': () => import('./extensions/network-policy.ts').then((module) => module.rules),
  'extensions/replica-set': () => import('./extensions/defaults.ts').then((module) => module.replicaSetDefaults),
  'networking/ingress': () => import('./networking/ingress.ts').then((module) => module.rules),
  'networking/ingress-class': () => import('./networking/ingress-class.ts').then((module) => module.rules),
  'networking/ip-address': () => import('./networking/ip-address.ts').then((module) => module.rules),
  'networking/network-policy': () => import('./networking/network-policy.ts').then((module) => module.rules),
  'networking/service-cidr': () => import('./networking/service-cidr.ts').then((module) => module.rules),
  'node/runtime-class': () => import('./node/runtime-class.ts').then((module) => module.rules),
  'policy/pod-disruption-budget': (identity) =>
    import('./policy/pod-disruption-budget.ts').then((module) => module.podDisruptionBudgetRules(identity)),
  'rbac/cluster-role': () => import('./rbac/cluster-role.ts').then((module) => module.rules),
  'rbac/cluster-role-binding': (identity) =>
    import('./rbac/cluster-role-binding.ts').then((module) => module.clusterRoleBindingRules(identity)),
  'rbac/role': () => import('./rbac/role.ts').then((module) => module.rules),
  'rbac/role-binding': (identity) => import('./rbac/role-binding.ts').then((module) => module.roleBindingRules(identity)),
  'scheduling/priority-class': () => import('./scheduling/priority-class.ts').then((module) => module.rules),
  'resource/device-class': () => import('./resource/device-class.ts').then((module) => module.rules),
  'resource/resource-claim': () => import('./resource/resource-claim.ts').then((module) => module.rules),
  'resource/resource-claim-template': () => import('./resource/resource-claim-template.ts').then((module) => module.rules),
  'resource/resource-slice': () => import('./resource/resource-slice.ts').then((module) => module.rules),
  'storage/csi-driver': () => import('./storage/csi-driver.ts').then((module) => module.rules),
  'storage/csi-node': () => import('./storage/csi-node.ts').then((module) => module.rules),
  'storage/csi-storage-capacity': () => import('./storage/csi-storage-capacity.ts').then((module) => module.rules),
  'storage/storage-class': (identity) => import('./storage/storage-class.ts').then((module) => module.storageClassRules(identity)),
  'storage/volume-attachment': () => import('./storage/volume-attachment.ts').then((module) => module.rules),
  'storage/volume-attributes-class': (identity) =>
    import('./storage/volume-attributes-class.ts').then((module) => module.volumeAttributesClassRules(identity)),
  'storagemigration/storage-version-migration': () =>
    import('./storagemigration/storage-version-migration.ts').then((module) => module.rules),
};

const conversionLoaders: Readonly<Record<string, ConversionLoader>> = {
  'abac/policy-v0': () => import('./abac/policy-v0.ts').then((module) => module.conversion),
  'apiextensions/custom-resource-definition-v1beta1': () =>
    import('./apiextensions/custom-resource-definition-v1beta1.ts').then((module) => module.conversion),
  'apps/daemon-set-template-generation': () =>
    import('./apps/annotation-conversion.ts').then((module) => module.templateGenerationConversion),
  'apps/deployment-rollback': () => import('./apps/annotation-conversion.ts').then((module) => module.rollbackConversion),
  'apps/scale': () => import('./apps/scale-conversion.ts').then((module) => module.scaleConversion),
  'certificates/certificate-signing-request-v1beta1': () =>
    import('./certificates/certificate-signing-request-v1beta1.ts').then((module) => module.conversion),
  'discovery/endpoint-slice': (identity) =>
    import('./discovery/endpoint-slice-conversion.ts').then((module) => module.endpointSliceConversion(identity)),
  'networking/ingress': () => import('./networking/ingress-conversion.ts').then((module) => module.conversion),
  'autoscaling/horizontal-pod-autoscaler-v1': (identity) =>
    import('./autoscaling/horizontal-pod-autoscaler-v1.ts').then((module) => module.horizontalPodAutoscalerConversion(identity)),
  'flowcontrol/priority-level-configuration-v1beta3': (identity) =>
    import('./flowcontrol/priority-level-configuration-v1beta3.ts').then((module) => module.priorityLevelConfigurationConversion(identity)),
  'resource/resource-slice-v1alpha3': () =>
    import('./resource/resource-slice-v1alpha3.ts').then((module) => module.resourceSliceConversion),
  'policy/pod-disruption-budget-v1beta1': (identity) =>
    import('./policy/pod-disruption-budget-v1beta1.ts').then((module) => module.podDisruptionBudgetConversion(identity)),
  'node/runtime-class-v1alpha1': () => import('./node/runtime-class-v1alpha1.ts').then((module) => module.conversion),
  'autoscaling/horizontal-pod-autoscaler-v2beta1': (identity) =>
    import('./autoscaling/horizontal-pod-autoscaler-v2beta.ts').then((module) => module.v2beta1Conversion(identity)),
  'autoscaling/horizontal-pod-autoscaler-v2beta2': (identity) =>
    import('./autoscaling/horizontal-pod-autoscaler-v2beta.ts').then((module) => module.v2beta2Conversion(identity)),
  'rbac/binding-v1alpha1': (identity) => import('./rbac/binding-v1alpha1.ts').then((module) => module.bindingConversion(identity)),
};

/** @throws Error for a name that no file has: a schema names rules that do not exist */
export async function loadRules(name: string, identity: Identity): Promise<KindRules> {
  const load = ruleLoaders[name];
  if (load === undefined) throw new Error(`no rules are named ${name}`);
  return load(identity);
}

/** @throws Error for a name that no file has */
export async function loadConversion(name: string, identity: Identity): Promise<ConversionFunctions> {
  const load = conversionLoaders[name];
  if (load === undefined) throw new Error(`no conversion is named ${name}`);
  return load(identity);
}

/** Names of all rules, for the check that every schema finds its own. */
export const ruleNames: readonly string[] = Object.keys(ruleLoaders);
export const conversionNames: readonly string[] = Object.keys(conversionLoaders);
