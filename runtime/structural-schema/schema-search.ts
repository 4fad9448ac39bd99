/** Finds what is wrong with values that a schema says something special of, wherever in it these are. */
import { type FieldError, MOST_FINDINGS } from '../contract/field-error.ts';
import { isObject } from '../schema/member.ts';
import type { CustomSchema } from './custom-schema.ts';

const NONE: readonly FieldError[] = [];

interface Search {
  /** whether the schema says it of its own values */
  readonly isMeant: (schema: CustomSchema) => boolean;
  /** adds to `found`, with paths that begin with `path`. @param value of a schema that is meant, of any type */
  readonly look: (schema: CustomSchema, value: unknown, path: string, found: FieldError[]) => void;
}

/** One for each thing that schemas say. Parts of a schema without it are not gone through. */
export class SchemaSearch {
  readonly #search: Search;
  readonly #known = new WeakMap<CustomSchema, boolean>();

  constructor(search: Search) {
    this.#search = search;
  }

  /** @returns at most about `MOST_FINDINGS`, with paths that begin at the value */
  findings(schema: CustomSchema, value: unknown): readonly FieldError[] {
    if (!this.#isInside(schema)) return NONE;
    const found: FieldError[] = [];
    this.#walk(schema, value, '', found);
    return found;
  }

  /** Whether the schema, or one below it, is meant. */
  #isInside(schema: CustomSchema): boolean {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    const { properties = {}, additionalProperties: others, items } = schema;
    const below = [...Object.values(properties), ...(typeof others === 'object' ? [others] : []), ...(items === undefined ? [] : [items])];
    const is = this.#search.isMeant(schema) || below.some((each) => this.#isInside(each));
    this.#known.set(schema, is);
    return is;
  }

  #walk(schema: CustomSchema, value: unknown, path: string, found: FieldError[]): void {
    if (!this.#isInside(schema) || found.length > MOST_FINDINGS) return;
    if (this.#search.isMeant(schema)) this.#search.look(schema, value, path, found);
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items !== undefined) for (const [index, item] of value.entries()) this.#walk(items, item, `${path}[${index}]`, found);
    } else if (isObject(value)) {
      const { properties = {}, additionalProperties: others } = schema;
      for (const name of Object.keys(value)) {
        const isDeclared = Object.hasOwn(properties, name);
        const member = isDeclared ? properties[name] : typeof others === 'object' ? others : undefined;
        const at = isDeclared ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`;
        if (member !== undefined) this.#walk(member, value[name], at, found);
      }
    }
  }
}
