import type { Allocations, Taking } from '../contract/allocation.ts';
import type { ApiObject } from '../contract/object.ts';
import { turn } from '../event-loop/turns.ts';
import { heldBy } from '../kinds/core/services/service-spec.ts';
import { giveBack } from '../registry/allocation/allocator.ts';
import { storagePrefix } from '../registry/resources/resource-keys.ts';
import { StoredObject } from '../registry/stored-objects/stored-object.ts';
import { RevisionCompacted } from '../storage/errors.ts';
import type { Change, Entry } from '../storage/storage.ts';
import { RepairFigures } from './allocation-repair-figures.ts';
import type { Controller } from './controller/controller.ts';
import type { ControllerServer } from './controller/controller-server.ts';
import { entrySlices } from './controller/entry-slices.ts';

/** Milliseconds from the end of a look to the next one, as in 1.32. */
const INTERVAL = 180_000;
/** The look that gives back what was unused in all up to it, as in 1.32: what a write under way has taken is used by then. */
const LOOKS = 3;
/** Milliseconds that have passed since the first of these looks at least. */
const UNUSED_FOR = (LOOKS - 1) * INTERVAL;
/** Entries read in one turn. */
const SLICE = 64;
/** Problems that one look names; of the others it says how many there are. */
const NAMED_PROBLEMS = 100;
/** Looks in a row that the history was too short for, before that is said: once is bad luck. */
const OUTRUN_LOOKS = 2;

/** What is counted of a record that was taken for a service. */
const TOLD_AS = { claimed: 'repair', taken: 'duplicate', outside: 'outOfRange' } as const;

/** A record of an allocation that no service has. */
interface Suspect {
  /** the revision of the record when it was read; another one would mean that it was claimed again */
  readonly revision: number;
  /** the number of looks that found it */
  readonly looks: number;
  /** when the first of these looks began, in milliseconds of the clock */
  readonly since: number;
}

export class AllocationRepair implements Controller {
  readonly #server: ControllerServer;
  readonly #services: string;
  readonly #clock: () => number;
  readonly #figures: RepairFigures | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** the look under way */
  #looking: Promise<void> | undefined;
  #begun = false;
  #stopped = false;
  /** whether something was written since the last look began that matters to it */
  #changed = true;
  /** the suspects by the keys of their records */
  #suspects: ReadonlyMap<string, Suspect> = new Map();
  /** the problems that the last look found and could not repair */
  #problems: ReadonlySet<string> = new Set();
  /** the number of successive looks that took longer than the store keeps history */
  #outrun = 0;

  /**
   * @param services prefix of their keys
   * @param clock milliseconds, which only go forward
   */
  constructor(server: ControllerServer, services: string, clock: () => number) {
    this.#server = server;
    this.#services = services;
    this.#clock = clock;
    this.#figures = server.metrics && new RepairFigures(server.metrics);
  }

