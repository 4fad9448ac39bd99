import type { ApiObject } from '../../contract/object.ts';
import type { Amounts } from '../../schema/scalar/amounts.ts';
import type { Guard } from '../../storage/storage.ts';

/** What is used of quotas, in the store. */
export interface QuotaStatuses {
  /**
   * What whoever counts the objects of a namespace anew changes before that: an object that was admitted before is not stored after it. Read before
   * the quotas are.
   */
  guard(namespace: string): Guard;
  /** Brings the quotas that are followed to the store's own revision. */
  catchUp(): void;
  /**
   * Writes how much is used of a quota.
   * @param quota as it is stored
   * @throws StatusError Conflict where it is not stored like that any longer, NotFound where it is gone
   */
  use(quota: ApiObject, used: Amounts): Promise<void>;
}

/** What the keys of guards begin with; the name of the namespace follows. */
export const GUARDS = 'guards/resourcequotas/';

export const guardKey = (namespace: string): string => GUARDS + namespace;
