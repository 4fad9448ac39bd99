import type { Allocations, Allocator, IpFamily, Owner, Taking, TakingFor } from '../../contract/allocation.ts';
import { OWN_WORK } from '../../contract/request-context.ts';
import { familyOf } from '../../formats/addresses.ts';
import { Conflict, KeyExists, KeyNotFound } from '../../storage/errors.ts';
import type { Entry, Storage } from '../../storage/storage.ts';
import { type AddressRange, canonicalAddress } from './address-range.ts';
import { type AllocationFigures, count, type RecordedRange } from './allocation-figures.ts';
import { takeLate } from './late-search.ts';

const ADDRESSES = 'ranges/serviceips/';
const PORTS = 'ranges/servicenodeports/';
/** prefix of the keys of ports */
export const PORT_RECORDS = PORTS;
/** @param key below one of an allocator's prefixes. @returns false: it is of a port */
export const isRecordOfAddress = (key: string): boolean => key.startsWith(ADDRESSES);

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

/** Returns the current ranges of a family. */
export type RangesOf = (family: IpFamily) => readonly AddressRange[];

export class StorageAllocator implements Allocator {
  readonly prefixes: readonly string[] = [ADDRESSES, PORTS];
  readonly addressRanges: ReadonlyMap<IpFamily, string>;
  readonly #storage: Storage;
  readonly #ranges: Ranges;
  readonly #figures: AllocationFigures | undefined;
  /** the ranges that do not change, with the places of their records */
  readonly recordedRanges: readonly RecordedRange[];

  /**
   * @param addresses ranges of different families; the first one is for services that ask for no family
   * @param rangesOf the ranges from which addresses are allocated; absent for `addresses`
   * @param figures absent if nothing is counted
   */
  constructor(
    storage: Storage,
    addresses: readonly AddressRange[],
    ports: PortRange,
    { rangesOf, figures }: { readonly rangesOf?: RangesOf; readonly figures?: AllocationFigures | undefined } = {},
  ) {
    this.addressRanges = new Map(addresses.map(({ family, cidr }) => [family, cidr]));
    this.#storage = storage;
    const byFamily = new Map(addresses.map((range) => [range.family, [range]]));
    this.#ranges = { addresses: rangesOf ?? ((family) => byFamily.get(family) ?? NONE), ports };
    this.#figures = figures;
    this.recordedRanges = [
      ...(rangesOf === undefined ? addresses.map(recordedAddresses) : []),
      { of: 'nodeport', name: this.portRange, prefix: PORTS, size: sizeOf(ports) },
    ];
  }

  get portRange(): string {
    const { first, last } = this.#ranges.ports;
    return `${first}-${last}`;
  }

