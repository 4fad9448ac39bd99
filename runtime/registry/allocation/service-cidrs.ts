import type { IpFamily } from '../../contract/allocation.ts';
import type { ApiObject } from '../../contract/object.ts';
import { prefixEnd, type Storage } from '../../storage/storage.ts';
import type { Resource } from '../resources/resource.ts';
import { storagePrefix } from '../resources/resource-keys.ts';
import { StoredObject } from '../stored-objects/stored-object.ts';
import { AddressRange } from './address-range.ts';

/** The shortest prefix of a range of IPv6 that addresses come out of, as in 1.32. */
const SHORTEST_PREFIX = 64;

interface Known {
  readonly revision: number;
  readonly ranges: readonly AddressRange[];
  /** new addresses come out of it */
  readonly ready: boolean;
}

export class ServiceCidrs {
  readonly #storage: Storage;
  readonly #prefix: string;
  /** the ranges by the keys of their objects, as they were read last */
  #known: ReadonlyMap<string, Known> = new Map();

  constructor(storage: Storage, resource: Resource) {
    this.#storage = storage;
    this.#prefix = storagePrefix(resource, '');
  }

  /** The prefix of the objects' keys. */
  get prefix(): string {
    return this.#prefix;
  }

  /** Returns the ranges of objects that are ready and not being deleted, in the order of the objects' names. */
  ready(family: IpFamily): AddressRange[] {
    return this.#ranges(({ ready }) => ready).filter((range) => range.family === family);
  }

  /** Returns the ranges of all objects, ready or not. */
  all(family: IpFamily): AddressRange[] {
    return this.#ranges(() => true).filter((range) => range.family === family);
  }

  /** Tells whether an address is in the range of any object, ready or not. */
  contain(address: string): boolean {
    return this.#ranges(() => true).some((range) => range.contains(address));
  }

  #ranges(select: (known: Known) => boolean): AddressRange[] {
    return [...this.#read().values()].filter(select).flatMap(({ ranges }) => ranges);
  }

  /** What has not changed is not parsed again. */
  #read(): ReadonlyMap<string, Known> {
    const now = new Map<string, Known>();
    for (const { key, revision, value } of this.#storage.range({ start: this.#prefix, end: prefixEnd(this.#prefix) })) {
      const before = this.#known.get(key);
      now.set(key, before?.revision === revision ? before : knownOf(new StoredObject(value).parse(), revision));
    }
    this.#known = now;
    return now;
  }
}

function knownOf({ metadata, spec, status }: ApiObject, revision: number): Known {
  const cidrs = (spec?.cidrs ?? []) as readonly string[];
  const conditions = (status?.conditions ?? []) as readonly { type?: string; status?: string }[];
  const condition = conditions.find(({ type }) => type === 'Ready');
  return {
    revision,
    ranges: cidrs.flatMap(usableRange),
    // Where no controller says so, it is.
    ready: metadata.deletionTimestamp === undefined && (condition === undefined || condition.status === 'True'),
  };
}

function usableRange(cidr: string): AddressRange[] {
  try {
    const range = new AddressRange(cidr, true);
    return range.family === 'IPv6' && Number(cidr.split('/')[1]) < SHORTEST_PREFIX ? [] : [range];
  } catch {
    // Validation lets none through; somebody wrote it past the API.
    return [];
  }
}
