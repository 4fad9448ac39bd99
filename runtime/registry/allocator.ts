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
import type { Allocations, Allocator, IpFamily, Taking } from '../contract/kind.ts';
import { chosenFor, OWN_WORK, type RequestContext } from '../contract/request-context.ts';
import { familyOf } from '../formats/addresses.ts';
import { Conflict, KeyExists, KeyNotFound } from '../storage/errors.ts';
import type { Entry, Storage } from '../storage/storage.ts';
import { type AddressRange, canonicalAddress } from './address-range.ts';
import { turn } from './event-loop-turns.ts';

const ADDRESSES = 'ranges/serviceips/';
const PORTS = 'ranges/servicenodeports/';
/** prefixes of the keys of all that is given out */
export const ALLOCATIONS: readonly string[] = [ADDRESSES, PORTS];
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

  /** @param addresses ranges of different families, the first one for services that ask for none */
  constructor(storage: Storage, addresses: readonly AddressRange[], ports: PortRange) {
    this.addressRanges = new Map(addresses.map(({ family, cidr }) => [family, cidr]));
    this.#storage = storage;
    this.#ranges = { addresses: new Map(addresses.map((range) => [range.family, range])), ports };
  }

  get portRange(): string {
    const { first, last } = this.#ranges.ports;
    return `${first}-${last}`;
  }

  take(owner: string, request: Pick<RequestContext, 'chosen'> = OWN_WORK): Taking {
    return new StorageTaking(this.#storage, owner, this.#ranges, request);
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

class StorageTaking implements Taking {
  readonly #storage: Storage;
  readonly #owner: string;
  readonly #ranges: Ranges;
  readonly #request: Pick<RequestContext, 'chosen'>;
  /** what was free, with the revision at which it was taken */
  readonly #taken = new Map<string, number>();

  constructor(storage: Storage, owner: string, ranges: Ranges, request: Pick<RequestContext, 'chosen'>) {
    this.#storage = storage;
    this.#owner = owner;
    this.#ranges = ranges;
    this.#request = request;
  }

  async anyAddress(family: IpFamily): Promise<string | undefined> {
    const range = this.#ranges.addresses.get(family);
    if (range === undefined) return undefined;
    const index = await this.#takeLate(range.size, range.reserved, (i) => addressKey(range.at(i)));
    return index === undefined ? undefined : range.at(index);
  }

  async address(address: string): Promise<'claimed' | 'taken' | 'outside'> {
    const family = familyOf(address);
    const range = family && this.#ranges.addresses.get(family);
    return range?.contains(address) ? this.#claim(addressKey(address)) : 'outside';
  }

  async anyPort(): Promise<number | undefined> {
    const { first, last } = this.#ranges.ports;
    const size = last - first + 1;
    const index = await this.#takeLate(size, reservedPorts(size), (i) => portKey(first + i));
    return index === undefined ? undefined : first + index;
  }

  async port(port: number): Promise<'claimed' | 'taken' | 'outside'> {
    const { first, last } = this.#ranges.ports;
    return port < first || port > last ? 'outside' : this.#claim(portKey(port));
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
