/** Takes the objects out of the JSON of a list while it arrives, so that a list of any length needs only the memory of one object. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;

const ITEMS = '"items"';
/** Depth of an object in the list: the list itself is 1, its items are 2. */
const ITEM_DEPTH = 3;

export class ListScanner {
  /** pieces of the list without its items; complete at the end of the list */
  #envelope: Buffer[] = [];
  /** pieces of an item that is not complete yet */
  #item: Buffer[] = [];
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** the last string of the list itself, as long as it may be the name of a member */
  #name = '';
  #inItems = false;

  /** @returns the objects that are complete now, each as UTF-8 JSON */
  push(chunk: Buffer): Buffer[] {
    const items: Buffer[] = [];
    // the begin of the bytes that were not yet added to the envelope or to an item
    let start = 0;
    let nameStart = -1;
    for (let i = 0; i < chunk.length; i++) {
      const code = chunk[i] as number;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === BACKSLASH) this.#isEscaped = true;
        else if (code === QUOTE) {
          this.#isInString = false;
          if (this.#depth === 1) this.#name += chunk.toString('latin1', Math.max(nameStart, 0), i + 1);
          nameStart = -1;
        }
        continue;
      }
      if (code === QUOTE) {
        this.#isInString = true;
        if (this.#depth === 1) {
          this.#name = '';
          nameStart = i;
        }
      } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        this.#depth++;
        if (code === OPEN_BRACKET && this.#depth === 2 && this.#name === ITEMS) {
          this.#inItems = true;
          this.#envelope.push(chunk.subarray(start, i + 1));
          start = i + 1;
        } else if (this.#inItems && this.#depth === ITEM_DEPTH) start = i;
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        this.#depth--;
        if (!this.#inItems) continue;
        if (this.#depth === ITEM_DEPTH - 1) {
          items.push(this.#finish(chunk.subarray(start, i + 1)));
          start = i + 1;
        } else if (this.#depth < ITEM_DEPTH - 1) {
          this.#inItems = false;
          start = i;
        }
      } else if (this.#depth === 1 && code !== COLON && code > 0x20) this.#name = '';
    }
    this.#keep(chunk, start, nameStart);
    return items;
  }

  /** @returns the list without its items. @throws SyntaxError if it is not complete */
  envelope(): string {
    return Buffer.concat(this.#envelope).toString();
  }

  #finish(end: Buffer): Buffer {
    if (this.#item.length === 0) return end;
    const item = Buffer.concat([...this.#item, end]);
    this.#item = [];
    return item;
  }

  #keep(chunk: Buffer, start: number, nameStart: number): void {
    if (nameStart >= 0) this.#name = chunk.toString('latin1', nameStart);
    else if (this.#isInString && this.#depth === 1) this.#name += chunk.toString('latin1');
    const rest = chunk.subarray(start);
    if (rest.length === 0) return;
    if (!this.#inItems) this.#envelope.push(rest);
    // commas and white space between items are skipped
    else if (this.#depth >= ITEM_DEPTH) this.#item.push(rest);
  }
}
