/** Follows what the delegating server says of client certificates. */
import type { Informer } from '../client/informers/informer.ts';
import { informer } from '../client/informers/informers.ts';
import { ApiError } from '../client/objects/api-error.ts';
import type { AnyObject } from '../client/objects/object.ts';
import type { Client } from '../client/resources/client.ts';
import type { Resource, ResourceTypes } from '../client/resources/resource.ts';
import type { Identity } from '../contract/identity.ts';
import type { Log } from '../observability/log.ts';
import { RecurringFailures } from '../observability/recurring-failures.ts';
import { type ClientTrust, TRUST_MAP, trustOf } from './client-trust.ts';

interface NamespacedTypes extends ResourceTypes {
  scope: 'Namespaced';
}

export interface FollowedTrustParts {
  readonly client: Client;
  /** of config maps */
  readonly resource: Resource<NamespacedTypes>;
  readonly identity: Identity;
  /** whether headers may give the uid of a user */
  readonly withUids: boolean;
  /** whether a server that does not answer, or refuses, is asked again later; else it is an error */
  readonly toleratesFailure: boolean;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

export class FollowedTrust {
  readonly #log: FollowedTrustParts['log'];
  readonly #withUids: boolean;
  readonly #informer: Informer<AnyObject>;
  readonly #failures = new RecurringFailures();
  #changed: () => void = () => {};
  #current: ClientTrust = {};

  private constructor({ client, resource, identity, withUids, log }: FollowedTrustParts) {
    this.#log = log;
    this.#withUids = withUids;
    const place = client.resource(resource).in(identity.text('${systemNamespace}'));
    this.#informer = informer(place, { fields: { 'metadata.name': TRUST_MAP } }) as Informer<AnyObject>;
    this.#informer.on(({ type, object }) => {
      this.#failures.succeeded('following');
      // as in 1.32 what has gone is trusted until something else takes its place
      if (type !== 'DELETED') this.#take(object);
    });
    this.#informer.onError((error) => {
      if (this.#failures.isNew('following', error)) log.warn({ err: error }, `the config map ${TRUST_MAP} cannot be followed`);
    });
  }

  /** Reads the map once, and follows it from then on. A map that is not there says nothing yet. @throws Error where it cannot be read */
  static async open(parts: FollowedTrustParts): Promise<FollowedTrust> {
    const followed = new FollowedTrust(parts);
    const { client, resource, identity, toleratesFailure, log } = parts;
    const namespace = identity.text('${systemNamespace}');
    try {
      followed.#take(
        (await client
          .resource(resource)
          .in(namespace)
          .get(TRUST_MAP, { signal: AbortSignal.timeout(TIMEOUT) })) as AnyObject,
      );
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 404)) {
        const problem = lookupFailure(error, namespace);
        if (!toleratesFailure) throw problem;
        log.warn({ err: problem }, 'it is not known which client certificates count; their requests may be anonymous until it is');
      }
    }
    followed.#informer.start();
    return followed;
  }

  get current(): ClientTrust {
    return this.#current;
  }

  /** @param changed called after each change. Must not throw. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  close(): Promise<void> {
    return this.#informer.stop();
  }

  #take(map: AnyObject): void {
    const { data = {} } = map as { data?: Record<string, string> };
    const before = JSON.stringify(this.#current);
    this.#current = trustOf(data, this.#current, this.#withUids, (problem) =>
      this.#log.warn({ err: problem }, `the config map ${TRUST_MAP} holds what cannot be used`),
    );
    if (JSON.stringify(this.#current) === before) return;
    this.#log.info({}, `client certificates are judged by the config map ${TRUST_MAP}`);
    this.#changed();
  }
}

/** Milliseconds. */
const TIMEOUT = 30_000;

function lookupFailure(error: unknown, namespace: string): Error {
  const message = error instanceof Error ? error.message : String(error);
  const remedy =
    error instanceof ApiError && error.code === 403
      ? `; whoever may read it has the role extension-apiserver-authentication-reader in the namespace ${namespace}`
      : '';
  return new Error(
    `the config map ${TRUST_MAP} cannot be read: ${message}${remedy}. --authentication-tolerate-lookup-failure starts without it, --authentication-skip-lookup does without it`,
    { cause: error },
  );
}
