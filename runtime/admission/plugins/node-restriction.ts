/** Node agents change their own node and the pods on it, and nothing that would draw work or rights to them; the messages are those of 1.32. */
import type { Volume } from '../../../generated/core/v1/types.ts';
import { nodeOf, nodeUserName } from '../../authorization/node/node-identity.ts';
import { requestedNames } from '../../certificates/requested-names.ts';
import { signingRequestProblem } from '../../certificates/signing-request.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';
import { goQuote } from '../../go-text/quote.ts';
import { MIRROR } from '../../kinds/core/pods/pod-annotations.ts';
import { hasReferences, podConfigMaps, podSecrets, podVolumeClaims } from '../../kinds/core/pods/pod-references.ts';
import { objectChangeText } from '../../registry/kinds/change-text.ts';
import { deepEqual } from '../../schema/equal.ts';
import { newNotFound } from '../../status/status.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { forbidden } from '../plugin-interface/refusal.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { NodeLabels } from './node-labels.ts';
import { forbiddenAudience, type StoredVolumes } from './token-audiences.ts';

export interface NodeRestrictionParts {
  readonly identity: Identity;
  /** Returns an object as it is stored now; undefined if it does not exist. @param namespace empty for objects without one */
  readonly stored: (resource: 'pods' | 'nodes' | Parameters<StoredVolumes>[0], namespace: string, name: string) => ApiObject | undefined;
  /** whether tokens may only be for whom the pod's volumes name (feature gate ServiceAccountNodeAudienceRestriction) */
  readonly restrictsAudiences: boolean;
  /** whether agents may ask for certificates of other nodes (feature gate AllowInsecureKubeletCertificateSigningRequests) */
  readonly withForeignCertificates: boolean;
}

/** Those whose certificates node agents use. */
const SIGNERS = ['${labelDomain}/kubelet-serving', '${labelDomain}/kube-apiserver-client-kubelet'];

/** Why a write is refused; undefined where it is not. May throw StatusError. */
type Check = (node: string, attributes: AdmissionAttributes) => string | undefined;

export function nodeRestriction({ identity, objects, featureEnabled }: PluginParts): AdmissionPlugin {
  return restrictingNodes({
    identity,
    stored: (resource, namespace, name) => objects.get(resource, namespace, name),
    restrictsAudiences: featureEnabled('ServiceAccountNodeAudienceRestriction'),
    withForeignCertificates: featureEnabled('AllowInsecureKubeletCertificateSigningRequests'),
  });
}

export function restrictingNodes(parts: NodeRestrictionParts): AdmissionPlugin {
  const checks = new Checks(parts).all;
  return {
    mutate(attributes) {
      const node = nodeOf(attributes.user);
      if (node === undefined) return;
      const { groupResource } = attributes.resource;
      const check = checks[`${groupResource.group}/${groupResource.resource}`];
      const problem = node === '' ? `could not determine node from user ${goQuote(attributes.user.name)}` : check?.(node, attributes);
      if (problem !== undefined) throw forbidden(attributes, problem);
    },
  };
}

/** Returns the name of the object that is written; empty if it gets a name later. */
function nameOf({ name, object }: AdmissionAttributes): string {
  return name !== '' ? name : (object?.metadata.name ?? '');
}

class Checks {
  readonly #parts: NodeRestrictionParts;
  readonly #mirror: string;
  readonly #leaseNamespace: string;
  readonly #labels: NodeLabels;
  readonly #signers: readonly string[];
  readonly all: Readonly<Record<string, Check>>;

  constructor(parts: NodeRestrictionParts) {
    const { text } = parts.identity;
    this.#parts = parts;
    this.#mirror = text(MIRROR);
    this.#leaseNamespace = text('${leaseNamespace}');
    this.#labels = new NodeLabels(parts.identity);
    this.#signers = SIGNERS.map(text);
    this.all = {
      '/pods': (node, attributes) => this.#pod(node, attributes),
      '/nodes': (node, attributes) => this.#node(node, attributes),
      '/persistentvolumeclaims': claimStatus,
      '/serviceaccounts': (node, attributes) => this.#token(node, attributes),
      [text('coordination.${groupDomain}/leases')]: (node, attributes) => this.#lease(node, attributes),
      [text('storage.${groupDomain}/csinodes')]: (node, attributes) =>
        nameOf(attributes) === node ? undefined : 'can only access CSINode with the same name as the requesting node',
      [text('resource.${groupDomain}/resourceslices')]: resourceSlice,
      ...(!parts.withForeignCertificates && {
        [text('certificates.${groupDomain}/certificatesigningrequests')]: (node: string, attributes: AdmissionAttributes) =>
          this.#certificate(node, attributes),
      }),
    };
  }

