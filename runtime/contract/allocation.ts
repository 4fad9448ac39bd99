/** How a kind's rules take what no two objects may have: addresses and ports of services. */
import type { ApiObject } from './object.ts';
import type { RequestContext } from './request-context.ts';

export interface Allocations {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

export type IpFamily = 'IPv4' | 'IPv6';

/** A service, as its metadata says. */
export type Owner = Pick<ApiObject['metadata'], 'uid' | 'namespace' | 'name'>;

export interface Allocator {
  /** as CIDR blocks, by family; the first one is that of services that ask for none */
  readonly addressRanges: ReadonlyMap<IpFamily, string>;
  /** first and last port, such as 30000-32767 */
  readonly portRange: string;
  /** prefixes of the keys of all that is recorded as given out */
  readonly prefixes: readonly string[];
  /** Begins to take what one write of the owner's needs. @param write absent: nobody asks for it */
  take(owner: Owner, write?: TakingFor): Taking;
  /** Begins to record what the owner has already, by `keysOf` and nowhere else. */
  record(owner: Owner): Taking;
  /** Gives back those that the owner has and did not claim again at or after a revision; all by default. */
  release(owner: Owner, allocations: Allocations, claimedBefore?: number): Promise<void>;
  /** Why nobody can have an address that `Taking.address` has called `outside`. */
  outside(address: string): string;
  /** The key of the store under which each of them is recorded, with the owner's uid as the value; none for what is not recorded so. */
  keysOf(allocations: Allocations): string[];
}

/** The write that something is taken for. */
export interface TakingFor {
  /** has what is taken be chosen */
  readonly request: Pick<RequestContext, 'chosen'>;
  /** it gives back what it takes, and does not count */
  readonly dryRun: boolean;
}

/** What is taken for one write, so that it can be given back. Other writes of the same owner may be under way. */
export interface Taking {
  /** @returns a free address of the family's range, or undefined when the range is full, or there is none */
  anyAddress(family: IpFamily): Promise<string | undefined>;
  /** @returns `taken` when another owner has it, `outside` when the range of its family has it not */
  address(address: string): Promise<'claimed' | 'taken' | 'outside'>;
  anyPort(): Promise<number | undefined>;
  port(port: number): Promise<'claimed' | 'taken' | 'outside'>;
  /** Gives back what was free before, and was not claimed by another write of the owner since. */
  giveBack(): Promise<void>;
}
