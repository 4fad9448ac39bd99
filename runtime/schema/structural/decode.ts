/**
 * Decodes JSON values to objects of structural types: unknown members are dropped, null is dropped or replaced by the default, defaults are
 * set, metadata is decoded as Go's struct, and members are sorted by name. Values of a wrong type stay, because validation reports them.
 */
import type { CompiledStruct } from '../compile.ts';
import { type DecodeOptions, decode } from '../decode.ts';
import { DecodeError } from '../explain.ts';
import { areSorted, compareUtf8, isObject, type JsonObject, setMember } from '../json/member.ts';
import { ScalarError } from '../scalar/scalar-error.ts';
import { untypedScalar, untypedValue } from '../untyped.ts';
import { explainStructural } from './explain.ts';
import { metadataOf, noMetadata, validMembers } from './metadata.ts';
import { type StructuralNode, type StructuralPlan, type StructuralStep, structuralNode } from './node.ts';
import { undeclaredValue } from './undeclared-value.ts';

export type StructuralOptions = Pick<
  DecodeOptions,
  'defaults' | 'reuses' | 'known' | 'dropsInvalidMetadata' | 'asApplied' | 'keepsUnknown'
>;

/**
 * @param struct a structural type
 * @param input a parsed JSON value; never changed
 * @returns the object, which has metadata if its type does, and the paths of unknown members in the order of 1.32
 * @throws DecodeError
 */
export function decodeStructural(
  struct: CompiledStruct,
  input: unknown,
  options: StructuralOptions,
): { readonly object: JsonObject; readonly unknownFields: string[] } {
  const node = structuralNode(struct.type);
  const decoder = new StructuralDecoder(struct, options);
  try {
    const object = decoder.root(node, isObject(input) ? input : {}, options.known);
    return { object, unknownFields: decoder.dropped === 0 ? [] : explainStructural(struct, input, options).unknownFields };
  } catch (error) {
    if (error instanceof DecodeError) throw explainStructural(struct, input, options).error ?? error;
    if (error instanceof ScalarError) throw new DecodeError(error.message);
    if (error instanceof RangeError) throw new DecodeError('exceeded max depth');
    throw error;
  }
}

interface DecoderOptions extends Omit<StructuralOptions, 'known'> {
  /** shared by all decoders of one object */
  readonly sizes?: Sizes;
}

interface Sizes {
  /** JSON characters of all defaults that were set */
  ofDefaults: number;
}

/** Limit of the JSON characters of all defaults of one object: without it a short body could become gigabytes. */
const MOST_OF_DEFAULTS = 8 * 1024 * 1024;

class StructuralDecoder {
  /** number of unknown members so far; if there are any, a second pass finds their names */
  dropped = 0;
  readonly #struct: CompiledStruct;
  readonly #options: DecoderOptions;
  readonly #defaults: boolean;
  readonly #reuses: boolean;
  readonly #keepsAll: boolean;
  readonly #asApplied: boolean;
  readonly #sizes: Sizes;
  #ofDefaults: StructuralDecoder | undefined;
  #ofMetadata: StructuralDecoder | undefined;

  constructor(struct: CompiledStruct, options: DecoderOptions) {
    this.#struct = struct;
    this.#options = options;
    this.#defaults = options.defaults;
    this.#reuses = options.reuses === true;
    this.#keepsAll = options.keepsUnknown === true;
    this.#asApplied = options.asApplied === true;
    this.#sizes = options.sizes ?? { ofDefaults: 0 };
  }

  /** @param known see `DecodeOptions` */
  root(node: StructuralNode, input: JsonObject, known?: JsonObject): JsonObject {
    const hasMetadata = node.metadata === undefined || (input.metadata !== undefined && input.metadata !== null);
    return this.#members(node, hasMetadata ? input : { ...input, metadata: {} }, this.#keepsAll || node.preserves, known, true);
  }