  #pod(node: string, attributes: AdmissionAttributes): string | undefined {
    const { subresource, operation, object, old } = attributes;
    if (subresource === 'status')
      return operation === 'update' ? podStatus(node, object as ApiObject, old as ApiObject) : unexpected(operation);
    if (subresource === 'eviction') return this.#eviction(node, attributes);
    if (subresource !== '') return `unexpected pod subresource ${goQuote(subresource)}, only 'status' and 'eviction' are allowed`;
    if (operation === 'create') return this.#newPod(node, object as ApiObject);
    if (operation !== 'delete')
      return `unexpected operation ${goQuote(operation.toUpperCase())}, node ${goQuote(node)} can only create and delete mirror pods`;
    // A collection has no one pod: the authorizer grants its deletion to no node.
    return old?.spec.nodeName === node ? undefined : `node ${goQuote(node)} can only delete pods with spec.nodeName set to itself`;
  }

  /** Only as the image of one that the node runs anyway, and so without access to anything else. */
  #newPod(node: string, pod: ApiObject): string | undefined {
    const who = `node ${goQuote(node)}`;
    if (pod.metadata.annotations?.[this.#mirror] === undefined)
      return `pod does not have ${goQuote(this.#mirror)} annotation, ${who} can only create mirror pods`;
    if (pod.spec.nodeName !== node) return `${who} can only create pods with spec.nodeName set to itself`;
    const owner = this.#owner(node, pod);
    if (owner !== undefined) return owner;
    if (pod.spec.serviceAccountName) return `${who} can not create pods that reference a service account`;
    if (hasReferences(podSecrets(pod))) return `${who} can not create pods that reference secrets`;
    if (hasReferences(podConfigMaps(pod))) return `${who} can not create pods that reference configmaps`;
    if (hasTrustBundles(pod)) return `${who} can not create pods that reference clustertrustbundles`;
    if (hasReferences(podVolumeClaims(pod))) return `${who} can not create pods that reference persistentvolumeclaims`;
    return (pod.spec.resourceClaims ?? []).length > 0 ? `${who} can not create pods that reference resourceclaims` : undefined;
  }

  #owner(node: string, { metadata }: ApiObject): string | undefined {
    const who = `node ${goQuote(node)}`;
    const [owner, ...others] = metadata.ownerReferences ?? [];
    if (others.length > 0) return `${who} can only create pods with a single owner reference set to itself`;
    if (owner === undefined || owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
      return `${who} can only create pods with an owner reference set to itself`;
    if (owner.controller !== true) return `${who} can only create pods with a controller owner reference set to itself`;
    if (owner.blockOwnerDeletion === true) return `${who} must not set blockOwnerDeletion on an owner reference`;
    const stored = this.#parts.stored('nodes', '', node);
    if (stored === undefined) throw newNotFound({ group: '', resource: 'node' }, node);
    if (stored.metadata.uid !== owner.uid) return `node ${node} UID mismatch: expected ${owner.uid} got ${stored.metadata.uid}`;
    return undefined;
  }

  #eviction(node: string, { operation, namespace, name, object }: AdmissionAttributes): string | undefined {
    if (operation !== 'create') return unexpected(operation);
    const of = name === '' ? (object?.metadata.name ?? '') : name;
    if (of === '') return 'could not determine pod from request data';
    const pod = this.#storedPod(namespace, of);
    return pod.spec.nodeName === node ? undefined : `node ${node} can only evict pods with spec.nodeName set to itself`;
  }

  /** @throws StatusError NotFound, which names the kind as those who look into a cache do in 1.32 */
  #storedPod(namespace: string, name: string): ApiObject {
    const pod = this.#parts.stored('pods', namespace, name);
    if (pod === undefined) throw newNotFound({ group: '', resource: 'pod' }, name);
    return pod;
  }

  #node(node: string, attributes: AdmissionAttributes): string | undefined {
    const { operation, object, old } = attributes;
    const who = `node ${goQuote(node)}`;
    const name = nameOf(attributes);
    if (name !== node) return `${who} is not allowed to modify node ${goQuote(name)}`;
    if (operation === 'create') {
      if (object?.spec?.configSource !== undefined) return `${who} is not allowed to create pods with a non-nil configSource`;
      const labels = this.#labels.forbidden(object?.metadata.labels, undefined);
      if (labels.length > 0) return `${who} is not allowed to set the following labels: ${labels.join(', ')}`;
    }
    if (operation !== 'update' || object === undefined || old === undefined) return undefined;
    const { configSource, taints } = object.spec ?? {};
    if (configSource !== undefined && !deepEqual(configSource, old.spec?.configSource))
      return `${who} is not allowed to update configSource to a new non-nil configSource`;
    if (!deepEqual(taints ?? [], old.spec?.taints ?? [])) return `${who} is not allowed to modify taints`;
    if (!deepEqual(object.metadata.ownerReferences ?? [], old.metadata.ownerReferences ?? []))
      return `${who} is not allowed to modify ownerReferences`;
    const labels = this.#labels.forbidden(object.metadata.labels, old.metadata.labels);
    if (labels.length > 0) return `is not allowed to modify labels: ${labels.join(', ')}`;
    return undefined;
  }

  /** Tokens are for pods that run on the node. */
  #token(node: string, { operation, subresource, namespace, object }: AdmissionAttributes): string | undefined {
    if (operation !== 'create' || subresource !== 'token') return undefined;
    const { kind, apiVersion, name, uid } = object?.spec?.boundObjectRef ?? {};
    if (apiVersion !== 'v1' || kind !== 'Pod' || !name) return 'node requested token not bound to a pod';
    if (!uid) return 'node requested token with a pod binding without a uid';
    const pod = this.#storedPod(namespace, name);
    if (pod.metadata.uid !== uid)
      return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    if (pod.spec.nodeName !== node) return 'node requested token bound to a pod scheduled on a different node';
    const { stored, restrictsAudiences, identity } = this.#parts;
    return restrictsAudiences ? forbiddenAudience(object?.spec.audiences ?? [], pod, stored, identity.text) : undefined;
  }

  /** Checks that a node agent requests only certificates of its own node from the signers for node agents. */
  #certificate(node: string, { operation, object }: AdmissionAttributes): string | undefined {
    if (operation !== 'create' || !this.#signers.includes(object?.spec.signerName)) return undefined;
    const request = Buffer.from(object?.spec.request ?? '', 'base64').toString('latin1');
    const names = requestedNames(request);
    if (names === undefined) return `unable to parse csr: ${signingRequestProblem(request)}`;
    const own = nodeUserName(node);
    return names.commonName === own ? undefined : `can only create a node CSR with CN=${own}`;
  }

  #lease(node: string, attributes: AdmissionAttributes): string | undefined {
    if (attributes.namespace !== this.#leaseNamespace)
      return `can only access leases in the ${goQuote(this.#leaseNamespace)} system namespace`;
    return nameOf(attributes) === node ? undefined : 'can only access node lease with the same name as the requesting node';
  }
}

