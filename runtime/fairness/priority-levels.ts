/** The priority levels as they are configured now: each has a part of the server's seats, and queues. Levels lend seats to each other. */
import type {
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../generated/flowcontrol/v1/types.ts';
import { CATCH_ALL, EXEMPT, mandatoryLevels } from '../kinds/flowcontrol/mandatory-specs.ts';
import type { FlowClock } from './flow-clock.ts';
import { FlowDealer } from './flow-dealer.ts';
import { QueueSet, type QueueSetForm } from './queue-set.ts';
import { divideSeats, type LevelClaim } from './seat-allocation.ts';

/** The part of a level's nominal seats that one request may take, as in 1.32, so that one request cannot fill a small level. */
const MOST_OF_NOMINAL = 0.15;

/** The fields of the object that are used here. */
export type PriorityLevelObject = Pick<PriorityLevelConfiguration, 'metadata' | 'spec'>;

export interface PriorityLevel<Owner> {
  readonly name: string;
  readonly object: PriorityLevelObject;
  readonly queues: QueueSet<Owner>;
  /** absent: the level has no queues, or one */
  readonly dealer: FlowDealer | undefined;
  /** seats that it has by its shares, without lending and borrowing */
  readonly nominal: number;
  /** the fewest seats that it has when it lends */
  readonly lowest: number;
  /** the most seats that it has when it borrows */
  readonly highest: number;
  /** seats that one request may take; 0: the level does not say */
  readonly mostSeats: number;
  /** the demand in seats by which it got its current seats */
  readonly target: number;
  /** whether its object was deleted while some of its requests are not answered yet */
  readonly isQuiescing: boolean;
}

type Changing<T> = { -readonly [Key in keyof T]: T[Key] };

export class PriorityLevels<Owner> {
  readonly #clock: FlowClock;
  readonly #seats: number;
  #levels = new Map<string, Changing<PriorityLevel<Owner>>>();
  #fairFraction = 0;

  /** see `QueueSet`; must be set before `configure`, which passes it to all levels */
  noRoomFor?(owner: Owner): void;
  /** is told of each level before its seats or queues change, and when somebody asks (`tellLasted`): what lasted so far did under these */
  lasted?(level: PriorityLevel<Owner>, now: number): void;
  readonly #mostStarting: number | undefined;

  /** @param seats of all levels together. @param mostStarting for each level, see `QueueSet` */
  constructor(clock: FlowClock, seats: number, mostStarting?: number) {
    this.#mostStarting = mostStarting;
    this.#clock = clock;
    this.#seats = seats;
  }

  get(name: string): PriorityLevel<Owner> | undefined {
    const level = this.#levels.get(name);
    return level?.isQuiescing === false ? level : undefined;
  }

  /** all levels, sorted by name, with those that are quiescing */
  get all(): readonly PriorityLevel<Owner>[] {
    return [...this.#levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  get fairFraction(): number {
    return this.#fairFraction;
  }

  /** Replaces the configuration. Incomplete objects are ignored, and the mandatory levels always exist. Requests keep their places. */
  configure(objects: readonly PriorityLevelObject[]): void {
    this.tellLasted();
    const forms = new Map<string, { readonly object: PriorityLevelObject; readonly form: LevelForm }>();
    for (const object of [...mandatory(), ...objects]) {
      const form = formOf(object);
      if (form !== undefined) forms.set(object.metadata?.name ?? '', { object, form });
    }
    const before = this.#levels;
    this.#levels = new Map();
    for (const [name, { object, form }] of forms) this.#levels.set(name, this.#configured(name, object, form, before.get(name)));
    for (const [name, level] of before)
      if (!forms.has(name) && !level.queues.isIdle) this.#levels.set(name, Object.assign(level, { isQuiescing: true }));
    this.#divide();
  }

  #configured(
    name: string,
    object: PriorityLevelObject,
    form: LevelForm,
    before: Changing<PriorityLevel<Owner>> | undefined,
  ): Changing<PriorityLevel<Owner>> {
    const queues = before?.queues ?? new QueueSet<Owner>(this.#clock, form.queues, 0, this.#mostStarting);
    if (this.noRoomFor !== undefined) queues.noRoomFor = this.noRoomFor;
    if (before !== undefined) queues.change(form.queues, queues.limit);
    const target = before?.target ?? 0;
    return { name, object, queues, dealer: form.dealer, nominal: 0, lowest: 0, highest: 0, mostSeats: 0, target, isQuiescing: false };
  }

  /** Computes the seats of each level by its shares. Quiescing levels have shares too until they are empty. */
  #divide(): void {
    const levels = [...this.#levels.values()];
    const shares = levels.reduce((sum, { object }) => sum + commonOf(object).shares, 0);
    for (const level of levels) {
      const { shares: own, lendablePercent, borrowingPercent } = commonOf(level.object);
      const nominal = shares === 0 ? 0 : Math.ceil((this.#seats * own) / shares);
      const borrowed = borrowingPercent === undefined ? this.#seats : Math.round((nominal * borrowingPercent) / 100);
      const hand = level.object.spec?.limited?.limitResponse?.queuing?.handSize;
      Object.assign(level, {
        nominal,
        lowest: nominal - Math.round((nominal * lendablePercent) / 100),
        highest: nominal + borrowed,
        mostSeats: hand === undefined ? 0 : Math.max(1, Math.min(Math.ceil(nominal * MOST_OF_NOMINAL), Math.floor(nominal / hand))),
      });
    }
    this.rebalance();
  }

  /** @returns milliseconds of the clock */
  tellLasted(): number {
    const now = this.#clock.now();
    if (this.lasted !== undefined) for (const level of this.#levels.values()) this.lasted(level, now);
    return now;
  }

  /** Lends seats among levels by the demand that each had since the last call. */
  rebalance(): void {
    const now = this.tellLasted();
    for (const [name, { isQuiescing, queues }] of this.#levels) if (isQuiescing && queues.isIdle) this.#levels.delete(name);
    const levels = [...this.#levels.values()];
    const claims = levels.map(({ object, queues, nominal, lowest, highest }): LevelClaim => {
      const { highWatermark, smoothed } = queues.demand.endPeriod(now);
      const isExempt = object.spec?.type === 'Exempt';
      const lowerBound = Math.max(lowest, isExempt ? highWatermark : Math.min(nominal, highWatermark));
      const current = queues.limit || nominal - Math.floor((nominal - lowest) / 2);
      return { isExempt, lowest, current, target: Math.max(lowerBound, smoothed), lowerBound, upperBound: highest };
    });
    const { seats, fairFraction } = divideSeats(
      levels.reduce((sum, { nominal }) => sum + nominal, 0),
      claims,
    );
    this.#fairFraction = fairFraction;
    for (const [index, level] of levels.entries()) {
      level.target = (claims[index] as LevelClaim).target;
      level.queues.change(formOf(level.object)?.queues ?? REJECT, Math.round(seats[index] as number));
    }
  }
}

interface LevelForm {
  readonly queues: QueueSetForm;
  readonly dealer: FlowDealer | undefined;
}

const EXEMPT_FORM: QueueSetForm = { kind: 'exempt', queues: 0, queueLength: 0 };
const REJECT: QueueSetForm = { kind: 'reject', queues: 0, queueLength: 0 };

function mandatory(): PriorityLevelObject[] {
  return [EXEMPT, CATCH_ALL].map((name) => ({ metadata: { name }, spec: mandatoryLevels[name] as PriorityLevelConfigurationSpec }));
}

/** @returns undefined for an incomplete object, or one whose type and name contradict each other */
function formOf({ metadata, spec }: PriorityLevelObject): LevelForm | undefined {
  const isExempt = spec?.type === 'Exempt';
  if (isExempt !== (metadata?.name === EXEMPT)) return undefined;
  if (isExempt) return { queues: EXEMPT_FORM, dealer: undefined };
  const response = spec?.limited?.limitResponse;
  if (spec?.type !== 'Limited' || response === undefined) return undefined;
  if (response.type === 'Reject') return { queues: REJECT, dealer: undefined };
  return response.type === 'Queue' && response.queuing !== undefined ? queuingForm(response.queuing) : undefined;
}

function queuingForm({ queues, handSize, queueLengthLimit }: QueuingConfiguration): LevelForm | undefined {
  try {
    const dealer = queues === 1 ? undefined : new FlowDealer(queues, handSize);
    return { queues: { kind: 'queue', queues, queueLength: queueLengthLimit }, dealer };
  } catch {
    return undefined;
  }
}

/** @returns the fields that exempt and limited levels have in common, with defaults; a borrowing percentage of undefined means no limit */
function commonOf({ spec }: PriorityLevelObject): {
  readonly shares: number;
  readonly lendablePercent: number;
  readonly borrowingPercent: number | undefined;
} {
  const common = spec?.limited ?? spec?.exempt;
  return {
    shares: common?.nominalConcurrencyShares ?? (spec?.limited === undefined ? 0 : DEFAULT_SHARES),
    lendablePercent: common?.lendablePercent ?? 0,
    borrowingPercent: spec?.limited?.borrowingLimitPercent,
  };
}

/** Shares of a level that names none, as in 1.32. */
const DEFAULT_SHARES = 30;
