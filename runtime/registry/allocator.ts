/**
 * Addresses and ports of services. Each one given out is a key of its own in the store, made only if it is absent, so that no two
 * services ever hold the same one, whatever number of processes gives them out. The value is the uid of the service.
 *
 * The keys stand below those of 1.32, `ranges/serviceips` and `ranges/servicenodeports`, each of which holds a whole range as one bitmap, which every service
 * that is made writes anew. 1.32 reads and writes just these two keys, and nothing below them; nobody here touches the two. So a server of either kind
 * may follow the other one over the same keys: it finds what services have, and repairs its own records of it when it starts. At the same time they
 * may not give out, for neither sees what the other one has taken until a service has it. IPAddress objects, by which 1.32 gives out addresses behind the gate
 * MultiCIDRServiceAllocator, are not used: they are for clients to read, and ports have none.
 */
import { randomInt } from 'node:crypto';
import type { Allocations, Allocator, IpFamily, Taking, TakingFor } from '../contract/kind.ts';
import { chosenFor } from '../contract/request-context.ts';
import { familyOf } from '../formats/addresses.ts';
import type { Metrics } from '../observability/metrics.ts';
import { Conflict, KeyExists, KeyNotFound } from '../storage/errors.ts';
import type { Entry, Storage } from '../storage/storage.ts';
import { type AddressRange, canonicalAddress } from './address-range.ts';
import { type AllocationCounts, type AllocationScope, allocationCounts, type RecordedRange } from './allocation-figures.ts';
import { turn } from './event-loop-turns.ts';

const ADDRESSES = 'ranges/serviceips/';
const PORTS = 'ranges/servicenodeports/';
/** prefixes of the keys of all that is given out */
export const ALLOCATIONS: readonly string[] = [ADDRESSES, PORTS];
/** @param key one that begins with one of `ALLOCATIONS`. @returns false: it is of a port */
export const isRecordOfAddress = (key: string): boolean => key.startsWith(ADDRESSES);
/** Random tries before the range is searched in order. */
const RANDOM_TRIES = 16;
/** Keys that a search in order looks up in one turn. */
const SLICE = 64;

export interface PortRange {
  /** inclusive, 1 to 65535 */
  readonly first: number;
  /** inclusive */
  readonly last: number;
}

/** Ports at the beginning that are given out last (KEP 3668): a thirty-second of the range, between 16 and 128. */
function reservedPorts(size: number): number {
  return size <= 16 ? 0 : Math.min(128, Math.max(16, Math.floor(size / 32)));
}

export class StorageAllocator implements Allocator {
  readonly addressRanges: ReadonlyMap<IpFamily, string>;
  readonly #storage: Storage;
  readonly #ranges: Ranges;
  readonly #counts: Counts | undefined;

  /**
   * @param addresses ranges of different families, the first one for services that ask for none
   * @param metrics absent: nothing is counted
   */
  constructor(storage: Storage, addresses: readonly AddressRange[], ports: PortRange, metrics?: Pick<Metrics, 'counter'>) {
    this.addressRanges = new Map(addresses.map(({ family, cidr }) => [family, cidr]));
    this.#storage = storage;
    this.#ranges = { addresses: new Map(addresses.map((range) => [range.family, range])), ports };
    this.#counts = metrics && countsOf(metrics, addresses);
  }

  get portRange(): string {
    const { first, last } = this.#ranges.ports;
    return `${first}-${last}`;
  }

  /** What is recorded of each range, and where. */
  get recordedRanges(): RecordedRange[] {
    const { addresses, ports } = this.#ranges;
    return [
      ...Array.from(addresses.values(), recordedAddresses),
      { of: 'nodeport', name: this.portRange, prefix: PORTS, size: sizeOf(ports) },
    ];
  }

