/** Divides the server's seats among levels by what each could use, within what each lends and borrows. */

export interface SeatClaim {
  readonly target: number;
  /** not negative, not above the target */
  readonly lowerBound: number;
  /** not below the lower bound */
  readonly upperBound: number;
}

export interface SeatAllocation {
  /** of each claim in its order, not rounded; they sum up to what was to divide where the bounds allow it */
  readonly seats: readonly number[];
  /** what part of its target each has that no bound holds */
  readonly fairFraction: number;
}

/** Who wants nothing gets a little of what nobody else can use. */
const MIN_TARGET = 0.001;

/** Everybody gets the same part of their target, save for those whose bounds forbid it. */
export function allocateSeats(total: number, claims: readonly SeatClaim[]): SeatAllocation {
  const targets = claims.map(({ target }) => Math.max(target, MIN_TARGET));
  const seatsAt = (fraction: number): number[] =>
    claims.map(({ lowerBound, upperBound }, index) => Math.max(lowerBound, Math.min(upperBound, fraction * (targets[index] as number))));
  const fairFraction = fractionFor(total, claims, targets, (fraction) => sum(seatsAt(fraction)));
  return { seats: seatsAt(fairFraction), fairFraction };
}

/** The sum grows with the fraction, and is straight between those at which some bound begins or ends to hold. */
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
