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

/** Names that 1.32 knows besides those that are compiled in here, of plugins that deny nothing: they may be given, and change nothing yet. */
const ABSENT_HARMLESS = [
  'AlwaysAdmit',
  'DefaultIngressClass',
  'DefaultStorageClass',
  'ExtendedResourceToleration',
  'NamespaceAutoProvision',
];

/** Such names of plugins that would deny something: who asks for one must not believe that it runs. */
const ABSENT_DENYING = [
  'AlwaysDeny',
  'AlwaysPullImages',
  'DenyServiceExternalIPs',
  'EventRateLimit',
  'ImagePolicyWebhook',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
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

/** @throws Error for a name that no plugin has, for an absent plugin that would deny something, and for one that is both enabled and disabled */
export function createAdmission(options: AdmissionOptions): Admission {
  const plugins = compiledIn(options);
  checkNames(options, [...plugins.map(({ name }) => name), ...ABSENT_HARMLESS, ...ABSENT_DENYING]);
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
  const absent = enabled.find((name) => ABSENT_DENYING.includes(name));
  if (absent !== undefined)
    throw new Error(
      `--enable-admission-plugins: this server does not have the admission plugin ${absent}, and would not deny what it denies`,
    );
  const both = enabled.find((name) => disabled.includes(name));
  if (both !== undefined) throw new Error(`the admission plugin ${both} is both enabled and disabled`);
}