  /**
   * @param node undefined: the type says nothing of the value
   * @param keeps whether unknown members of the value stay, whatever the node says
   */
  value(node: StructuralNode | undefined, value: unknown, keeps: boolean): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const kept = this.#keepsAll || keeps || node?.preserves === true;
    if (node === undefined) return this.#undeclared(value, kept);
    if (Array.isArray(value)) return node.element === undefined ? this.#undeclared(value, kept) : this.#list(node.element, value, kept);
    if (!isObject(value)) return untypedScalar(value);
    if (node.hasPlans) return this.#members(node, value, kept);
    return node.others === undefined ? this.#undeclared(value, kept) : this.#entries(node.others, value);
  }

  #undeclared(value: unknown, keeps: boolean): unknown {
    return undeclaredValue(value, { keeps, reuses: this.#reuses, drop: this.#drop });
  }

  readonly #drop = (count: number): void => {
    this.dropped += count;
  };

  #list(element: StructuralNode, list: readonly unknown[], keeps: boolean): readonly unknown[] {
    let made = this.#reuses ? undefined : new Array<unknown>(list.length);
    for (let i = 0; i < list.length; i++) {
      const item = this.#item(element, list[i], keeps);
      if (made === undefined && item !== list[i]) made = list.slice();
      if (made !== undefined) made[i] = item;
    }
    return made ?? list;
  }

  #item(element: StructuralNode, item: unknown, keeps: boolean): unknown {
    if (item !== null || element.nullable || element.default === undefined) return this.value(element, item, keeps);
    return this.#defaults ? this.#default(element) : null;
  }

  /** Decodes the members of an object without declared ones. @param others node of all members */
  #entries(others: StructuralNode, object: JsonObject): JsonObject {
    const names = Object.keys(object);
    const isSorted = areSorted(names);
    if (!isSorted) names.sort(compareUtf8);
    let made: JsonObject | undefined = this.#reuses && isSorted ? undefined : {};
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      const value = this.#member(others, object[name]);
      if (made === undefined && value !== object[name]) made = firstOf(object, names, i);
      if (made !== undefined && value !== undefined) setMember(made, name, value);
    }
    return made ?? object;
  }

  #members(node: StructuralNode, object: JsonObject, keeps: boolean, known?: JsonObject, isRoot = false): JsonObject {
    const plan = node.planOf(object, keeps, this.#defaults);
    this.dropped += plan.dropped;
    let made: JsonObject | undefined = this.#reuses && plan.isInOrder ? undefined : {};
    const { steps } = plan;
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i] as StructuralStep;
      const given = step.isGiven ? object[step.name] : undefined;
      const isKnown = known !== undefined && given !== undefined && given === known[step.name];
      const value = isKnown ? (isObject(given) ? { ...given } : given) : this.#stepValue(node, step, given, isRoot);
      if (made === undefined && value !== given) made = firstSteps(object, plan, i);
      if (made !== undefined && value !== undefined) setMember(made, step.name, value);
    }
    return made ?? object;
  }

  #stepValue(node: StructuralNode, { name, node: member, isGiven, isOfApi }: StructuralStep, given: unknown, isRoot: boolean): unknown {
    if (!isGiven) return isOfApi && name === 'metadata' ? this.#defaultMetadata(node, member) : this.#default(member as StructuralNode);
    if (!isOfApi) return member === undefined ? this.value(undefined, given, true) : this.#member(member, given);
    const isApplied = this.#asApplied && !isRoot && name !== 'metadata';
    if (isApplied && typeof given !== 'string' && (given !== null || member?.default === undefined)) return given;
    if (given === null && !isRoot && member !== undefined && !member.nullable && member.default === undefined) return undefined;
    if (name === 'metadata') return this.#metadata(node, member, given, isRoot);
    if (typeof given === 'string') return given;
    if (this.#options.dropsInvalidMetadata === true) return this.#defaultOf(member);
    throw new DecodeError('must be a string');
  }

  /** @returns undefined if the member is left out */
  #member(node: StructuralNode, value: unknown): unknown {
    if (value !== null || node.nullable) return this.value(node, value, false);
    if (node.default === undefined) return this.#asApplied ? null : undefined;
    return this.#defaults ? this.#default(node) : null;
  }

  #defaultOf(node: StructuralNode | undefined): unknown {
    return this.#defaults && node?.default !== undefined ? this.#default(node) : undefined;
  }

  /** Makes a new value with the defaults within it. @throws DecodeError if all defaults together exceed the limit */
  #default(node: StructuralNode): unknown {
    this.#ofDefaults ??= new StructuralDecoder(this.#struct, { defaults: true, keepsUnknown: this.#keepsAll, sizes: this.#sizes });
    this.#count(node.defaultSize);
    return this.#ofDefaults.value(node, node.default, false);
  }

  #count(characters: number): void {
    this.#sizes.ofDefaults += characters;
    if (this.#sizes.ofDefaults > MOST_OF_DEFAULTS)
      throw new DecodeError(`defaults would make the object longer than ${MOST_OF_DEFAULTS} bytes`);
  }

  /** A default is metadata like any other, though its schema may not say what metadata have. */
  #defaultMetadata(node: StructuralNode, declared: StructuralNode | undefined): unknown {
    const { default: value, defaultSize } = declared as StructuralNode;
    this.#count(defaultSize);
    return this.#completed(node, declared as StructuralNode, this.#knownMetadata(node, value));
  }

  /** What metadata have of a default: what they do not have, or not so, is no default in 1.32. */
  #knownMetadata({ metadata }: StructuralNode, value: unknown): unknown {
    if (metadata === undefined) return value;
    const compiled = metadataOf(metadata, this.#struct.identity);
    const valid = validMembers(compiled, untypedValue(value));
    return valid === undefined ? value : decode(compiled, valid, { defaults: false }).object;
  }

  /** Sets the defaults that a schema has within metadata. */
  #completed(node: StructuralNode, declared: StructuralNode, value: unknown): unknown {
    this.#ofMetadata ??= new StructuralDecoder(this.#struct, { defaults: true, reuses: true, keepsUnknown: true, sizes: this.#sizes });
    const completed = this.#ofMetadata.value(declared, value, true);
    return completed === value ? value : this.#knownMetadata(node, completed);
  }

  #metadata(node: StructuralNode, declared: StructuralNode | undefined, given: unknown, isRoot: boolean): unknown {
    const { metadata } = node;
    if (metadata === undefined) return given;
    const compiled = metadataOf(metadata, this.#struct.identity);
    const read = (value: unknown): unknown => {
      const { object, unknownFields } = decode(compiled, value, { defaults: false });
      this.dropped += unknownFields.length;
      return object;
    };
    const value = this.#readMetadata(compiled, untypedValue(given), read, isRoot);
    return this.#defaults && declared !== undefined ? this.#completed(node, declared, value) : value;
  }

  #readMetadata(compiled: CompiledStruct, given: unknown, read: (value: unknown) => unknown, isRoot: boolean): unknown {
    try {
      return read(given);
    } catch (error) {
      const { dropsInvalidMetadata: drops } = this.#options;
      if (!(drops === true || (isRoot && drops === 'ofItself')) || !(error instanceof DecodeError)) throw error;
      const valid = validMembers(compiled, given);
      if (valid !== undefined) return read(valid);
      if (isRoot) throw noMetadata(given);
      return given;
    }
  }
}

/** A new object with the first `count` of the named members of another one. */
function firstOf(object: JsonObject, names: readonly string[], count: number): JsonObject {
  const made: JsonObject = {};
  for (let i = 0; i < count; i++) setMember(made, names[i] as string, object[names[i] as string]);
  return made;
}

function firstSteps(object: JsonObject, { steps }: StructuralPlan, count: number): JsonObject {
  const names = steps.slice(0, count).map(({ name }) => name);
  return firstOf(object, names, count);
}
