/** How a kind's rules allocate what only one object may have: addresses and ports of services. */
import type { ApiObject } from './object.ts';
import type { RequestContext } from './request-context.ts';

export interface Allocations {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

export type IpFamily = 'IPv4' | 'IPv6';

/** A service that has addresses or ports, named by its metadata. */
export type Owner = Pick<ApiObject['metadata'], 'uid' | 'namespace' | 'name'>;

export interface Allocator {
  /** the range of addresses of each family as a CIDR block; the first family is that of services that ask for none */
  readonly addressRanges: ReadonlyMap<IpFamily, string>;
  /** the first and the last port, such as `30000-32767` */
  readonly portRange: string;
  /** the prefixes of the keys under which allocations are recorded in the store */
  readonly prefixes: readonly string[];
  /** Begins the allocations for one write of the owner. @param write absent if no client has asked for it */
  take(owner: Owner, write?: TakingFor): Taking;
  /** Begins to record what the owner has already, only under the keys that `keysOf` returns. */
  record(owner: Owner): Taking;
  /**
   * Gives allocations of the owner back.
   * @param claimedBefore a revision: allocations that the owner claimed again at or after it stay; default: none stays
   */
  release(owner: Owner, allocations: Allocations, claimedBefore?: number): Promise<void>;
  /** Tells why nobody can have an address for which `Taking.address` has returned `outside`. */
  outside(address: string): string;
  /** Returns the keys under which allocations are recorded in the store, with the owner's uid as the value; none for those that are not recorded so. */
  keysOf(allocations: Allocations): string[];
}

/** The write that something is allocated for. */
export interface TakingFor {
  /** remembers random choices, see `RequestContext.chosen` */
  readonly request: Pick<RequestContext, 'chosen'>;
  /** whether the write is a dry run, which gives everything back and is not counted in metrics */
  readonly dryRun: boolean;
}

/** The allocations for one write, which can be given back. Other writes of the same owner may be under way. */
export interface Taking {
  /** Allocates an address. @returns undefined if the family has no range, or no free address in it */
  anyAddress(family: IpFamily): Promise<string | undefined>;
  /** Allocates a certain address. @returns `taken` if another owner has it, `outside` if it is not in the range of its family */
  address(address: string): Promise<'claimed' | 'taken' | 'outside'>;
  /** Allocates a port. @returns undefined if no port is free */
  anyPort(): Promise<number | undefined>;
  /** Allocates a certain port. @returns `taken` if another owner has it, `outside` if it is not in the range */
  port(port: number): Promise<'claimed' | 'taken' | 'outside'>;
  /** Gives everything back that was free before, and that no other write of the owner has claimed since. */
  giveBack(): Promise<void>;
}
