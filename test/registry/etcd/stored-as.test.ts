/** Keys and versions are those in which kube-apiserver 1.32 stores: where they differed, either server would miss what the other one has written. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { storedKinds } from './codec-parts.ts';

const test = suite('keys and versions in etcd');

/** @see https://github.com/kubernetes/kubernetes/blob/v1.32.0/pkg/kubeapiserver/default_storage_factory_builder.go SpecialDefaultResourcePrefixes */
const SPECIAL_PREFIXES: Readonly<Record<string, string>> = {
  replicationcontrollers: 'controllers',
  endpoints: 'services/endpoints',
  nodes: 'minions',
  services: 'services/specs',
  ingresses: 'ingress',
  // servers of their own within kube-apiserver, whose prefixes have the group
  apiservices: 'apiregistration.k8s.io/apiservices',
  customresourcedefinitions: 'apiextensions.k8s.io/customresourcedefinitions',
};

/** Those that 1.32 does not store as v1 of their group: its highest version is another one, or it holds the version back for a release. */
const VERSIONS: Readonly<Record<string, string>> = {
  clustertrustbundles: 'certificates.k8s.io/v1alpha1',
  deviceclasses: 'resource.k8s.io/v1beta1',
  events: 'v1',
  horizontalpodautoscalers: 'autoscaling/v2',
  ipaddresses: 'networking.k8s.io/v1beta1',
  leasecandidates: 'coordination.k8s.io/v1alpha2',
  mutatingadmissionpolicies: 'admissionregistration.k8s.io/v1alpha1',
  mutatingadmissionpolicybindings: 'admissionregistration.k8s.io/v1alpha1',
  resourceclaims: 'resource.k8s.io/v1beta1',
  resourceclaimtemplates: 'resource.k8s.io/v1beta1',
  resourceslices: 'resource.k8s.io/v1beta1',
  servicecidrs: 'networking.k8s.io/v1beta1',
  storageversionmigrations: 'storagemigration.k8s.io/v1alpha1',
  storageversions: 'internal.apiserver.k8s.io/v1alpha1',
  volumeattributesclasses: 'storage.k8s.io/v1beta1',
};

/** Servers of their own within kube-apiserver write JSON of these versions, whatever `--storage-media-type` says. */
const IN_JSON: Readonly<Record<string, string>> = { apiservices: 'v1', customresourcedefinitions: 'v1beta1' };

const kinds = await storedKinds();
test('there are many', () => assert.ok(kinds.length > 50));
for (const { resource, kind, prefix } of kinds)
  test(resource.data.name, () => {
    const { name } = resource.data;
    assert.is(prefix, SPECIAL_PREFIXES[name] ?? name);
    assert.is(resource.data.storage?.jsonInEtcd, IN_JSON[name]);
    assert.is(kind.apiVersion, VERSIONS[name] ?? (kind.group === '' ? 'v1' : `${kind.group}/v1`));
  });

test.run();
