import type { Allocations, Allocator, IpFamily, Owner, Taking, TakingFor } from '../../contract/allocation.ts';
import { OWN_WORK } from '../../contract/request-context.ts';
import { familyOf } from '../../formats/addresses.ts';
import type { Storage } from '../../storage/storage.ts';
import type { AddressRange } from './address-range.ts';
import { type AllocationFigures, count, type RecordedRange } from './allocation-figures.ts';
import { PORT_RECORDS, type PortRange, StorageAllocator, type StorageTaking } from './allocator.ts';
import { type IpAddresses, isOfService } from './ip-addresses.ts';
import { takeLate } from './late-search.ts';
import type { ServiceCidrs } from './service-cidrs.ts';

export interface AllocatorSettings {
  /** ranges of different families; the first one is for services that ask for no family */
  readonly ranges: readonly AddressRange[];
  readonly ports: PortRange;
  /** whether allocations are also recorded as servers without the feature gate do, so that such servers find them */
  readonly recordsToo: boolean;
  /** absent if nothing is counted */
  readonly figures?: AllocationFigures | undefined;
}

export class IpAddressAllocator implements Allocator {
  readonly addressRanges: ReadonlyMap<IpFamily, string>;
  readonly portRange: string;
  readonly prefixes: readonly string[];
  readonly #records: StorageAllocator;
  /** records what services have, which may be in ranges from which nothing is allocated any more */
  readonly #held: StorageAllocator;
  readonly #cidrs: ServiceCidrs;
  readonly #objects: IpAddresses;
  readonly #recordsToo: boolean;
  readonly #figures: AllocationFigures | undefined;

  constructor(storage: Storage, cidrs: ServiceCidrs, objects: IpAddresses, { ranges, ports, recordsToo, figures }: AllocatorSettings) {
    this.#records = new StorageAllocator(storage, ranges, ports, { rangesOf: (family) => cidrs.ready(family), figures });
    this.#held = new StorageAllocator(storage, ranges, ports, { rangesOf: (family) => cidrs.all(family) });
    this.#figures = figures;
    this.#cidrs = cidrs;
    this.#objects = objects;
    this.#recordsToo = recordsToo;
    this.addressRanges = this.#records.addressRanges;
    this.portRange = this.#records.portRange;
    this.prefixes = recordsToo ? this.#records.prefixes : [PORT_RECORDS];
  }

  /** The current ranges of addresses, whose records are the objects of their addresses, and the range of ports. */
  get recordedRanges(): readonly RecordedRange[] {
    const all = [...this.#cidrs.all('IPv4'), ...this.#cidrs.all('IPv6')];
    const byName = new Map(all.map((range) => [range.cidr, this.#recorded(range)]));
    return [...byName.values(), ...this.#records.recordedRanges];
  }

  #recorded(range: AddressRange): RecordedRange {
    const { prefix } = this.#objects;
    return { of: 'clusterip', name: range.cidr, prefix, size: range.size, has: (key) => range.contains(key.slice(prefix.length)) };
  }

  take(owner: Owner, write?: TakingFor): Taking {
    return new IpAddressTaking(this.#records.take(owner, write), {
      owner,
      request: write?.request ?? OWN_WORK,
      dryRun: write?.dryRun === true,
      cidrs: this.#cidrs,
      objects: this.#objects,
      recordsToo: this.#recordsToo,
      figures: write === undefined || write.dryRun ? undefined : this.#figures,
    });
  }

  record(owner: Owner): Taking {
    return this.#held.take(owner);
  }

  /** Every server may be the one that gives back; none deletes the object of another service. */
  async release(owner: Owner, allocations: Allocations, claimedBefore = Number.POSITIVE_INFINITY): Promise<void> {
    await Promise.all(allocations.addresses.map((address) => this.#deleteObject(owner, address, claimedBefore)));
    await this.#records.release(owner, allocations, claimedBefore);
  }

  async #deleteObject(owner: Owner, address: string, claimedBefore: number): Promise<void> {
    if (this.#recordsToo && this.#records.isKeptBy(address, owner, claimedBefore)) return;
    const object = this.#objects.get(address);
    if (object !== undefined && object.revision < claimedBefore && isOfService(object.parent, owner))
      await this.#objects.delete(address, object.uid);
  }

  outside(): string {
    return 'the provided network does not match the current range';
  }

  keysOf({ addresses, ports }: Allocations): string[] {
    return this.#records.keysOf({ addresses: this.#recordsToo ? addresses : [], ports });
  }
}

interface TakingParts {
  readonly owner: Owner;
  readonly request: TakingFor['request'];
  readonly dryRun: boolean;
  readonly cidrs: ServiceCidrs;
  readonly objects: IpAddresses;
  readonly recordsToo: boolean;
  /** undefined if it is not counted */
  readonly figures: AllocationFigures | undefined;
}

class IpAddressTaking implements Taking {
  /** takes ports, and records addresses */
  readonly #records: StorageTaking;
  readonly #parts: TakingParts;
  /** uids of the objects that were created, by their addresses */
  readonly #created = new Map<string, string>();

  constructor(records: StorageTaking, parts: TakingParts) {
    this.#records = records;
    this.#parts = parts;
  }

  async anyAddress(family: IpFamily): Promise<string | undefined> {
    const { cidrs, objects, request, figures } = this.#parts;
    for (const range of cidrs.ready(family)) {
      const began = performance.now();
      const searched = {
        size: range.size,
        reserved: range.reserved,
        named: (index: number) => range.at(index),
        isFree: (index: number) => !objects.exists(range.at(index)),
        take: (index: number) => this.#takeFree(range.at(index)),
      };
      const index = await takeLate(searched, request);
      count(figures?.addresses(range.cidr), 'dynamic', index !== undefined);
      if (index === undefined) continue;
      figures?.took(range.cidr, began);
      return range.at(index);
    }
    return undefined;
  }

  async address(address: string): Promise<'claimed' | 'taken' | 'outside'> {
    const family = familyOf(address);
    const { cidrs, figures } = this.#parts;
    const range = family && cidrs.ready(family).find((each) => each.contains(address));
    if (range === undefined) return 'outside';
    if (this.#created.has(address)) return 'claimed';
    const began = performance.now();
    const isFree = await this.#takeFree(address);
    if (isFree) figures?.took(range.cidr, began);
    count(figures?.addresses(range.cidr), 'static', isFree);
    return isFree ? 'claimed' : 'taken';
  }

  anyPort(): Promise<number | undefined> {
    return this.#records.anyPort();
  }

  port(port: number): Promise<'claimed' | 'taken' | 'outside'> {
    return this.#records.port(port);
  }

  /** Objects go first: nobody creates the one of an address whose record is another's. */
  async giveBack(): Promise<void> {
    await Promise.all(Array.from(this.#created, ([address, uid]) => this.#parts.objects.delete(address, uid)));
    this.#created.clear();
    await this.#records.giveBack();
  }

  /** A dry run creates nothing that others would see for a moment. */
  async #takeFree(address: string): Promise<boolean> {
    const { objects, owner, recordsToo, dryRun } = this.#parts;
    if (objects.exists(address)) return false;
    if (recordsToo && !(await this.#records.takeFreeAddress(address))) return false;
    if (dryRun) return true;
    const uid = await objects.create(address, owner);
    if (uid === undefined) {
      await this.#records.giveBackAddress(address);
      return false;
    }
    this.#created.set(address, uid);
    return true;
  }
}
