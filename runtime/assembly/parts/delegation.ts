/** What an aggregated server takes from the API server that delegates to it. Only aggregated servers load this file. */
import {
  mutatingwebhookconfigurations,
  validatingadmissionpolicies,
  validatingadmissionpolicybindings,
  validatingwebhookconfigurations,
} from '../../../generated/client/admissionregistration/v1/index.ts';
import {
  mutatingadmissionpolicies,
  mutatingadmissionpolicybindings,
} from '../../../generated/client/admissionregistration/v1alpha1/index.ts';
import { configmaps, namespaces } from '../../../generated/client/core/v1/index.ts';
import { ORDERED_PLUGINS } from '../../admission/ordered-plugins.ts';
import type { ProxyRules } from '../../authentication/authenticator.ts';
import { Client } from '../../client/resources/client.ts';
import type { Resource } from '../../client/resources/resource.ts';
import type { GroupVersionData } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { ClientTrust } from '../../delegation/client-trust.ts';
import { ClusterObjects } from '../../delegation/cluster-objects.ts';
import { FollowedTrust } from '../../delegation/followed-trust.ts';
import { type DelegatingServerParts, delegatingServer } from '../../outbound/delegating-server.ts';
import type { ServiceRoutes } from '../../outbound/webhook-client.ts';
import { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import type { ServerCertificates } from '../../server/listener/serving-certificates.ts';
import type { Storage } from '../../storage/storage.ts';
import { createFileKinds } from '../setup/file-kinds.ts';
import type { Flags } from '../setup/flags.ts';
import type { Setup } from '../setup/setup.ts';

interface DelegationParts extends Pick<Setup, 'identity' | 'log'>, DelegatingServerParts {
  readonly flags: Flags;
  readonly featureEnabled: (gate: string) => boolean;
}

/** Flags of authentication and authorization that the delegating server alone decides about. */
const EXCLUDED =
  /^(?:token-auth-file|enable-bootstrap-token-auth|oidc-.*|authentication-(?:config|token-webhook-(?:config-file|version))|authorization-(?:mode|config|policy-file|webhook-(?:config-file|version)))$/;

/** The admission plugins that aggregated servers of 1.32 have. */
const PLUGINS: ReadonlySet<string> = new Set([
  'NamespaceLifecycle',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
]);

/** @throws Error that names a flag that an aggregated server does not have */
export function checkDelegation({ values, given }: Pick<Setup['parsed'], 'values' | 'given'>, definitions: number): void {
  const excluded = [...given].find((name) => EXCLUDED.test(name));
  if (excluded !== undefined) throw new Error(`--delegated-authentication and --${excluded} exclude each other`);
  const plugin = values['enable-admission-plugins'].find((name) => !PLUGINS.has(name));
  if (plugin !== undefined)
    throw new Error(`--enable-admission-plugins: an aggregated server has no admission plugin ${JSON.stringify(plugin)}`);
  if (definitions === 0 && Object.keys(values['runtime-config']).length === 0)
    throw new Error('--delegated-authentication: nothing is served; --served-definitions or --runtime-config says what is');
}

/** Names of the admission plugins that do not run: those that a flag disables, and all that an aggregated server does not have. */
export const disabledPlugins = (disabled: readonly string[]): string[] => [
  ...disabled,
  ...ORDERED_PLUGINS.flatMap(({ name }) => (PLUGINS.has(name) || disabled.includes(name) ? [] : [name])),
];

/** Follows the namespaces, webhooks and policies of the delegating server. @throws Error that names the flag or the file that is wrong */
export async function followCluster(parts: DelegationParts): Promise<ClusterObjects> {
  const { flags, identity, log, featureEnabled } = parts;
  const client = new Client(await delegatingServer('kubeconfig', flags, parts), { identity });
  const resources = [
    namespaces,
    mutatingwebhookconfigurations,
    validatingwebhookconfigurations,
    validatingadmissionpolicies,
    validatingadmissionpolicybindings,
    ...(featureEnabled('MutatingAdmissionPolicy') ? [mutatingadmissionpolicies, mutatingadmissionpolicybindings] : []),
  ] as unknown as readonly Resource[];
  return new ClusterObjects({ client, resources, log });
}

/** Looks up objects of the store, except namespaces, which only the delegating server has. */
export class ObjectsOfCluster extends ObjectLookup {
  readonly #cluster: Pick<ClusterObjects, 'namespace'>;

  constructor(
    cluster: Pick<ClusterObjects, 'namespace'>,
    ...[storage, groupVersions, readsLong]: [storage: Storage, groupVersions: readonly GroupVersionData[], readsLong: boolean]
  ) {
    super(storage, groupVersions, readsLong);
    this.#cluster = cluster;
  }

  override shared(resource: string, namespace: string, name: string): ApiObject | undefined {
    return resource === 'namespaces' ? this.#cluster.namespace(name) : super.shared(resource, namespace, name);
  }
}

/** Like aggregated servers of 1.32, reaches a service by its DNS name instead of looking it up. */
export const servicesByName: ServiceRoutes = {
  resolve: ({ namespace, name, port }) => ({ host: `${name}.${namespace}.svc`, port }),
};

/**
 * The client certificates that are trusted according to flags, files and the delegating server together. Flags take precedence over that
 * server.
 */
export interface TrustInForce {
  certificates(): ServerCertificates;
  proxyRules(): ProxyRules | undefined;
  /** @param changed called after each change that the delegating server reports. It must not throw. */
  onChange(changed: () => void): void;
  close(): Promise<void>;
}

/**
 * @param own returns the server's own certificates of the moment
 * @returns undefined if flags say that the delegating server is not asked
 * @throws Error if the delegating server does not answer and flags do not tolerate that
 */
export async function trustInForce(
  { parsed: { values: flags }, identity, log }: Setup,
  featureEnabled: (gate: string) => boolean,
  own: () => ServerCertificates,
): Promise<TrustInForce | undefined> {
  const isStated = flags['client-ca-file'] !== '' && flags['requestheader-client-ca-file'] !== '';
  if (flags['authentication-skip-lookup'] || isStated) return undefined;
  const parts = { identity, fileKinds: async () => createFileKinds(identity, featureEnabled) };
  const client = new Client(await delegatingServer('authentication-kubeconfig', flags, parts), { identity });
  try {
    const trust = await FollowedTrust.open({
      client,
      resource: configmaps,
      identity,
      withUids: featureEnabled('RemoteRequestHeaderUID'),
      // as in 1.32, a failed lookup does not stop the start if a flag names the authorities of proxies
      toleratesFailure: flags['authentication-tolerate-lookup-failure'] || flags['requestheader-client-ca-file'] !== '',
      log,
    });
    return {
      certificates: () => withTrust(own(), trust.current, flags['client-ca-file'] === ''),
      proxyRules: () => (own().proxyAuthorities === undefined ? trust.current.proxyRules : undefined),
      onChange: (changed) => trust.onChange(changed),
      async close() {
        await trust.close();
        await client.close();
      },
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** @param hasNoClients whether no flag names authorities of clients */
function withTrust(own: ServerCertificates, trust: ClientTrust, hasNoClients: boolean): ServerCertificates {
  const added = hasNoClients && trust.clientAuthorities !== undefined ? [trust.clientAuthorities] : [];
  const clientAuthorities = [...own.clientAuthorities, ...added];
  const proxyAuthorities = own.proxyAuthorities ?? trust.proxyAuthorities;
  const all = proxyAuthorities === undefined ? clientAuthorities : [...clientAuthorities, proxyAuthorities];
  return { ...own, clientAuthorities, proxyAuthorities, serving: { ...own.serving, clientAuthorities: all } };
}
