/**
 * Every pod runs as a service account of its namespace, which must be there: `default` where the pod names none. Its token is mounted into the
 * pod's containers, and its secrets for pulling images are the pod's, unless the pod says otherwise.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';
import { chosenFor, type RequestContext } from '../../contract/request-context.ts';
import { hasReferences, podSecrets } from '../../kinds/core/pods/pod-references.ts';
import { generateName } from '../../registry/resource-store/strategy.ts';
import type { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import type { AdmissionPlugin } from '../plugin-interface/plugin.ts';
import { bringsPod, forbidden, onlyPods } from '../plugin-interface/refusal.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';

interface Reference {
  readonly name?: string;
}

interface Container {
  readonly name: string;
  readonly env?: readonly { readonly name: string; readonly valueFrom?: { readonly secretKeyRef?: Reference } }[];
  readonly envFrom?: readonly { readonly secretRef?: Reference }[];
  volumeMounts?: { name: string; readOnly?: boolean; mountPath: string }[];
}

const DEFAULT_ACCOUNT = 'default';
/** The number of attempts to find the default account, which its controller makes soon after its namespace. */
const ATTEMPTS = 10;
/** The fewest milliseconds between two attempts; the most are twice as many. */
const WAIT = 100;
/** The seconds for which a mounted token is valid. The agent of the node fetches another one in time. */
const TOKEN_LIFETIME = 3607;
const READABLE = 0o644;

export function serviceAccount(identity: Identity, objects: ObjectLookup): AdmissionPlugin {
  const { text } = identity;
  const mirror = text('${labelDomain}/config.mirror');
  const enforce = text('${labelDomain}/enforce-mountable-secrets');
  const mount = { path: text('/var/run/secrets/${labelDomain}/serviceaccount'), volume: text('${tokenVolume}-') };

  return {
    concerns: onlyPods,
    mutate(attributes) {
      const { operation, object: pod } = attributes;
      if (!bringsPod(attributes) || operation !== 'create' || pod === undefined) return;
      if (pod.metadata.annotations?.[mirror] !== undefined) return refuseMirror(attributes, pod);
      setAccount(pod, pod.spec.serviceAccountName || DEFAULT_ACCOUNT);
      const account = accountOf(attributes, pod);
      return account instanceof Promise ? account.then((found) => giveTo(attributes, pod, found)) : giveTo(attributes, pod, account);
    },
    validate(attributes) {
      const { operation, object: pod, subresource } = attributes;
      if (!bringsPod(attributes) || operation === 'delete' || pod === undefined) return;
      if (operation === 'update' && subresource !== 'ephemeralcontainers') return;
      if (operation === 'create' && pod.metadata.annotations?.[mirror] !== undefined) return refuseMirror(attributes, pod);
      if (!pod.spec.serviceAccountName)
        throw forbidden(attributes, `no service account specified for pod ${attributes.namespace}/${pod.metadata.name ?? ''}`);
      const account = accountOf(attributes, pod);
      return account instanceof Promise
        ? account.then((found) => requireListed(attributes, pod, found))
        : requireListed(attributes, pod, account);
    },
  };

  /** What the account does not allow is refused at once too, before anybody looks whether the pod is valid. */
  function giveTo(attributes: AdmissionAttributes, pod: ApiObject, account: ApiObject): void {
    const mounts = pod.spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
    if (mounts) mountToken(pod, mount, text, attributes.request);
    const pull: Reference[] = account.imagePullSecrets ?? [];
    if ((pod.spec.imagePullSecrets ?? []).length === 0 && pull.length > 0) pod.spec.imagePullSecrets = pull.map(({ name }) => ({ name }));
    requireListed(attributes, pod, account);
  }

  /** @throws StatusError Forbidden for a secret that the account does not list, where it enforces that */
  function requireListed(attributes: AdmissionAttributes, pod: ApiObject, account: ApiObject): void {
    if (!isTrue(account.metadata.annotations?.[enforce])) return;
    const problem =
      attributes.operation === 'create'
        ? unlistedSecret(pod, account)
        : unlistedOf(pod.spec.ephemeralContainers, 'ephemeral container', account);
    if (problem !== undefined) throw forbidden(attributes, problem);
  }

  /** @throws StatusError Forbidden for an account that is not there */
  function accountOf(attributes: AdmissionAttributes, pod: ApiObject): ApiObject | Promise<ApiObject> {
    const name: string = pod.spec.serviceAccountName;
    return objects.shared('serviceaccounts', attributes.namespace, name) ?? accountToCome(attributes, name);
  }

  async function accountToCome(attributes: AdmissionAttributes, name: string): Promise<ApiObject> {
    const { namespace } = attributes;
    for (let left = name === DEFAULT_ACCOUNT ? ATTEMPTS : 1; left > 1; left--) {
      await sleep(WAIT + Math.random() * WAIT);
      const account = objects.shared('serviceaccounts', namespace, name);
      if (account !== undefined) return account;
    }
    throw forbidden(attributes, `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`);
  }
}

