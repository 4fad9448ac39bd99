/** Owners that the API servers behind this one have. */
import type { Aggregation } from '../../aggregation/aggregation.ts';
import { ServiceError } from '../../aggregation/service-address.ts';
import { serviceAccountGroups, serviceAccountUserName } from '../../authentication/service-account-names.ts';
import { ExchangeError } from '../../connections/exchange-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { User } from '../../contract/request-context.ts';
import type { OwnerPlace, OwnerSource } from '../controller/owner-source.ts';

const LIMITS = { timeout: 30_000, maxBytes: 3 * 1024 * 1024 };

export class RemoteOwners implements OwnerSource {
  readonly #aggregation: Pick<Aggregation, 'resources' | 'servers' | 'versions'>;
  readonly #user: User;
  readonly #accept: string;

  constructor(aggregation: Pick<Aggregation, 'resources' | 'servers' | 'versions'>, { text }: Pick<Identity, 'text'>) {
    this.#aggregation = aggregation;
    const namespace = text('${systemNamespace}');
    const name = serviceAccountUserName(namespace, 'generic-garbage-collector');
    this.#user = { name, uid: '', groups: [...serviceAccountGroups(namespace), 'system:authenticated'], extra: {} };
    this.#accept = `${text('application/json;as=PartialObjectMetadata;v=v1;g=meta.${groupDomain}')},application/json`;
  }

  get isEmpty(): boolean {
    return this.#aggregation.versions.size === 0;
  }

  async place(apiVersion: string, kind: string): Promise<OwnerPlace | undefined> {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const remote = this.#aggregation.versions.get(group, version);
    if (remote === undefined || !remote.available) return undefined;
    const resources = await this.#aggregation.resources(remote);
    const found = resources?.find(({ responseKind, verbs }) => responseKind.kind === kind && verbs.includes('get'));
    if (found === undefined) return undefined;
    const { timeout, maxBytes } = LIMITS;
    return {
      resource: found.resource,
      namespaced: found.scope === 'Namespaced',
      get: async (path) => {
        try {
          const servers = await this.#aggregation.servers();
          const { status, body } = await servers.ask(remote, { path, accept: this.#accept, user: this.#user, timeout, maxBytes });
          return { status, body: body.toString() };
        } catch (error) {
          if (error instanceof ExchangeError || error instanceof ServiceError) return undefined;
          throw error;
        }
      },
    };
  }
}
