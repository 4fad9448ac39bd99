/** Zones of nodes, and how fast nodes of each may lose their pods, so that a fault of the network does not empty a cluster. */
import type { ApiObject } from '../../contract/object.ts';

export interface DisruptionSettings {
  /** nodes of a zone that lose their pods in a second */
  readonly rate: number;
  /** the same in a large zone much of which is not ready; a small one then loses none */
  readonly secondaryRate: number;
  /** nodes that a zone has more than to be large */
  readonly largeZone: number;
  /** part of a zone's nodes that are not ready, from which on much of it is not; 0 to 1 */
  readonly unhealthyShare: number;
}

/** The numbers of nodes of a zone. */
export interface ZoneCount {
  readonly ready: number;
  readonly unready: number;
}

/** A node, or two, that are not ready are no disruption of a zone, whatever share of it they are. */
const FEW = 2;

/** Returns the rate of evictions in a zone. A zone without any ready node has the usual rate; the case that no zone has a ready node is handled elsewhere. */
export function evictionRate({ ready, unready }: ZoneCount, settings: DisruptionSettings): number {
  const isDisrupted = ready > 0 && unready > FEW && unready / (ready + unready) >= settings.unhealthyShare;
  if (!isDisrupted) return settings.rate;
  return ready + unready > settings.largeZone ? settings.secondaryRate : 0;
}

export interface Judgement {
  /** nodes in a second, by zones */
  readonly rates: ReadonlyMap<string, number>;
  /** no node is ready any longer: the fault is likely to be between nodes and this server, and no pod has to go */
  readonly begins: boolean;
  /** some node is ready again: what was seen of the others before says nothing */
  readonly ends: boolean;
}

export class Disruption {
  readonly #settings: DisruptionSettings;
  #isFull = false;

  constructor(settings: DisruptionSettings) {
    this.#settings = settings;
  }

  /** @param zones that have nodes now, each at least one */
  judge(zones: ReadonlyMap<string, ZoneCount>): Judgement {
    const counts = [...zones];
    const isFull = counts.length > 0 && counts.every(([, { ready }]) => ready === 0);
    const begins = isFull && !this.#isFull;
    const ends = !isFull && this.#isFull;
    this.#isFull = isFull;
    return { rates: new Map(counts.map(([zone, count]) => [zone, isFull ? 0 : evictionRate(count, this.#settings)])), begins, ends };
  }
}

/** Older names come first, as in 1.32. */
const REGION = ['failure-domain.beta.${labelDomain}/region', 'topology.${labelDomain}/region'];
const ZONE = ['failure-domain.beta.${labelDomain}/zone', 'topology.${labelDomain}/zone'];

/** Finds the zone of a node by its labels. @returns a text for each zone of each region, which is the same for all nodes without such labels */
export function zoneOf({ metadata: { labels = {} } }: ApiObject, text: (template: string) => string): string {
  const value = (names: readonly string[]): string => {
    const name = names.map(text).find((each) => Object.hasOwn(labels, each));
    return name === undefined ? '' : (labels[name] as string);
  };
  return `${value(REGION)}/${value(ZONE)}`;
}
