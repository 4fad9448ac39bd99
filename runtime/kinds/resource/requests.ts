/** What a claim asks for; claims and templates of claims have it. */
import type { ResourceClaimSpec } from '../../../generated/resource/v1beta1/types.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';

/** What parts of a claim and of its template know of the whole. */
export interface RequestScope {
  /** names of the requests */
  readonly names: ReadonlySet<string>;
  /** settings that were stored before may be longer than the limit, which older releases did not have */
  readonly isStored: boolean;
}

/**
 * 1.32 looks at an updated claim twice: as at a new one, and as at one that was stored before, since the spec never changes.
 * @param outer the scope of the updated claim itself, when it is looked at for the second time
 */
export function requestScope({ devices }: ResourceClaimSpec, outer: RequestScope | undefined): RequestScope {
  return { names: new Set((devices?.requests ?? []).map(({ name }) => name)), isStored: outer !== undefined };
}

export const isRequest = (name: string, _old: unknown, _context: RuleContext, { names }: RequestScope): boolean => names.has(name);

export function asksForAdminAccess({ devices }: ResourceClaimSpec): boolean {
  return (devices?.requests ?? []).some(({ adminAccess }) => adminAccess !== undefined);
}

/**
 * While the gate of `adminAccess` is off nobody can begin to use it.
 * @param used whether the stored object does already
 */
export function dropAdminAccess({ devices }: ResourceClaimSpec, used: boolean, context: RuleContext): void {
  if (used || context.featureEnabled('DRAAdminAccess')) return;
  for (const request of devices?.requests ?? []) delete request.adminAccess;
}
