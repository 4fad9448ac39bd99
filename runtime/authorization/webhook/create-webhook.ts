/** Makes webhooks from flags, or from an entry of a configuration file. */

import type { AuthorizerConfiguration, WebhookConfiguration, WebhookMatchCondition } from '../../../generated/apiserverconfig/v1/types.ts';
import { ConfigurationError } from '../../client/configuration/configuration.ts';
import { inClusterConnection } from '../../client/configuration/connection.ts';
import type { Identity } from '../../contract/identity.ts';
import { CompileError, compileExpression } from '../../expressions/expression.ts';
import { mustBe } from '../../expressions/expression-problems.ts';
import { BOOL } from '../../expressions/types/type.ts';
import { FileError } from '../../files/file-error.ts';
import type { FileKinds } from '../../files/file-kinds.ts';
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { peerOf } from '../../outbound/client-configuration.ts';
import { delegatedRequests } from '../../outbound/delegated-requests.ts';
import { atPath, delegatingServer } from '../../outbound/delegating-server.ts';
import type { Egress } from '../../outbound/egress.ts';
import type { Peer } from '../../outbound/exchange.ts';
import { parseDuration } from '../../schema/scalar/duration.ts';
import { type AuthorizationFlags, type DelegationFlags, FLAGS_WEBHOOK_NAME } from '../authorization-flags.ts';
import { WebhookAuthorizer } from './authorizer.ts';
import { MatchConditions } from './match-conditions.ts';
import { REVIEW_TYPE } from './review-types.ts';
import { webhookMetrics } from './webhook-metrics.ts';

export interface WebhookParts {
  readonly identity: Identity;
  readonly log: Log;
  readonly fileKinds: () => Promise<FileKinds>;
  readonly metrics: Metrics;
  readonly egress?: Egress | undefined;
}

const CONFIG = { group: '', kind: 'Config' };
/** Milliseconds for one attempt of a webhook that flags configure. */
const TIMEOUT = 30_000;
/** Limit of cost units for all match conditions of one request, as in 1.32. */
const BUDGET = 2_500_000;

export async function webhookOfFlags(parts: WebhookParts & { readonly flags: AuthorizationFlags }): Promise<WebhookAuthorizer> {
  const { flags } = parts;
  return new WebhookAuthorizer({
    ...common(parts, FLAGS_WEBHOOK_NAME),
    peer: await peerOfFile(parts, flags['authorization-webhook-config-file']),
    version: flags['authorization-webhook-version'] === 'v1' ? 'v1' : 'v1beta1',
    authorizedTtl: flags['authorization-webhook-cache-authorized-ttl'],
    unauthorizedTtl: flags['authorization-webhook-cache-unauthorized-ttl'],
    timeout: TIMEOUT,
    failureDecision: 'noOpinion',
  });
}

/** Milliseconds for which another API server's answer is cached if no flag says so, and in which it must answer; as in aggregated servers of 1.32. */
const DELEGATED_TTL = 10_000;
const DELEGATED_TIMEOUT = 10_000;

/**
 * The authorizer of an aggregated server, which asks another API server.
 * @throws FileError; Error that names the flag if neither a file nor the pod tells the address of that server
 */
export async function delegatedWebhook(
  parts: WebhookParts & { readonly flags: AuthorizationFlags & DelegationFlags; readonly given: ReadonlySet<string> },
): Promise<WebhookAuthorizer> {
  const { flags, given } = parts;
  const server = await delegatingServer('authorization-kubeconfig', flags, parts);
  const ttl = (flag: 'authorization-webhook-cache-authorized-ttl' | 'authorization-webhook-cache-unauthorized-ttl'): number =>
    given.has(flag) ? flags[flag] : DELEGATED_TTL;
  return new WebhookAuthorizer({
    ...common(parts, FLAGS_WEBHOOK_NAME),
    peer: { ...reviewedBy(server, parts.identity), metrics: parts.metrics },
    version: 'v1',
    authorizedTtl: ttl('authorization-webhook-cache-authorized-ttl'),
    unauthorizedTtl: ttl('authorization-webhook-cache-unauthorized-ttl'),
    timeout: DELEGATED_TIMEOUT,
    count: delegatedRequests(parts.metrics, 'authz'),
    failureDecision: 'noOpinion',
  });
}

/**
 * @param entry valid, from the list `authorizers`
 * @param at its place in the file, such as `authorizers[0]`
 * @throws FileError
 */
export async function webhookOfEntry(
  parts: WebhookParts,
  entry: AuthorizerConfiguration,
  at: string,
  file: string,
): Promise<WebhookAuthorizer> {
  const { name } = entry;
  const webhook = entry.webhook as WebhookConfiguration;
  const conditions = compiledConditions(webhook.matchConditions ?? [], `${at}.webhook.matchConditions`, file);
  const { type, kubeConfigFile } = webhook.connectionInfo;
  return new WebhookAuthorizer({
    ...common(parts, name),
    peer: type === 'InClusterConfig' ? clusterPeer(parts, file) : await peerOfFile(parts, kubeConfigFile ?? ''),
    version: webhook.subjectAccessReviewVersion as 'v1' | 'v1beta1',
    authorizedTtl: milliseconds(webhook.authorizedTTL),
    unauthorizedTtl: milliseconds(webhook.unauthorizedTTL),
    timeout: milliseconds(webhook.timeout),
    failureDecision: webhook.failurePolicy === 'Deny' ? 'deny' : 'noOpinion',
    ...(conditions !== undefined && { conditions }),
  });
}

function common({ identity, log, metrics }: WebhookParts, name: string) {
  return {
    name,
    metrics: webhookMetrics(metrics),
    group: identity.text('authorization.${groupDomain}'),
    failed: (error: unknown) => log.warn({ err: error }, 'the service that decides about requests has not done so'),
  };
}

async function peerOfFile({ fileKinds, identity, metrics, egress }: WebhookParts, file: string): Promise<Peer> {
  const { object } = await (await fileKinds()).read(file, CONFIG);
  return { ...peerOf(object, file, identity, egress?.tunnel('controlplane')), metrics };
}

function milliseconds(duration: string): number {
  return Number(parseDuration(duration) ?? 0n) / 1e6;
}

/** @throws FileError that names every expression that does not compile */
function compiledConditions(conditions: readonly WebhookMatchCondition[], at: string, file: string): MatchConditions | undefined {
  if (conditions.length === 0) return undefined;
  const problems: string[] = [];
  const compiled = conditions.flatMap(({ expression }, index) => {
    try {
      return [compileExpression(expression, { variables: { request: REVIEW_TYPE }, otherType: mustBe(BOOL), budget: BUDGET })];
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      problems.push(error.toldAt(`${at}[${index}].expression`));
      return [];
    }
  });
  if (problems.length > 0) throw new FileError(file, problems);
  return new MatchConditions(compiled);
}

function clusterPeer({ identity, metrics, egress }: WebhookParts, file: string): Peer {
  const tunnel = egress?.tunnel('controlplane');
  try {
    return { ...reviewedBy(inClusterConnection(identity).connection, identity), metrics, ...(tunnel && { tunnel }) };
  } catch (error) {
    if (error instanceof ConfigurationError) throw new FileError(file, [`InClusterConfig: ${error.message}`]);
    throw error;
  }
}

const reviewedBy = (server: Peer, { text }: Identity): Peer =>
  atPath(server, `/apis/${text('authorization.${groupDomain}')}/v1/subjectaccessreviews`);
