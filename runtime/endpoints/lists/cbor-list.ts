import type { ObjectList, Preparation } from '../../registry/lists/list.ts';
import { parseStoredJson } from '../../registry/stored-objects/parse-stored-json.ts';
import type { Entry } from '../../storage/storage.ts';
import { cborAround, cborOf, cborOfItem } from '../answers/cbor-documents.ts';
import { Chunks, lengthOf, Part } from '../answers/chunks.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { LaidOutItems } from './laid-out-items.ts';
import { type ItemLayout, STAND_IN } from './list-layout.ts';
import { listValue } from './list-value.ts';

/** Makes the layout of lists in CBOR, whose items are made from their compact JSON. */
export const cborLayout = ({ kind }: Pick<ResourceRequest, 'kind'>): ItemLayout => ({
  name: 'cbor',
  work: 'reading',
  separator: '',
  of: (json) => cborOfItem(kind, parseStoredJson(json) as object),
});

/** A list as CBOR. It says how many items it has before it begins with them, so these are all made before the first is sent. */
export class CborList {
  readonly #request: ResourceRequest;
  readonly #objects: ObjectList;
  readonly #metaVersion: string;
  readonly #layout: ItemLayout;
  readonly #chunks = new Chunks();
  #items: LaidOutItems;
  #count = 0;

  constructor(request: ResourceRequest, objects: ObjectList, metaVersion: string) {
    this.#request = request;
    this.#objects = objects;
    this.#metaVersion = metaVersion;
    this.#layout = cborLayout(request);
    this.#items = this.#begin();
  }

  #begin(): LaidOutItems {
    return new LaidOutItems(this.#request, this.#metaVersion, this.#chunks, this.#layout);
  }

  get prepared(): Preparation {
    return this.#items.prepared;
  }

  get length(): number {
    return this.#chunks.length;
  }

  /** @returns bytes that were made of the entry */
  add(entry: Entry): number {
    this.#count++;
    return this.#items.add(entry);
  }

  /** Forgets what was added. */
  clear(): void {
    this.#count = 0;
    this.#chunks.clear();
    this.#items = this.#begin();
  }

  full(): Part[] {
    return this.#chunks.full();
  }

  /** Once all is read: what stands before what is taken out already, and what is left. */
  finish(): { readonly beginning: Part[]; readonly rest: Part[]; readonly restLength: number } {
    if (this.#count === 0) {
      const document = Part.of(cborOf(this.#valueWith([])));
      return { beginning: [], rest: [document], restLength: document.length };
    }
    this.#items.end();
    const [beginning, end] = cborAround(this.#valueWith([STAND_IN]), STAND_IN, this.#count);
    this.#chunks.bytes(end);
    const rest = this.#chunks.rest();
    return { beginning: [Part.of(beginning)], rest, restLength: lengthOf(rest) };
  }

  #valueWith(items: object[]) {
    return listValue(this.#request, this.#metaVersion, this.#objects.revision, this.#objects.outcome, items);
  }
}
