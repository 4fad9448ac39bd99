/** Which controllers run: the flag --controllers, as the controller manager of 1.32 reads it. */
export type ControllerName =
  | 'namespace'
  | 'garbagecollector'
  | 'clusterrole-aggregation'
  | 'serviceaccount'
  | 'serviceaccount-token'
  | 'root-ca-cert-publisher'
  | 'pvc-protection'
  | 'pv-protection'
  | 'volumeattributesclass-protection-controller'
  | 'podgc'
  | 'resourcequota'
  | 'tokencleaner'
  | 'bootstrapsigner'
  | 'nodelifecycle'
  | 'taint-eviction'
  | 'csrapproving'
  | 'csrsigning'
  | 'csrcleaner'
  | 'validatingadmissionpolicy-status-controller'
  | 'storage-version-gc';

/** Names and older names of what this server runs. */
const RUN_HERE: readonly (readonly [name: string, alias: ControllerName])[] = [
  ['namespace-controller', 'namespace'],
  ['garbage-collector-controller', 'garbagecollector'],
  ['clusterrole-aggregation-controller', 'clusterrole-aggregation'],
  ['serviceaccount-controller', 'serviceaccount'],
  ['serviceaccount-token-controller', 'serviceaccount-token'],
  ['root-ca-certificate-publisher-controller', 'root-ca-cert-publisher'],
  ['persistentvolumeclaim-protection-controller', 'pvc-protection'],
  ['persistentvolume-protection-controller', 'pv-protection'],
  ['volumeattributesclass-protection-controller', 'volumeattributesclass-protection-controller'],
  ['pod-garbage-collector-controller', 'podgc'],
  ['validatingadmissionpolicy-status-controller', 'validatingadmissionpolicy-status-controller'],
  ['storageversion-garbage-collector-controller', 'storage-version-gc'],
  ['resourcequota-controller', 'resourcequota'],
  ['token-cleaner-controller', 'tokencleaner'],
  ['bootstrap-signer-controller', 'bootstrapsigner'],
  ['node-lifecycle-controller', 'nodelifecycle'],
  ['taint-eviction-controller', 'taint-eviction'],
  ['certificatesigningrequest-approving-controller', 'csrapproving'],
  ['certificatesigningrequest-signing-controller', 'csrsigning'],
  ['certificatesigningrequest-cleaner-controller', 'csrcleaner'],
];

/**
 * `*` does not stand for these: the first two as in 1.32, those of nodes because some may be there that no agent speaks for, those of certificates
 * because nobody shall get one whose administrator did not choose so.
 */
const OFF_BY_DEFAULT: ReadonlySet<string> = new Set([
  'tokencleaner',
  'bootstrapsigner',
  'nodelifecycle',
  'taint-eviction',
  'csrapproving',
  'csrsigning',
  'csrcleaner',
]);

/** Names and older names of the others of 1.32: they may be given, and run elsewhere. */
const RUN_ELSEWHERE: readonly string[] = [
  'cloud-node-lifecycle-controller',
  'cloud-node-lifecycle',
  'cronjob-controller',
  'cronjob',
  'daemonset-controller',
  'daemonset',
  'deployment-controller',
  'deployment',
  'disruption-controller',
  'disruption',
  'endpoints-controller',
  'endpoint',
  'endpointslice-controller',
  'endpointslice',
  'endpointslice-mirroring-controller',
  'endpointslicemirroring',
  'ephemeral-volume-controller',
  'ephemeral-volume',
  'horizontal-pod-autoscaler-controller',
  'horizontalpodautoscaling',
  'job-controller',
  'job',
  'kube-apiserver-serving-clustertrustbundle-publisher-controller',
  'legacy-serviceaccount-token-cleaner-controller',
  'legacy-service-account-token-cleaner',
  'node-ipam-controller',
  'nodeipam',
  'node-route-controller',
  'route',
  'persistentvolume-attach-detach-controller',
  'attachdetach',
  'persistentvolume-binder-controller',
  'persistentvolume-binder',
  'persistentvolume-expander-controller',
  'persistentvolume-expander',
  'replicaset-controller',
  'replicaset',
  'replicationcontroller-controller',
  'replicationcontroller',
  'resourceclaim-controller',
  'resource-claim-controller',
  'selinux-warning-controller',
  'service-cidr-controller',
  'service-lb-controller',
  'service',
  'statefulset-controller',
  'statefulset',
  'storage-version-migrator-controller',
  'ttl-after-finished-controller',
  'ttl-after-finished',
  'ttl-controller',
  'ttl',
];

/**
 * @param chosen `*` for all that run by default, `name` for one, `-name` for all but one: the first word about a controller counts
 * @param separatesEviction the feature gate SeparateTaintEvictionController; without it taints evict where the controller runs that adds them
 * @throws Error for a name that no controller has
 */
export function chosenControllers(chosen: readonly string[], separatesEviction = true): ControllerName[] {
  const known = new Set(['*', ...RUN_HERE.flat(), ...RUN_ELSEWHERE]);
  for (const word of chosen) {
    const name = word.replace(/^-/, '');
    if (!known.has(name)) throw new Error(`--controllers: ${JSON.stringify(name)} is not in the list of known controllers`);
  }
  const names = RUN_HERE.filter((each) => isChosen(each, chosen)).map(([, alias]) => alias);
  if (separatesEviction) return names;
  return names
    .filter((name) => name !== 'taint-eviction')
    .flatMap((name): ControllerName[] => (name === 'nodelifecycle' ? [name, 'taint-eviction'] : [name]));
}

function isChosen(names: readonly string[], chosen: readonly string[]): boolean {
  const word = chosen.find((each) => names.includes(each.replace(/^-/, '')));
  if (word !== undefined) return !word.startsWith('-');
  return chosen.includes('*') && !names.some((name) => OFF_BY_DEFAULT.has(name));
}
