/**
 * What makes one list of another, found from both ends at once: the first match that a search along diagonals meets is taken, so that the
 * script is short, and not always the shortest. The order of the search is that of the library whose reports 1.32 sends.
 */
export type Edit = 'same' | 'removed' | 'inserted' | 'modified';

/** How alike two elements are: equal where nothing differs. */
export interface Likeness {
  readonly same: number;
  readonly different: number;
}

interface Path {
  readonly direction: 1 | -1;
  x: number;
  y: number;
  readonly edits: Edit[];
}

/** @param compare called with an index of each list, several times with some */
export function editScript(lengthX: number, lengthY: number, compare: (x: number, y: number) => Likeness): Edit[] {
  return new Search(lengthX, lengthY, compare).run();
}

class Search {
  readonly #compare: (x: number, y: number) => Likeness;
  readonly #forward: Path;
  readonly #reverse: Path;
  readonly #forwardFrontier: { x: number; y: number };
  readonly #reverseFrontier: { x: number; y: number };
  /** elements that may be looked at without a match */
  #budget: number;

  constructor(lengthX: number, lengthY: number, compare: (x: number, y: number) => Likeness) {
    this.#compare = compare;
    this.#forward = { direction: 1, x: 0, y: 0, edits: [] };
    this.#reverse = { direction: -1, x: lengthX, y: lengthY, edits: [] };
    this.#forwardFrontier = { x: 0, y: 0 };
    this.#reverseFrontier = { x: lengthX, y: lengthY };
    this.#budget = 4 * (lengthX + lengthY);
  }

  run(): Edit[] {
    for (let isForward = true; !this.#isDone(); isForward = !isForward) {
      if (isForward) this.#searchForward();
      else this.#searchReverse();
    }
    this.#connectForward(this.#reverse.x, this.#reverse.y);
    return [...this.#forward.edits, ...this.#reverse.edits.reverse()];
  }

  #isDone(): boolean {
    const [forward, reverse] = [this.#forwardFrontier, this.#reverseFrontier];
    return forward.x >= reverse.x || forward.y >= reverse.y || this.#budget === 0;
  }

  #equal(x: number, y: number): boolean {
    return this.#compare(x, y).different === 0;
  }

  #searchForward(): void {
    const [path, end, frontier] = [this.#forward, this.#reverse, this.#forwardFrontier];
    for (let stopped = 0, i = 0; stopped !== 3 && this.#budget > 0; i++) {
      const step = zigzag(i);
      const [x, y] = [frontier.x + step, frontier.y - step];
      if (x >= end.x || y < path.y) stopped |= 1;
      else if (y >= end.y || x < path.x) stopped |= 2;
      else if (this.#equal(x, y)) {
        this.#connectForward(x, y);
        append(path, 'same');
        while (path.x < end.x && path.y < end.y && this.#equal(path.x, path.y)) append(path, 'same');
        [frontier.x, frontier.y] = [path.x, path.y];
        stopped = 3;
      } else this.#budget--;
    }
    if (end.x - frontier.x >= end.y - frontier.y) frontier.x++;
    else frontier.y++;
  }

  #searchReverse(): void {
    const [path, end, frontier] = [this.#reverse, this.#forward, this.#reverseFrontier];
    for (let stopped = 0, i = 0; stopped !== 3 && this.#budget > 0; i++) {
      const step = zigzag(i);
      const [x, y] = [frontier.x - step, frontier.y + step];
      if (end.x >= x || path.y < y) stopped |= 1;
      else if (end.y >= y || path.x < x) stopped |= 2;
      else if (this.#equal(x - 1, y - 1)) {
        this.#connectReverse(x, y);
        append(path, 'same');
        while (end.x < path.x && end.y < path.y && this.#equal(path.x - 1, path.y - 1)) append(path, 'same');
        [frontier.x, frontier.y] = [path.x, path.y];
        stopped = 3;
      } else this.#budget--;
    }
    if (frontier.x - end.x >= frontier.y - end.y) frontier.x--;
    else frontier.y--;
  }

  #connectForward(toX: number, toY: number): void {
    const path = this.#forward;
    while (toX > path.x && toY > path.y)
      append(path, editOf(this.#compare(path.x, path.y), toX - path.x >= toY - path.y ? 'removed' : 'inserted'));
    while (toX > path.x) append(path, 'removed');
    while (toY > path.y) append(path, 'inserted');
  }

  #connectReverse(toX: number, toY: number): void {
    const path = this.#reverse;
    while (path.x > toX && path.y > toY)
      append(path, editOf(this.#compare(path.x - 1, path.y - 1), path.y - toY >= path.x - toX ? 'inserted' : 'removed'));
    while (path.x > toX) append(path, 'removed');
    while (path.y > toY) append(path, 'inserted');
  }
}

/** What differs in one member more than it has in common is no modification. */
function editOf({ same, different }: Likeness, otherwise: Edit): Edit {
  if (different === 0) return 'same';
  return same + 1 >= different ? 'modified' : otherwise;
}

function append(path: Path, edit: Edit): void {
  path.edits.push(edit);
  if (edit !== 'inserted') path.x += path.direction;
  if (edit !== 'removed') path.y += path.direction;
}

/** 0, -1, 1, -2, 2, … */
const zigzag = (i: number): number => (i % 2 === 0 ? i : ~i) >> 1;
