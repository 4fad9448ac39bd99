/** Encodes JSON documents as protobuf messages, as tables describe them. */

import { type FieldShape, isObject, type MessageShape, type MessageTable } from './message.ts';
import { slices } from './slices.ts';
import { ReverseWriter } from './writer.ts';

/**
 * @param name of the document's message
 * @param document plain JSON; members that the table does not have, and zero values, are left out
 */
export async function encodeDocument(table: MessageTable, name: string, document: unknown): Promise<Buffer> {
  return new DocumentEncoder(table).encode(name, document);
}

/** Encodes one entry of a message that consists of entries. @param name of the message */
export type EncodeMember = (name: string, key: string, value: unknown) => Buffer;

/** Makes an encoder of many entries, which reuses its memory. */
export function memberEncoder(table: MessageTable): EncodeMember {
  const encoder = new DocumentEncoder(table);
  return (name, key, value) => encoder.member(name, key, value);
}

class DocumentEncoder {
  readonly #table: MessageTable;
  readonly #writer = new ReverseWriter();
  readonly #pause = slices();

  constructor(table: MessageTable) {
    this.#table = table;
  }

  /** Encodes a large message in steps, so that no step blocks for long, and joins the parts at the end. */
  async encode(name: string, value: unknown): Promise<Buffer> {
    const shape = this.#shape(name);
    if (shape.large !== true || !isObject(value)) return this.#whole(() => this.#message(name, value));
    const parts: Buffer[] = [];
    for (const [key, member] of inOrder(shape, value)) {
      const declared = shape.fields?.[key];
      if (declared !== undefined && this.#table[declared.type]?.large === true) {
        const inner = await this.encode(declared.type, member);
        parts.push(
          this.#whole(() => this.#writer.delimit(declared.number, inner.length)),
          inner,
        );
      } else parts.push(this.#whole(() => this.#member(shape, key, member)));
      await this.#pause();
    }
    return Buffer.concat(parts);
  }

  member(name: string, key: string, value: unknown): Buffer {
    return this.#whole(() => this.#member(this.#shape(name), key, value));
  }

  #whole(write: () => void): Buffer {
    this.#writer.reset();
    write();
    return this.#writer.finish();
  }

  /** Writes the members of a message in reverse order. */
  #message(name: string, value: unknown): void {
    const shape = this.#shape(name);
    const chosen = shape.choose?.(value);
    if (shape.whole !== undefined) this.#field(shape.whole, value);
    // the chosen one of several messages is written even if it contains only a zero value
    else if (chosen !== undefined) this.#value(chosen.number, chosen.type, value);
    else if (isObject(value) && shape.choose === undefined) {
      const members = inOrder(shape, value);
      for (let index = members.length - 1; index >= 0; index--) {
        const [key, member] = members[index] as [string, unknown];
        this.#member(shape, key, member);
      }
    }
  }

  #member(shape: MessageShape, key: string, value: unknown): void {
    const declared = shape.fields?.[key];
    if (declared !== undefined) this.#field(declared, value);
    else if (shape.extensions !== undefined && key.startsWith('x-')) this.#entry({ number: shape.extensions, type: 'any' }, key, value);
    else if (shape.entries !== undefined) this.#entry(shape.entries, key, value);
  }

  #entry(shape: FieldShape, name: string, value: unknown): void {
    const end = this.#writer.length;
    this.#value(2, shape.type, value);
    this.#writer.text(1, name);
    this.#writer.delimit(shape.number, this.#writer.length - end);
  }

  #field({ number, type, repeated }: FieldShape, value: unknown): void {
    if (repeated !== true) {
      if (!(SCALARS.has(type) && isZero(value))) this.#value(number, type, value);
      return;
    }
    const elements = Array.isArray(value) ? value : [value];
    for (let index = elements.length - 1; index >= 0; index--) this.#value(number, type, elements[index]);
  }

  #value(number: number, type: string, value: unknown): void {
    const writer = this.#writer;
    if (type === 'string') writer.text(number, String(value));
    else if (type === 'boolean') writer.boolean(number, value === true);
    else if (type === 'double') writer.double(number, Number(value));
    else if (type === 'integer') writer.integer(number, Number(value));
    else {
      const end = writer.length;
      // readers parse the text as YAML, of which JSON is a subset
      if (type === 'any') writer.text(ANY_TEXT, `${JSON.stringify(value)}\n`);
      else this.#message(type, value);
      writer.delimit(number, writer.length - end);
    }
  }

  #shape(name: string): MessageShape {
    const shape = this.#table[name];
    if (shape === undefined) throw new Error(`no message ${name}`);
    return shape;
  }
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'boolean', 'double', 'integer']);

function isZero(value: unknown): boolean {
  return value === '' || value === false || value === 0;
}

/** The number of the field with the text, in the message for any value. */
const ANY_TEXT = 2;

/** Sorts members by field number; those without a field come last. */
function inOrder(shape: MessageShape, value: Readonly<Record<string, unknown>>): [string, unknown][] {
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  const { fields = {} } = shape;
  const last = Number.MAX_SAFE_INTEGER;
  return members.sort(([a], [b]) => (fields[a]?.number ?? last) - (fields[b]?.number ?? last));
}
