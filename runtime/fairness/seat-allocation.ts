/** Divides the server's seats among levels by their demand, within the bounds of what each may lend and borrow. The rule is that of 1.32. */

export interface SeatClaim {
  readonly target: number;
  /** at least 0, at most the target */
  readonly lowerBound: number;
  /** at least the lower bound */
  readonly upperBound: number;
}

export interface SeatAllocation {
  /** one number for each claim, in their order, not rounded; the sum is the total if the bounds allow it */
  readonly seats: readonly number[];
  /** the fraction of its target that each claim gets whose bounds do not matter */
  readonly fairFraction: number;
}

/** What a level may have, and wants. */
export interface LevelClaim extends SeatClaim {
  /** its requests run at once, so it has the seats of its lower bound before all others */
  readonly isExempt: boolean;
  /** the fewest seats that it has when it lends all that it may; at most the lower bound */
  readonly lowest: number;
  /** the seats that it has now */
  readonly current: number;
}

/**
 * Exempt levels get what they need. If that leaves the others less than their lower bounds, each of them lends by the same part of what it has above its
 * fewest seats; if it leaves them even less than those, they have them all the same.
 */
export function divideSeats(total: number, claims: readonly LevelClaim[]): SeatAllocation {
  const limited = claims.filter(({ isExempt }) => !isExempt);
  const left = total - sum(claims.map(({ isExempt, lowerBound }) => (isExempt ? lowerBound : 0)));
  const least = sum(limited.map(({ lowest }) => lowest));
  const bound = sum(limited.map(({ lowerBound }) => lowerBound));
  const part = bound > least ? Math.max(0, (left - least) / (bound - least)) : 0;
  if (left <= bound) {
    const lent = ({ isExempt, lowest, lowerBound }: LevelClaim) =>
      isExempt ? lowerBound : lowest + Math.round((lowerBound - lowest) * part);
    return { seats: claims.map(lent), fairFraction: 0 };
  }
  const shared = isPossible(total, limited)
    ? allocateSeats(total, limited)
    : { seats: limited.map(({ current }) => current), fairFraction: 0 };
  const seats = shared.seats.values();
  return {
    seats: claims.map(({ isExempt, lowerBound }) => (isExempt ? lowerBound : (seats.next().value as number))),
    fairFraction: shared.fairFraction,
  };
}

/** Whether the claims can have all seats together, as far as numbers tell. */
const isPossible = (total: number, claims: readonly SeatClaim[]): boolean =>
  total - sum(claims.map(({ upperBound }) => upperBound)) <= 1e-7;

/** Replaces targets of 0, so that claims without demand can get seats that nobody else can use. */
const MIN_TARGET = 0.001;

/** Gives every claim the same fraction of its target, unless its bounds forbid that. */
export function allocateSeats(total: number, claims: readonly SeatClaim[]): SeatAllocation {
  const targets = claims.map(({ target }) => Math.max(target, MIN_TARGET));
  const seatsAt = (fraction: number): number[] =>
    claims.map(({ lowerBound, upperBound }, index) => Math.max(lowerBound, Math.min(upperBound, fraction * (targets[index] as number))));
  const fairFraction = fractionFor(total, claims, targets, (fraction) => sum(seatsAt(fraction)));
  return { seats: seatsAt(fairFraction), fairFraction };
}

/** Finds the fraction at which the seats sum up to the total. The sum grows with the fraction, and linearly between those at which a claim meets a bound. */
function fractionFor(total: number, claims: readonly SeatClaim[], targets: readonly number[], sumAt: (fraction: number) => number): number {
  const bends = claims
    .flatMap(({ lowerBound, upperBound }, index) => [lowerBound, upperBound].map((bend) => bend / (targets[index] as number)))
    .sort((a, b) => a - b);
  let [below, sumBelow] = [0, sumAt(0)];
  if (sumBelow >= total) return bends[0] ?? 0;
  for (const bend of bends) {
    const sumHere = sumAt(bend);
    if (sumHere >= total) return below + ((total - sumBelow) * (bend - below)) / (sumHere - sumBelow);
    [below, sumBelow] = [bend, sumHere];
  }
  return below;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