function podStatus(node: string, pod: ApiObject, old: ApiObject): string | undefined {
  const who = `node ${goQuote(node)}`;
  if (old.spec.nodeName !== node) return `${who} can only update pod status for pods with spec.nodeName set to itself`;
  if (!deepEqual(pod.metadata.labels ?? {}, old.metadata.labels ?? {})) return `${who} cannot update labels through pod status`;
  if (!deepEqual(pod.status?.resourceClaimStatuses ?? [], old.status?.resourceClaimStatuses ?? []))
    return `${who} cannot update resource claim statues`;
  return undefined;
}

function hasTrustBundles({ spec }: ApiObject): boolean {
  const sources = ((spec.volumes ?? []) as Volume[]).flatMap(({ projected }) => projected?.sources ?? []);
  return sources.some(({ clusterTrustBundle }) => clusterTrustBundle !== undefined);
}

/** Only what a resized file system shows. */
const CLAIM_STATUS = ['capacity', 'conditions', 'allocatedResources', 'allocatedResourceStatuses'];

function claimStatus(node: string, { subresource, operation, kind, object, old }: AdmissionAttributes): string | undefined {
  if (subresource !== 'status') return 'may only update PVC status';
  if (operation !== 'update') return unexpected(operation);
  const rest = ({ metadata, status, ...others }: ApiObject): ApiObject => {
    const { resourceVersion: _version, managedFields: _fields, ...kept } = metadata;
    return {
      ...others,
      metadata: kept,
      status: Object.fromEntries(Object.entries(status ?? {}).filter(([member]) => !CLAIM_STATUS.includes(member))),
    };
  };
  const [before, after] = [rest(old as ApiObject), rest(object as ApiObject)];
  if (deepEqual(after, before)) return undefined;
  const change = objectChangeText(kind, before, after);
  return `node ${goQuote(node)} is not allowed to update fields other than status.quantity and status.conditions: ${change}`;
}

function resourceSlice(node: string, { operation, object, old }: AdmissionAttributes): string | undefined {
  if (operation === 'create' && object?.spec?.nodeName !== node)
    return 'can only create ResourceSlice with the same NodeName as the requesting node';
  if (operation === 'delete' && old?.spec?.nodeName !== node)
    return 'can only delete ResourceSlice with the same NodeName as the requesting node';
  return undefined;
}

function unexpected(operation: string): string {
  return `unexpected operation ${goQuote(operation.toUpperCase())}`;
}
