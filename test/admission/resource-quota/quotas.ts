/** A namespace with quotas, for a plugin that is asked about writes: what it takes is written to them as the store would. */

import type { PluginParts } from '../../../runtime/admission/plugin-interface/plugin.ts';
import type { QuotaStatuses } from '../../../runtime/admission/resource-quota/quota-statuses.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { listOf } from '../../../runtime/schema/scalar/amounts.ts';
import { newConflict, newNotFound } from '../../../runtime/status/status.ts';
import { partsOf } from '../asking.ts';

type List = Readonly<Record<string, string>>;

/** @param used absent: nothing of anything; `unknown`: the status does not say */
export function quota(name: string, hard: List, used: List | 'unknown' = {}, spec: object = {}): ApiObject {
  const none = Object.fromEntries(Object.keys(hard).map((each) => [each, '0']));
  return {
    kind: 'ResourceQuota',
    apiVersion: 'v1',
    metadata: { name, namespace: 'a', resourceVersion: '1' },
    spec: { hard, ...spec },
    status: { hard, ...(used !== 'unknown' && { used: { ...none, ...used } }) },
  };
}

const QUOTAS = { group: '', resource: 'resourcequotas' };

export class StoredQuotas implements QuotaStatuses {
  readonly #quotas: Map<string, ApiObject>;
  /** by names, how often each was written */
  readonly writes: string[] = [];
  /** called before each write */
  meanwhile: (name: string) => void = () => {};
  /** revision of the guard */
  guarded = 1;

  constructor(...quotas: readonly ApiObject[]) {
    this.#quotas = new Map(quotas.map((each) => [each.metadata.name as string, each]));
  }

  used(name: string): List {
    return this.#quotas.get(name)?.status.used;
  }

  /** Another writer. */
  set(name: string, used: List): void {
    const old = this.#quotas.get(name) as ApiObject;
    const resourceVersion = String(Number(old.metadata.resourceVersion) + 1);
    this.#quotas.set(name, { ...old, metadata: { ...old.metadata, resourceVersion }, status: { ...old.status, used } });
  }

  remove(name: string): void {
    this.#quotas.delete(name);
  }

  guard(namespace: string) {
    return { key: namespace, revision: this.guarded };
  }

  catchUp(): void {}

  async use(old: ApiObject, used: Parameters<QuotaStatuses['use']>[1]): Promise<void> {
    const name = old.metadata.name as string;
    this.meanwhile(name);
    await new Promise(setImmediate);
    const now = this.#quotas.get(name);
    if (now === undefined) throw newNotFound(QUOTAS, name);
    if (now.metadata.resourceVersion !== old.metadata.resourceVersion) throw newConflict(QUOTAS, name, 'modified');
    this.writes.push(name);
    this.set(name, listOf(used));
  }

  parts(parts: Partial<PluginParts> = {}): PluginParts {
    const followed = () => ({
      changes: 0,
      in: (namespace: string) => (namespace === 'a' ? [...this.#quotas.values()] : []),
      get: (_: string, name: string) => this.#quotas.get(name),
    });
    return partsOf({ quotaStatuses: this, followed, ...parts });
  }
}