  take(owner: string, write?: TakingFor): Taking {
    const counts = write === undefined || write.dryRun ? undefined : this.#counts;
    return new StorageTaking(this.#storage, owner, this.#ranges, { request: write?.request ?? {}, counts });
  }

  async release(owner: string, allocations: Allocations, claimedBefore = Number.POSITIVE_INFINITY): Promise<void> {
    await Promise.all(
      this.keysOf(allocations).map(async (key) => {
        const entry = this.#storage.get(key);
        // What another process gave back at the same time may be somebody else's by now.
        if (entry?.value.toString() === owner && entry.revision < claimedBefore) await giveBack(this.#storage, entry);
      }),
    );
  }

  keysOf({ addresses, ports }: Allocations): string[] {
    return [...new Set([...addresses.map(addressKey), ...ports.map(portKey)])];
  }
}

interface Ranges {
  readonly addresses: ReadonlyMap<IpFamily, AddressRange>;
  readonly ports: PortRange;
}

/** What the ranges are counted by. */
interface Counts {
  readonly addresses: ReadonlyMap<IpFamily, AllocationCounts>;
  readonly ports: AllocationCounts;
}

const countsOf = (metrics: Pick<Metrics, 'counter'>, addresses: readonly AddressRange[]): Counts => ({
  addresses: new Map(addresses.map(({ family, cidr }) => [family, allocationCounts(metrics, cidr)])),
  ports: allocationCounts(metrics),
});

/** What is taken for. */
interface Purpose {
  readonly request: TakingFor['request'];
  /** absent: it does not count */
  readonly counts: Counts | undefined;
}

class StorageTaking implements Taking {
  readonly #storage: Storage;
  readonly #owner: string;
  readonly #ranges: Ranges;
  readonly #request: TakingFor['request'];
  readonly #counts: Counts | undefined;
  /** what was free, with the revision at which it was taken */
  readonly #taken = new Map<string, number>();

  constructor(storage: Storage, owner: string, ranges: Ranges, { request, counts }: Purpose) {
    this.#storage = storage;
    this.#owner = owner;
    this.#ranges = ranges;
    this.#request = request;
    this.#counts = counts;
  }

  async anyAddress(family: IpFamily): Promise<string | undefined> {
    const range = this.#ranges.addresses.get(family);
    if (range === undefined) return undefined;
    const index = await this.#takeLate(range.size, range.reserved, (i) => addressKey(range.at(i)));
    count(this.#counts?.addresses.get(family), 'dynamic', index !== undefined);
    return index === undefined ? undefined : range.at(index);
  }

  async address(address: string): Promise<'claimed' | 'taken' | 'outside'> {
    const family = familyOf(address);
    const range = family && this.#ranges.addresses.get(family);
    const outcome = range?.contains(address) ? await this.#claim(addressKey(address)) : 'outside';
    count(family && this.#counts?.addresses.get(family), 'static', outcome === 'claimed');
    return outcome;
  }

  async anyPort(): Promise<number | undefined> {
    const { first } = this.#ranges.ports;
    const size = sizeOf(this.#ranges.ports);
    const index = await this.#takeLate(size, reservedPorts(size), (i) => portKey(first + i));
    count(this.#counts?.ports, 'dynamic', index !== undefined);
    return index === undefined ? undefined : first + index;
  }

  async port(port: number): Promise<'claimed' | 'taken' | 'outside'> {
    const { first, last } = this.#ranges.ports;
    const outcome = port < first || port > last ? 'outside' : await this.#claim(portKey(port));
    count(this.#counts?.ports, 'static', outcome === 'claimed');
    return outcome;
  }

  async giveBack(): Promise<void> {
    const value = Buffer.from(this.#owner);
    await Promise.all(Array.from(this.#taken, ([key, revision]) => giveBack(this.#storage, { key, revision, value })));
    this.#taken.clear();
  }

  /** The lower part of a range is left to what people choose, until the upper part is full. @returns undefined when all of both are taken */
  async #takeLate(size: number, reserved: number, key: (index: number) => string): Promise<number | undefined> {
    return (await this.#takeAny(reserved, size, key)) ?? this.#takeAny(0, reserved, key);
  }

  /** @returns the index that was taken, from `from` (inclusive) to `to` (exclusive); undefined when all are */
  async #takeAny(from: number, to: number, key: (index: number) => string): Promise<number | undefined> {
    if (to <= from) return undefined;
    const what = `one of ${to - from} from ${key(from)}`;
    for (let attempt = 0; attempt < RANDOM_TRIES; attempt++) {
      const index = chosenFor(this.#request, what, () => randomInt(from, to));
      if (await this.#takeFree(key(index))) return index;
    }
    for (let index = from; index < to; index++) {
      if ((index - from) % SLICE === 0) await turn();
      // A look-up whose outcome the store remembers would make it forget what it is asked for again and again.
      if (this.#storage.get(key(index)) === undefined && (await this.#takeFree(key(index)))) return index;
    }
    return undefined;
  }

  async #claim(key: string): Promise<'claimed' | 'taken'> {
    while (!(await this.#takeFree(key))) {
      const entry = this.#storage.get(key);
      if (entry === undefined) continue;
      if (entry.value.toString() !== this.#owner) return 'taken';
      if (this.#taken.has(key) || (await this.#claimAgain(entry))) return 'claimed';
    }
    return 'claimed';
  }

  /** Written anew, so that neither the write that took it first nor a repair gives it back. @returns false where it has changed meanwhile */
  async #claimAgain({ key, revision }: Entry): Promise<boolean> {
    try {
      await this.#storage.update(key, revision, { bytes: Buffer.from(this.#owner), revisionOffset: -1 });
      return true;
    } catch (error) {
      if (error instanceof KeyNotFound || error instanceof Conflict) return false;
      throw error;
    }
  }

  async #takeFree(key: string): Promise<boolean> {
    try {
      this.#taken.set(key, await this.#storage.create(key, { bytes: Buffer.from(this.#owner), revisionOffset: -1 }));
      return true;
    } catch (error) {
      if (error instanceof KeyExists) return false;
      throw error;
    }
  }
}

/** @param counts absent: nothing is counted */
function count(counts: AllocationCounts | undefined, scope: AllocationScope, isGiven: boolean): void {
  counts?.[isGiven ? 'given' : 'refused'][scope].inc();
}

const sizeOf = ({ first, last }: PortRange): number => last - first + 1;

/** Of two families each has what begins as its addresses do: what comes first in an address of one is in none of the other. */
function recordedAddresses({ family, cidr, size }: AddressRange): RecordedRange {
  const separator = family === 'IPv4' ? '.' : ':';
  return { of: 'clusterip', name: cidr, prefix: ADDRESSES + cidr.slice(0, cidr.indexOf(separator) + 1), size };
}

const addressKey = (address: string): string => ADDRESSES + canonicalAddress(address);
const portKey = (port: number): string => `${PORTS}${port}`;

/** Makes free what is as it was read. @returns false where it has changed since */
export async function giveBack(storage: Storage, { key, revision, value }: Entry): Promise<boolean> {
  try {
    await storage.delete(key, revision, { bytes: value, revisionOffset: -1 });
    return true;
  } catch (error) {
    if (error instanceof KeyNotFound || error instanceof Conflict) return false;
    throw error;
  }
}
