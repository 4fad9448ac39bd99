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