  take({ uid = '' }: Owner, write?: TakingFor): StorageTaking {
    const figures = write === undefined || write.dryRun ? undefined : this.#figures;
    return new StorageTaking(this.#storage, uid, this.#ranges, { request: write?.request ?? OWN_WORK, figures });
  }

  record(owner: Owner): Taking {
    return this.take(owner);
  }

  outside(address: string): string {
    const range = this.addressRanges.get(familyOf(address) ?? 'IPv4');
    return `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${range}`;
  }

  async release({ uid }: Owner, allocations: Allocations, claimedBefore = Number.POSITIVE_INFINITY): Promise<void> {
    await Promise.all(
      this.keysOf(allocations).map(async (key) => {
        const entry = this.#storage.get(key);
        // What another process gave back at the same time may be somebody else's by now.
        if (entry !== undefined && isOf(entry, uid) && entry.revision < claimedBefore) await giveBack(this.#storage, entry);
      }),
    );
  }

  /** What is recorded for another owner, or was claimed again at or after a revision. */
  isKeptBy(address: string, { uid }: Owner, claimedBefore: number): boolean {
    const entry = this.#storage.get(addressKey(address));
    return entry !== undefined && (!isOf(entry, uid) || entry.revision >= claimedBefore);
  }

  keysOf({ addresses, ports }: Allocations): string[] {
    return [...new Set([...addresses.map(addressKey), ...ports.map(portKey)])];
  }
}

const NONE: readonly AddressRange[] = [];

interface Ranges {
  readonly addresses: RangesOf;
  readonly ports: PortRange;
}

/** What is taken for. */
interface Purpose {
  readonly request: TakingFor['request'];
  /** undefined if it is not counted */
  readonly figures: AllocationFigures | undefined;
}

/** A `Taking` that records each address and port under a key of its own. */
export class StorageTaking implements Taking {
  readonly #storage: Storage;
  readonly #owner: string;
  readonly #ranges: Ranges;
  readonly #request: TakingFor['request'];
  readonly #figures: AllocationFigures | undefined;
  /** the keys that were free before, with the revisions at which they were taken */
  readonly #taken = new Map<string, number>();

  constructor(storage: Storage, owner: string, ranges: Ranges, { request, figures }: Purpose) {
    this.#storage = storage;
    this.#owner = owner;
    this.#ranges = ranges;
    this.#request = request;
    this.#figures = figures;
  }

  async anyAddress(family: IpFamily): Promise<string | undefined> {
    for (const range of this.#ranges.addresses(family)) {
      const index = await this.#takeLate(range.size, range.reserved, (i) => addressKey(range.at(i)));
      count(this.#figures?.addresses(range.cidr), 'dynamic', index !== undefined);
      if (index !== undefined) return range.at(index);
    }
    return undefined;
  }

  async address(address: string): Promise<'claimed' | 'taken' | 'outside'> {
    const family = familyOf(address);
    const range = family === undefined ? undefined : this.#ranges.addresses(family).find((each) => each.contains(address));
    const outcome = range === undefined ? 'outside' : await this.#claim(addressKey(address));
    const cidr = range?.cidr ?? (family && this.#ranges.addresses(family)[0]?.cidr);
    if (cidr !== undefined) count(this.#figures?.addresses(cidr), 'static', outcome === 'claimed');
    return outcome;
  }

  async anyPort(): Promise<number | undefined> {
    const { first } = this.#ranges.ports;
    const size = sizeOf(this.#ranges.ports);
    const index = await this.#takeLate(size, reservedPorts(size), (i) => portKey(first + i));
    count(this.#figures?.ports, 'dynamic', index !== undefined);
    return index === undefined ? undefined : first + index;
  }

  async port(port: number): Promise<'claimed' | 'taken' | 'outside'> {
    const { first, last } = this.#ranges.ports;
    const outcome = port < first || port > last ? 'outside' : await this.#claim(portKey(port));
    count(this.#figures?.ports, 'static', outcome === 'claimed');
    return outcome;
  }

  async giveBack(): Promise<void> {
    await Promise.all(Array.from(this.#taken.keys(), (key) => this.#giveBack(key)));
  }

  /** @returns false where anybody has it */
  takeFreeAddress(address: string): Promise<boolean> {
    return this.#takeFree(addressKey(address));
  }

  async giveBackAddress(address: string): Promise<void> {
    await this.#giveBack(addressKey(address));
  }

  async #giveBack(key: string): Promise<void> {
    const revision = this.#taken.get(key);
    if (revision === undefined) return;
    await giveBack(this.#storage, { key, revision, value: Buffer.from(this.#owner) });
    this.#taken.delete(key);
  }

  #takeLate(size: number, reserved: number, key: (index: number) => string): Promise<number | undefined> {
    const isFree = (index: number): boolean => this.#storage.get(key(index)) === undefined;
    return takeLate({ size, reserved, named: key, isFree, take: (index) => this.#takeFree(key(index)) }, this.#request);
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

const isOf = ({ value }: Entry, uid: string | undefined): boolean => value.toString() === uid;

const sizeOf = ({ first, last }: PortRange): number => last - first + 1;

/**
 * Describes the records of a range. Their prefix is the beginning of the range's addresses up to the first separator, which distinguishes both families,
 * because addresses of one never have the separator of the other.
 */
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