  async list(): Promise<void> {
    this.#changed = true;
    if (this.#begun || this.#stopped) return;
    this.#begun = true;
    this.#lookAgainAndAgain();
  }

  #lookAgainAndAgain(): void {
    void this.look().then(() => {
      if (!this.#stopped) this.#timer = setTimeout(() => this.#lookAgainAndAgain(), INTERVAL).unref();
    });
  }

  changed({ key }: Change): void {
    this.#changed ||= key.startsWith(this.#services) || this.#server.allocator.prefixes.some((prefix) => key.startsWith(prefix));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  /**
   * Begins no look while one is under way. Resolves, with that one, when everything was looked at, and what can be repaired is; problems are logged.
   */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error) => this.#failed(error))
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #look(): Promise<void> {
    if (!this.#changed && this.#suspects.size === 0) return;
    this.#changed = false;
    const began = this.#clock();
    const atRevision = this.#server.storage.currentRevision();
    const { used, lacking } = await this.#heldByServices(atRevision);
    const unused = await this.#recordedForNobody(atRevision, used);
    if (this.#stopped) return;
    const areGivenBack = await this.#giveBackUnused(unused, began);
    // A service that came to have it while it was looked at has it recorded again.
    await this.#record(areGivenBack ? [...lacking, ...this.#writtenSince(atRevision)] : lacking);
    this.#outrun = 0;
  }

  #failed(error: unknown): void {
    this.#changed = true;
    this.#figures?.failed();
    const { log } = this.#server;
    if (!(error instanceof RevisionCompacted)) log.error({ err: error }, 'addresses and ports of services could not be repaired');
    else if (++this.#outrun === OUTRUN_LOOKS)
      log.warn(
        { err: error },
        'addresses and ports of services cannot be repaired: to look at all of them takes longer than the history reaches back',
      );
  }

  /**
   * @returns `used`: the revisions of the records of all that services have, which are numbers of their own and need little memory;
   *   `lacking`: the keys of services that have something which is not recorded for them
   */
  async #heldByServices(atRevision: number): Promise<{ used: Set<number>; lacking: string[] }> {
    const used = new Set<number>();
    const lacking: string[] = [];
    await this.#each(this.#services, atRevision, ({ key, value }) => {
      const service = new StoredObject(value).parse();
      const records = this.#recordsOf(service, atRevision);
      for (const record of records) if (record !== undefined) used.add(record.revision);
      if (records.includes(undefined)) lacking.push(key);
    });
    return { used, lacking };
  }

  /** @returns one for each address and port of the service, undefined where it is not recorded for it */
  #recordsOf(service: ApiObject, atRevision: number): (Entry | undefined)[] {
    const { allocator, storage } = this.#server;
    return allocator.keysOf(heldBy(service)).map((key) => {
      const record = storage.get(key, atRevision);
      return record?.value.toString() === service.metadata.uid ? record : undefined;
    });
  }

  /** @param used as `heldByServices` */
  async #recordedForNobody(atRevision: number, used: ReadonlySet<number>): Promise<Entry[]> {
    const unused: Entry[] = [];
    for (const prefix of this.#server.allocator.prefixes)
      await this.#each(prefix, atRevision, ({ key, revision, value }) => {
        if (!used.has(revision)) unused.push({ key, revision, value: Buffer.from(value) });
      });
    return unused;
  }

  /** @returns whether anything was */
  async #giveBackUnused(unused: readonly Entry[], began: number): Promise<boolean> {
    const suspects = new Map<string, Suspect>();
    for (const entry of unused) {
      const suspect = this.#suspected(entry, began);
      const isLeaked = suspect.looks >= LOOKS && this.#clock() - suspect.since >= UNUSED_FOR;
      if (isLeaked && (await giveBack(this.#server.storage, entry))) {
        this.#figures?.found(entry.key, 'leak');
        this.#server.log.warn({ key: entry.key }, 'an address or port that no service has was given back');
      } else suspects.set(entry.key, suspect);
    }
    this.#suspects = suspects;
    return suspects.size < unused.length;
  }

  #suspected({ key, revision }: Entry, began: number): Suspect {
    const before = this.#suspects.get(key);
    return before?.revision === revision ? { ...before, looks: before.looks + 1 } : { revision, looks: 1, since: began };
  }

  /** @returns the keys of services. @throws RevisionCompacted */
  #writtenSince(revision: number): Set<string> {
    const keys = new Set<string>();
    for (const { key } of this.#server.storage.changes(revision, this.#services)) keys.add(key);
    return keys;
  }

  /**
   * Takes what services have and nobody recorded. What is recorded for another service, or outside of the ranges, stays as it is.
   * @param lacking as `heldByServices`
   */
  async #record(lacking: readonly string[]): Promise<void> {
    const problems = new Set<string>();
    for (const [index, key] of lacking.entries()) {
      if (index % SLICE === SLICE - 1) await turn();
      if (this.#stopped) return;
      // As it is now: what it has given back meanwhile is not taken for it.
      const entry = this.#server.storage.get(key);
      if (entry !== undefined)
        for (const problem of await this.#recordFor(key, new StoredObject(entry.value).parse())) problems.add(problem);
    }
    this.#logNew(problems);
  }

  /** @returns what the service has and cannot have */
  async #recordFor(key: string, service: ApiObject): Promise<string[]> {
    const { allocator, storage, log } = this.#server;
    const { addresses, ports } = heldBy(service);
    const owner = service.metadata.uid ?? '';
    const taking = allocator.record(service.metadata);
    const problems: string[] = [];
    const record = async (what: string, alone: Allocations, claim: () => ReturnType<Taking['port']>): Promise<void> => {
      const [recordKey] = allocator.keysOf(alone);
      if (recordKey === undefined) return;
      // What is recorded for an owner that does not have it is this service's once that is certain.
      if (storage.get(recordKey)?.value.toString() === owner || this.#suspects.has(recordKey)) return;
      const outcome = await claim();
      this.#figures?.found(recordKey, TOLD_AS[outcome]);
      if (outcome === 'claimed') log.warn({ service: key }, `the ${what} of a service was not recorded as taken, and is now`);
      else problems.push(`${key}: the ${what} ${outcome === 'taken' ? 'is that of another service as well' : 'is outside of the range'}`);
    };
    for (const address of addresses) await record(`address ${address}`, { addresses: [address], ports: [] }, () => taking.address(address));
    for (const port of ports) await record(`port ${port}`, { addresses: [], ports: [port] }, () => taking.port(port));
    return problems;
  }

  /** Problems that stay are not said again with each look. */
  #logNew(problems: ReadonlySet<string>): void {
    const found = [...problems].filter((problem) => !this.#problems.has(problem));
    this.#problems = problems;
    for (const problem of found.slice(0, NAMED_PROBLEMS))
      this.#server.log.warn({ problem }, 'a service should be created anew: it has what it cannot have');
    if (found.length > NAMED_PROBLEMS)
      this.#server.log.warn({ problems: found.length }, 'more services have addresses or ports that they cannot have');
  }

  /** Ends early when this is to stop. @throws RevisionCompacted */
  async #each(prefix: string, atRevision: number, visit: (entry: Entry) => void): Promise<void> {
    for await (const slice of entrySlices(this.#server.storage, prefix, { size: SLICE, atRevision })) {
      for (const entry of slice) visit(entry);
      if (this.#stopped) return;
    }
  }
}

/**
 * @param clock milliseconds, which only go forward
 * @returns undefined where services are not served
 */
export function allocationRepair(server: ControllerServer, clock = () => performance.now()): AllocationRepair | undefined {
  const services = server.registry.current.resource('', 'v1', 'services');
  return services && new AllocationRepair(server, storagePrefix(services, ''), clock);
}