/** The older member says the same. */
function setAccount({ spec }: ApiObject, name: string): void {
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

/** Pods that a node agent shows of its own cannot have what only the server gives. @throws StatusError Forbidden */
function refuseMirror(attributes: AdmissionAttributes, pod: ApiObject): void {
  if (pod.spec.serviceAccountName) throw forbidden(attributes, 'a mirror pod may not reference service accounts');
  if (hasReferences(podSecrets(pod))) throw forbidden(attributes, 'a mirror pod may not reference secrets');
  const projected = ((pod.spec.volumes ?? []) as ApiObject[]).flatMap((volume) => (volume.projected?.sources ?? []) as ApiObject[]);
  if (projected.some((source) => source.serviceAccountToken !== undefined))
    throw forbidden(attributes, 'a mirror pod may not use ServiceAccountToken volume projections');
}

/** Mounts where the token is looked for, in every container that has nothing there already. */
function mountToken(
  pod: ApiObject,
  { path, volume }: { path: string; volume: string },
  text: (template: string) => string,
  request: RequestContext,
): void {
  const volumes: ApiObject[] = pod.spec.volumes ?? [];
  const present = volumes.find(({ name }) => name.startsWith(volume))?.name as string | undefined;
  const name = present ?? chosenFor(request, 'volume', () => generateName(volume));
  let isMounted = false;
  for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])] as Container[]) {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some(({ mountPath }) => mountPath === path)) continue;
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath: path }];
    isMounted = true;
  }
  if (isMounted && present === undefined) pod.spec.volumes = [...volumes, { name, projected: tokenSources(text) }];
}

function tokenSources(text: (template: string) => string): object {
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_LIFETIME, path: 'token' } },
      { configMap: { name: text('${rootCertificateConfigMap}'), items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
    ],
    defaultMode: READABLE,
  };
}

function isTrue(annotation: string | undefined): boolean {
  return /^(1|t|T|TRUE|true|True)$/.test(annotation ?? '');
}

/** @returns what is wrong with a pod that uses a secret which its account does not list */
function unlistedSecret({ spec }: ApiObject, account: ApiObject): string | undefined {
  const listed = namesOf(account.secrets);
  const because = `is not allowed because service account ${account.metadata.name} does not reference that`;
  for (const { secret } of (spec.volumes ?? []) as { secret?: { secretName?: string } }[])
    if (secret !== undefined && !listed.has(secret.secretName ?? ''))
      return `volume with secret.secretName="${secret.secretName ?? ''}" ${because} secret`;
  const unlisted = unlistedOf(spec.initContainers, 'init container', account) ?? unlistedOf(spec.containers, 'container', account);
  if (unlisted !== undefined) return unlisted;
  const pull = namesOf(account.imagePullSecrets);
  const index = ((spec.imagePullSecrets ?? []) as Reference[]).findIndex(({ name = '' }) => !pull.has(name));
  if (index < 0) return undefined;
  return `imagePullSecrets[${index}].name="${spec.imagePullSecrets[index].name ?? ''}" ${because} imagePullSecret`;
}

function unlistedOf(containers: readonly Container[] | undefined, what: string, account: ApiObject): string | undefined {
  const listed = namesOf(account.secrets);
  for (const container of containers ?? [])
    for (const [by, { name = '' }] of secretsOf(container))
      if (!listed.has(name))
        return `${what} ${container.name} with ${by} referencing secret.secretName="${name}" is not allowed because service account ${account.metadata.name} does not reference that secret`;
  return undefined;
}

/** Those that a container has in its environment, with what has them. */
function* secretsOf({ env = [], envFrom = [] }: Container): Generator<[by: string, secret: Reference]> {
  for (const { name, valueFrom } of env) if (valueFrom?.secretKeyRef !== undefined) yield [`envVar ${name}`, valueFrom.secretKeyRef];
  for (const { secretRef } of envFrom) if (secretRef !== undefined) yield ['envFrom', secretRef];
}

function namesOf(references: readonly Reference[] | undefined): ReadonlySet<string> {
  return new Set((references ?? []).map(({ name = '' }) => name));
}
