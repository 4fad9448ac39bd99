/** Finds out who sends a request to the agent, by client certificates and tokens, and asks the API server whether they may send it (as in 1.32). */
import type { IncomingMessage } from 'node:http';
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import { AuthenticationMetrics, certificateExpirations } from '../../authentication/authentication-metrics.ts';
import { Authenticator } from '../../authentication/authenticator.ts';
import { ClientCertificates, purposesOf } from '../../authentication/client-certificates.ts';
import { ProxyHeaders } from '../../authentication/proxy-headers.ts';
import { type TokenMethod, TokenMethods } from '../../authentication/token-methods.ts';
import { WebhookTokens } from '../../authentication/webhook-tokens.ts';
import type { AccessAttributes, Authorizer } from '../../authorization/authorizer.ts';
import { WebhookAuthorizer } from '../../authorization/webhook/authorizer.ts';
import { webhookMetrics } from '../../authorization/webhook/webhook-metrics.ts';
import type { ConnectionSettings } from '../../client/transport/connection-settings.ts';
import type { Identity } from '../../contract/identity.ts';
import type { User } from '../../contract/request-context.ts';
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Waiting } from '../../outbound/shared-answer.ts';
import { milliseconds } from '../contract/durations.ts';
import { AgentProblem } from '../contract/part.ts';

export interface AccessParts {
  readonly configuration: NodeAgentConfiguration;
  readonly nodeName: string;
  readonly identity: Identity;
  /** connection to the API server; undefined if the agent runs without one, so that it can review neither tokens nor rights */
  readonly connection: ConnectionSettings | undefined;
  readonly featureEnabled: (gate: string) => boolean;
  readonly metrics: Metrics;
  readonly log: Log;
}

const CREDENTIAL_ID = 'authentication.${labelDomain}/credential-id';
const NO_HEADERS = { username: [], uid: [], group: [], extraPrefix: [] };
/** The time limit for one question to the API server, in milliseconds. */
const TIMEOUT = 10_000;
const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
/** Subresources for which rights of their own suffice while the feature gate is on. Without the gate, they need rights on `proxy`. */
const FINE_GRAINED: ReadonlySet<string> = new Set(['pods', 'healthz', 'configz']);
const FINE_GRAINED_GATE = 'KubeletFineGrainedAuthz';

export class Access {
  readonly #parts: AccessParts;
  readonly #authenticator: Authenticator;
  /** undefined if everybody may do everything (`authorization.mode: AlwaysAllow`) */
  readonly #authorizer: Authorizer | undefined;
  readonly #closers: (() => void)[] = [];

  /**
   * @param authorities certificates of the authorities of clients, as PEM texts; without any, no client certificate counts
   * @throws Error if a certificate is broken, or if the configuration has tokens or rights reviewed and there is no connection to the API server
   */
  constructor(parts: AccessParts, authorities: readonly string[]) {
    this.#parts = parts;
    const { metrics, identity, log, configuration } = parts;
    const { anonymous } = configuration.authentication ?? {};
    this.#authenticator = new Authenticator({
      certificates: new ClientCertificates({
        ...purposesOf({ clientAuthorities: authorities, proxyAuthorities: undefined }),
        proxyNames: [],
        credentialId: identity.text(CREDENTIAL_ID),
        expirations: certificateExpirations(metrics),
      }),
      proxyHeaders: new ProxyHeaders(NO_HEADERS),
      tokens: this.#tokens(),
      audiences: [],
      anonymous: () => anonymous?.enabled === true,
      log,
      metrics: new AuthenticationMetrics(metrics),
      text: identity.text,
    });
    this.#authorizer = this.#createAuthorizer();
  }

  /** Replaces the authorities of clients, from the next request on. @param authorities PEM texts */
  trust(authorities: readonly string[]): void {
    this.#authenticator.trust({ clientAuthorities: authorities, proxyAuthorities: undefined });
  }

  close(): void {
    for (const close of this.#closers) close();
  }

  /** Finds out who sends a request. @param path the path of its URL, without the query. @throws StatusError Unauthorized if nobody can say who sends it */
  authenticate(request: IncomingMessage, path: string, waiting: Waiting): User | Promise<User> {
    return this.#authenticator.authenticate(request, path, () => {}, waiting);
  }

  /**
   * Checks that a user has rights on a subresource of this node.
   * @param method the method of the request, which determines the verb
   * @throws AgentProblem 403 if the user does not have them, and 500 if the API server could not decide
   */
  async authorize(user: User, method: string, subresource: string, waiting: Waiting): Promise<void> {
    if (this.#authorizer === undefined) return;
    const { nodeName } = this.#parts;
    const subresources = this.#subresources(subresource);
    const verb = VERBS[method] ?? '';
    const attributes = {
      user,
      verb,
      isResource: true,
      path: '',
      group: '',
      version: 'v1',
      namespace: '',
      resource: 'nodes',
      name: nodeName,
    };
    for (const each of subresources) {
      const { decision, error } = await this.#authorizer.authorize({ ...attributes, subresource: each } as AccessAttributes, waiting);
      if (decision === 'allow') return;
      if (error !== undefined)
        throw new AgentProblem(500, `Authorization error (user=${user.name}, verb=${verb}, resource=nodes, subresource=${each})`);
    }
    throw new AgentProblem(403, `Forbidden (user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}])`);
  }

  #subresources(subresource: string): readonly string[] {
    if (!FINE_GRAINED.has(subresource)) return [subresource];
    return this.#parts.featureEnabled(FINE_GRAINED_GATE) ? [subresource, 'proxy'] : ['proxy'];
  }

  #tokens(): TokenMethod {
    const { configuration, connection, identity } = this.#parts;
    const { enabled, cacheTTL } = configuration.authentication?.webhook ?? {};
    if (enabled === false) return new TokenMethods([]);
    if (connection === undefined) throw needsServer('authentication.webhook.enabled');
    const group = identity.text('authentication.${groupDomain}');
    const tokens = new WebhookTokens({
      peer: peerOf(connection, `/apis/${group}/v1/tokenreviews`),
      apiVersion: `${group}/v1`,
      audiences: [],
      cacheTtl: milliseconds(cacheTTL),
    });
    this.#closers.push(() => tokens.close());
    return new TokenMethods([tokens]);
  }

  #createAuthorizer(): Authorizer | undefined {
    const { configuration, connection, identity, metrics, log } = this.#parts;
    const { mode, webhook } = configuration.authorization ?? {};
    if (mode === 'AlwaysAllow') return undefined;
    if (connection === undefined) throw needsServer('authorization.mode: Webhook');
    const group = identity.text('authorization.${groupDomain}');
    const authorizer = new WebhookAuthorizer({
      name: 'server',
      peer: peerOf(connection, `/apis/${group}/v1/subjectaccessreviews`),
      group,
      version: 'v1',
      authorizedTtl: milliseconds(webhook?.cacheAuthorizedTTL ?? '5m0s'),
      unauthorizedTtl: milliseconds(webhook?.cacheUnauthorizedTTL ?? '30s'),
      timeout: TIMEOUT,
      failureDecision: 'noOpinion',
      metrics: webhookMetrics(metrics),
      failed: (error) => log.warn({ err: error }, 'the server has not decided about a request'),
    });
    this.#closers.push(() => authorizer.close());
    return authorizer;
  }
}

function peerOf(connection: ConnectionSettings, path: string): ConnectionSettings {
  return { ...connection, server: `${String(connection.server).replace(/\/+$/, '')}${path}` };
}

const needsServer = (field: string): Error =>
  new Error(`${field} needs the API server, and no client configuration names one: give --kubeconfig, or --enable-server=false`);
