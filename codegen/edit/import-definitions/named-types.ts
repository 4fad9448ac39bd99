/** Gives objects within a structural schema types of their own, named by the way to them from the kind. */
import { isObject, type JsonObject } from '../../read/sources.ts';

/** Keywords about a use of a type, not about the type. */
const OF_USES = ['default', 'nullable'];

/** The schemas of one document by name: kinds, and the types to which they lead. Types that say the same are one. */
export class NamedTypes {
  readonly #types = new Map<string, JsonObject>();
  /** Names of types by the JSON text of their schemas. */
  readonly #names = new Map<string, string>();
  readonly #taken: Set<string>;

  /** @param taken names of kinds, which no type may get */
  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** The types in the order in which kinds lead to them. */
  get all(): ReadonlyMap<string, JsonObject> {
    return this.#types;
  }

  /** @returns the schema of the kind, with references in place of objects */
  ofKind(kind: string, schema: JsonObject): JsonObject {
    return this.#level(kind, schema);
  }

  #level(name: string, schema: JsonObject): JsonObject {
    const { properties, items, additionalProperties } = schema;
    return {
      ...schema,
      ...(isObject(properties) && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([member, of]) => [member, this.#use(`${name}${pascal(member)}`, of)]),
        ),
      }),
      ...(isObject(items) && { items: this.#use(name, items) }),
      ...(isObject(additionalProperties) && { additionalProperties: this.#use(name, additionalProperties) }),
    };
  }

  #use(name: string, schema: unknown): unknown {
    if (!isObject(schema)) return schema;
    const { properties } = schema;
    if (!isObject(properties) || Object.keys(properties).length === 0) return this.#level(name, schema);
    const ofUse = Object.fromEntries(Object.entries(schema).filter(([keyword]) => OF_USES.includes(keyword)));
    const ofType = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !OF_USES.includes(keyword)));
    const reference = { $ref: `#/components/schemas/${this.#typeOf(name, ofType)}` };
    return Object.keys(ofUse).length === 0 ? reference : { ...ofUse, allOf: [reference] };
  }

  #typeOf(wanted: string, schema: JsonObject): string {
    const text = JSON.stringify(schema);
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    let name = wanted;
    for (let count = 2; this.#taken.has(name); count++) name = `${wanted}${count}`;
    this.#taken.add(name);
    this.#names.set(text, name);
    // Its place is before the types to which it leads.
    this.#types.set(name, {});
    this.#types.set(name, this.#level(name, schema));
    return name;
  }
}

const pascal = (member: string): string =>
  member
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
