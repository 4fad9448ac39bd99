/**
 * Admission: what is compiled into the server looks at each write after authorization, first the steps that may change the object, then those
 * that may only refuse it. Which steps run is chosen by name, with the names and defaults of 1.32.
 */

import type { Authorizer } from '../authorization/authorizer.ts';
import type { Identity } from '../contract/identity.ts';
import type { ObjectLookup } from '../registry/object-lookup.ts';
import type { Admission } from './attributes.ts';
import { certificateSubjectRestriction } from './certificate-subject-restriction.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { nodeRestriction } from './node-restriction.ts';
import type { AdmissionPlugin } from './plugin.ts';
import { priority } from './priority.ts';
import { serviceAccount } from './service-account.ts';
import { signerPermissions } from './signer-permissions.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

export interface AdmissionOptions {
  readonly identity: Identity;
  /** --enable-admission-plugins */
  readonly enabled: readonly string[];
  /** --disable-admission-plugins */
  readonly disabled: readonly string[];
  /** undefined for a namespace that does not exist */
  readonly namespacePhase: (name: string) => 'Active' | 'Terminating' | undefined;
  readonly authorizer: Authorizer;
  readonly objects: ObjectLookup;
  readonly featureEnabled: (gate: string) => boolean;
}

/** Those that run only where --enable-admission-plugins names them. */
const OFF_BY_DEFAULT: ReadonlySet<string> = new Set(['NodeRestriction']);

/** Names that 1.32 knows besides those that are compiled in here: they may be given, and change nothing yet. */
const OTHER_NAMES = [
  'AlwaysAdmit',
  'AlwaysDeny',
  'AlwaysPullImages',
  'DefaultIngressClass',
  'DefaultStorageClass',
  'DenyServiceExternalIPs',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'ImagePolicyWebhook',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'NamespaceAutoProvision',
  'NamespaceExists',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'PodNodeSelector',
  'PodSecurity',
  'PodTolerationRestriction',
  'ResourceQuota',
  'RuntimeClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
];

/** @throws Error for a name that no plugin has, and for one that is both enabled and disabled */
export function createAdmission(options: AdmissionOptions): Admission {
  const plugins = compiledIn(options);
  checkNames(options, [...plugins.map(({ name }) => name), ...OTHER_NAMES]);
  const running = plugins.filter(({ name }) =>
    OFF_BY_DEFAULT.has(name) ? options.enabled.includes(name) : !options.disabled.includes(name),
  );
  const mutating = running.filter(({ mutate }) => mutate !== undefined);
  const validating = running.filter(({ validate }) => validate !== undefined);
  return {
    async mutate(attributes) {
      for (const plugin of mutating) {
        const pending = plugin.mutate?.(attributes);
        if (pending !== undefined) await pending;
      }
    },
    async validate(attributes) {
      for (const plugin of validating) {
        const pending = plugin.validate?.(attributes);
        if (pending !== undefined) await pending;
      }
    },
  };
}

/** In the order in which they run. */
function compiledIn({ identity, namespacePhase, authorizer, objects, featureEnabled }: AdmissionOptions): AdmissionPlugin[] {
  return [
    namespaceLifecycle(identity, namespacePhase),
    serviceAccount(identity, objects),
    nodeRestriction({
      identity,
      stored: (resource, namespace, name) => objects.get(resource, namespace, name),
      restrictsAudiences: featureEnabled('ServiceAccountNodeAudienceRestriction'),
      withForeignCertificates: featureEnabled('AllowInsecureKubeletCertificateSigningRequests'),
    }),
    taintNodesByCondition(identity),
    priority(),
    defaultTolerationSeconds(identity),
    storageObjectInUseProtection(identity),
    ...signerPermissions(identity, authorizer),
    certificateSubjectRestriction(identity),
  ];
}

function checkNames({ enabled, disabled }: AdmissionOptions, known: readonly string[]): void {
  for (const [flag, names] of [
    ['--enable-admission-plugins', enabled],
    ['--disable-admission-plugins', disabled],
  ] as const)
    for (const name of names) if (!known.includes(name)) throw new Error(`${flag}: no admission plugin is named ${JSON.stringify(name)}`);
  const both = enabled.find((name) => disabled.includes(name));
  if (both !== undefined) throw new Error(`the admission plugin ${both} is both enabled and disabled`);
}
