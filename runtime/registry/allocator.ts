/**
 * Addresses and ports of services. Each one given out is a key of its own in the store, made only if it is absent, so that no two
 * services ever hold the same one, whatever number of processes gives them out.
 */
import { randomInt } from 'node:crypto';
import type { Allocations, Allocator } from '../contract/kind.ts';
import { Conflict, KeyExists, KeyNotFound } from '../storage/errors.ts';
import type { Storage } from '../storage/storage.ts';
import type { AddressRange } from './address-range.ts';

const ADDRESSES = 'allocations/addresses/';
const PORTS = 'allocations/ports/';
/** Random tries before the range is searched in order. */
const RANDOM_TRIES = 16;

export interface PortRange {
  /** inclusive, 1 to 65535 */
  readonly first: number;
  /** inclusive */
  readonly last: number;
}

export class StorageAllocator implements Allocator {
  readonly #storage: Storage;
  readonly #addresses: AddressRange;
  readonly #ports: PortRange;

  constructor(storage: Storage, addresses: AddressRange, ports: PortRange) {
    this.#storage = storage;
    this.#addresses = addresses;
    this.#ports = ports;
  }

  get addressRange(): string {
    return this.#addresses.cidr;
  }

  get portRange(): string {
    return `${this.#ports.first}-${this.#ports.last}`;
  }

  async allocateAddress(owner: string): Promise<string | undefined> {
    // The lower part of the range is left to addresses that people choose (KEP 3070), until the upper part is full.
    const { size, reserved } = this.#addresses;
    const bands: [number, number][] = [
      [reserved, size],
      [0, reserved],
    ];
    for (const [from, to] of bands) {
      const index = await this.#takeAny(from, to, (i) => ADDRESSES + this.#addresses.at(i), owner);
      if (index !== undefined) return this.#addresses.at(index);
    }
    return undefined;
  }

  async claimAddress(address: string, owner: string): Promise<'claimed' | 'taken' | 'outside'> {
    if (!this.#addresses.contains(address)) return 'outside';
    return this.#claim(ADDRESSES + address, owner);
  }

  async allocatePort(owner: string): Promise<number | undefined> {
    const { first, last } = this.#ports;
    const index = await this.#takeAny(0, last - first + 1, (i) => `${PORTS}${first + i}`, owner);
    return index === undefined ? undefined : first + index;
  }

  async claimPort(port: number, owner: string): Promise<'claimed' | 'taken' | 'outside'> {
    if (port < this.#ports.first || port > this.#ports.last) return 'outside';
    return this.#claim(`${PORTS}${port}`, owner);
  }

  async release(owner: string, { addresses, ports }: Allocations): Promise<void> {
    const keys = new Set([...addresses.map((address) => ADDRESSES + address), ...ports.map((port) => `${PORTS}${port}`)]);
    await Promise.all(Array.from(keys, (key) => this.#giveBack(key, owner)));
  }

  /** What another process gave back at the same time may be somebody else's by now. */
  async #giveBack(key: string, owner: string): Promise<void> {
    const entry = this.#storage.get(key);
    if (entry?.value.toString() !== owner) return;
    try {
      await this.#storage.delete(key, entry.revision, { bytes: Buffer.from(owner), revisionOffset: -1 });
    } catch (error) {
      if (!(error instanceof KeyNotFound) && !(error instanceof Conflict)) throw error;
    }
  }

  /** @returns the index that was taken, from `from` (inclusive) to `to` (exclusive); undefined when all are */
  async #takeAny(from: number, to: number, key: (index: number) => string, owner: string): Promise<number | undefined> {
    if (to <= from) return undefined;
    for (let attempt = 0; attempt < RANDOM_TRIES; attempt++) {
      const index = randomInt(from, to);
      if (await this.#take(key(index), owner)) return index;
    }
    for (let index = from; index < to; index++) {
      if (this.#storage.get(key(index)) === undefined && (await this.#take(key(index), owner))) return index;
    }
    return undefined;
  }

  async #claim(key: string, owner: string): Promise<'claimed' | 'taken'> {
    if (await this.#take(key, owner)) return 'claimed';
    return this.#storage.get(key)?.value.toString() === owner ? 'claimed' : 'taken';
  }

  async #take(key: string, owner: string): Promise<boolean> {
    try {
      await this.#storage.create(key, { bytes: Buffer.from(owner), revisionOffset: -1 });
      return true;
    } catch (error) {
      if (error instanceof KeyExists) return false;
      throw error;
    }
  }
}
