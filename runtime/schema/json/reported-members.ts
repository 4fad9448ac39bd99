/** A member or element, with those within it of which some are reported. */
export interface Place {
  readonly below: Map<string | number, Place>;
  isReported: boolean;
}

/**
 * Makes the paths of members that are reported while a document is read, each once. A member that was reported before costs no path, whose
 * length grows with the depth of the member.
 * @typeParam F an open container; it keeps its place for its next member
 */
export class ReportedMembers<F extends { place?: Place }> {
  readonly #root = newPlace();
  readonly #stepOf: (frame: F) => string | number;

  /** @param stepOf returns the name of the current member of a container, or the index of its current element */
  constructor(stepOf: (frame: F) => string | number) {
    this.#stepOf = stepOf;
  }

  /**
   * The path of the current member, such as `spec.containers[0].name`.
   * @param frames all open containers, innermost last
   * @returns undefined if it was reported before
   */
  path(frames: readonly F[]): string | undefined {
    const inner = frames.at(-1) as F;
    const place = within(this.#placeOf(frames), this.#stepOf(inner));
    if (place.isReported) return undefined;
    place.isReported = true;
    let path = '';
    for (const frame of frames) {
      const step = this.#stepOf(frame);
      if (typeof step === 'number') path += `[${step}]`;
      else path += path === '' ? step : `.${step}`;
    }
    return path;
  }

  /** The place of the innermost container. */
  #placeOf(frames: readonly F[]): Place {
    let known = frames.length - 1;
    while (known >= 0 && frames[known]?.place === undefined) known--;
    let place = frames[known]?.place ?? this.#root;
    for (let i = known + 1; i < frames.length; i++) {
      if (i > 0) place = within(place, this.#stepOf(frames[i - 1] as F));
      (frames[i] as F).place = place;
    }
    return place;
  }
}

const newPlace = (): Place => ({ below: new Map(), isReported: false });

function within({ below }: Place, step: string | number): Place {
  let place = below.get(step);
  if (place === undefined) {
    place = newPlace();
    below.set(step, place);
  }
  return place;
}
