/** Builds JSON values from the events of a YAML parser, as the YAML library of 1.32 does. */
import { goQuote } from '../../contract/go-quote.ts';
import { noteName } from '../json/backslash-names.ts';
import { isObject, type JsonObject, setMember } from '../json/member.ts';
import { goFloat } from '../scalar/go-float.ts';
import { int64Of, numberText, numeric } from '../scalar/raw-number.ts';
import { goSyntax } from './go-values.ts';
import type { AliasEvent, CollectionEvent, TextEvent, YamlEvent } from './yaml-events.ts';
import { INTEGER, MERGE_TAG, plainScalar, taggedScalar, type YamlScalar } from './yaml-scalars.ts';
import { InexpressibleValueError, YamlSyntaxError } from './yaml-syntax-error.ts';

export interface ComposedYaml {
  /** aliases share the object of their anchor */
  readonly value: unknown;
  /** a sentence for each key that occurs again and replaces the former value; at most 100, as for JSON */
  readonly problems: readonly string[];
}

/**
 * Limits of nodes and of characters of all scalars after aliases are expanded: those of a request body. Only texts with aliases are
 * limited.
 */
const MAX_EXPANDED_NODES = 1_000_000;
const MAX_EXPANDED_CHARACTERS = 3 * 1024 * 1024;
const MAX_PROBLEMS = 100;

/**
 * @param events of one document
 * @throws YamlSyntaxError for a text that 1.32 cannot decode, and for excessive aliases, before they are expanded
 * @throws InexpressibleValueError for values that JSON cannot express
 */
export function composeYaml(events: readonly YamlEvent[]): ComposedYaml {
  const composer = new Composer();
  for (const event of events) composer.take(event);
  return composer.finish();
}

/** A node with an anchor. Its sizes count the expanded aliases within it. */
interface Anchored {
  readonly value: unknown;
  /** 0 while the node is open */
  nodes: number;
  characters: number;
}

/** A collection to which nodes are being added; the document is a list of one node. */
interface Open {
  readonly value: unknown[] | JsonObject;
  /** where it begins, counted from 0 */
  readonly line: number;
  readonly anchored: Anchored | undefined;
  /** of a map that others may be told to merge */
  readonly origins: Origins | undefined;
  /** sizes of all that was read before it */
  readonly nodes: number;
  readonly characters: number;
  /** the key whose value comes next */
  key: Key | typeof MERGED | undefined;
  /** how errors show the keys that are no texts */
  others: Map<string, string> | undefined;
}

interface Key {
  readonly text: string;
  /** as errors show it: those that are no texts have no quotes */
  readonly shown: string;
  /** what 1.32 says of a key that JSON cannot have, but for its value */
  readonly problem?: string;
}

/** The key of each member of a map, and the line of its value. */
type Origins = Map<string, { readonly key: Key; readonly line: number }>;

/** The key `<<`. Its value is a map, or a list of maps, whose members are merged into this map. */
const MERGED = Symbol('<<');

class Composer {
  readonly #open: Open[] = [];
  readonly #anchors = new Map<string, Anchored>();
  readonly #origins = new WeakMap<object, Origins>();
  readonly #problems: string[] = [];
  /** a key, or a value, that JSON cannot express: it matters where all else can be decoded */
  #wrongKey: string | undefined;
  #wrongValue: string | undefined;
  /** sizes of all that was read, with expanded aliases */
  #nodes = 0;
  #characters = 0;
  /** how many of the nodes come from aliases */
  #aliased = 0;

  constructor() {
    this.#push([]);
  }

  finish(): ComposedYaml {
    this.#checkSizes();
    const wrong = this.#wrongKey ?? this.#wrongValue;
    if (wrong !== undefined) throw new InexpressibleValueError(wrong);
    const [value = null] = (this.#open[0] as Open).value as unknown[];
    return { value, problems: this.#problems };
  }

  take(event: YamlEvent): void {
    if (event.type === 'text') this.#scalar(event);
    else if (event.type === 'end') this.#close();
    else if (event.type === 'alias') this.#alias(event);
    else this.#collection(event);
  }

  #scalar(event: TextEvent): void {
    const { text, anchor, tag, isPlain, line } = event;
    const value = scalarValue(event);
    this.#nodes++;
    this.#characters += text.length;
    if (anchor !== undefined) this.#anchors.set(anchor, { value, nodes: 1, characters: text.length });
    const open = this.#open.at(-1) as Open;
    const isMerge = text === '<<' && (tag === undefined ? isPlain : tag === '!' || tag === MERGE_TAG);
    if (isMerge && isKey(open)) open.key = MERGED;
    else this.#add(value, line, event);
  }

  #alias({ name, line }: AliasEvent): void {
    const anchored = this.#anchors.get(name) as Anchored;
    if (anchored.nodes === 0) throw new YamlSyntaxError(`anchor '${name}' value contains itself`);
    this.#nodes += 1 + anchored.nodes;
    this.#aliased += anchored.nodes;
    this.#characters += anchored.characters;
    this.#checkSizes();
    if ((this.#open.at(-1) as Open).key === MERGED && Array.isArray(anchored.value)) throw newWrongMerge();
    this.#add(anchored.value, line);
  }

  #collection({ type, anchor, line }: CollectionEvent): void {
    const value = type === 'map' ? {} : [];
    const anchored = anchor === undefined ? undefined : { value, nodes: 0, characters: 0 };
    if (anchor !== undefined && anchored !== undefined) this.#anchors.set(anchor, anchored);
    const isMerged = this.#open.at(-1)?.key === MERGED || (Array.isArray(this.#open.at(-1)?.value) && this.#open.at(-2)?.key === MERGED);
    const origins: Origins | undefined = type === 'map' && (isMerged || anchor !== undefined) ? new Map() : undefined;
    if (origins !== undefined) this.#origins.set(value, origins);
    this.#push(value, line, anchored, origins);
    this.#nodes++;
  }

  #push(value: Open['value'], line = 0, anchored?: Anchored, origins?: Origins): void {
    const [nodes, characters] = [this.#nodes, this.#characters];
    this.#open.push({ value, line, anchored, origins, nodes, characters, key: undefined, others: undefined });
  }

  #close(): void {
    const { value, line, anchored, nodes, characters } = this.#open.pop() as Open;
    if (anchored !== undefined) {
      anchored.nodes = this.#nodes - nodes;
      anchored.characters = this.#characters - characters;
    }
    this.#add(value, line);
  }

  /** @param line where the node begins. @param scalar absent for collections and aliases */
  #add(value: unknown, line: number, scalar?: TextEvent): void {
    const open = this.#open.at(-1) as Open;
    if (isKey(open)) {
      open.key = keyOf(value, scalar);
      return;
    }
    if (typeof value === 'number' && !Number.isFinite(value)) this.#wrongValue ??= `json: unsupported value: ${NO_JSON.get(value)?.value}`;
    if (Array.isArray(open.value)) open.value.push(value);
    else if (open.key === MERGED) this.#merge(open, value);
    else this.#set(open, open.key as Key, value, line);
    open.key = undefined;
  }

  #set(open: Open, key: Key, value: unknown, line: number): void {
    const { text, shown, problem } = key;
    if (problem !== undefined) this.#wrongKey ??= `${problem}, value: ${goSyntax(value)}`;
    if (Object.hasOwn(open.value, text) && (open.others?.get(text) ?? goQuote(text)) === shown && this.#problems.length < MAX_PROBLEMS)
      this.#problems.push(`line ${line + 1}: key ${shown} already set in map`);
    if (!shown.startsWith('"')) open.others ??= new Map();
    open.others?.set(text, shown);
    open.origins?.set(text, { key, line });
    noteName(text);
    setMember(open.value as JsonObject, text, value);
  }

  /** Of several merged maps, the first has precedence. Merged members replace those before `<<` and are replaced by those after it. */
  #merge(open: Open, value: unknown): void {
    for (const map of Array.isArray(value) ? value.toReversed() : [value]) {
      if (!isObject(map)) throw newWrongMerge();
      for (const [text, { key, line }] of this.#origins.get(map) ?? []) this.#set(open, key, map[text], line);
    }
  }

  /** The share of aliases is limited as in 1.32. */
  #checkSizes(): void {
    if (this.#aliased === 0) return;
    const isExcessive = this.#aliased > 100 && this.#nodes > 1_000 && this.#aliased / this.#nodes > allowedShare(this.#nodes);
    if (isExcessive || this.#nodes > MAX_EXPANDED_NODES || this.#characters > MAX_EXPANDED_CHARACTERS)
      throw new YamlSyntaxError('document contains excessive aliasing');
  }
}

const isKey = ({ value, key }: Open): boolean => key === undefined && !Array.isArray(value);

function newWrongMerge(): YamlSyntaxError {
  return new YamlSyntaxError('map merge requires map or sequence of maps as the value');
}

/** Numbers and booleans become texts as keys. @param scalar absent for collections and aliases. @throws YamlSyntaxError for a list or a map */
function keyOf(value: unknown, scalar: TextEvent | undefined): Key {
  if (typeof value === 'string') return { text: value, shown: goQuote(value) };
  if (typeof value === 'boolean') return { text: String(value), shown: String(value) };
  if (value === null) return { text: '', shown: '<nil>', problem: 'unsupported map key of type: %!s(<nil>), key: <nil>' };
  const digits = numberText(value);
  if (digits === undefined) throw new YamlSyntaxError(`invalid map key: ${goSyntax(value)}`);
  const number = numeric(value);
  if (scalar === undefined ? !Number.isInteger(number) : !INTEGER.test(scalar.text))
    return { text: floatKey(number), shown: goFloat(number) };
  const integer = int64Of(digits)?.toString();
  if (integer !== undefined) return { text: integer, shown: integer };
  if (number >= 2 ** 64 || number < 0) return { text: floatKey(number), shown: goFloat(number) };
  const problem = `unsupported map key of type: uint64, key: 0x${BigInt(digits).toString(16)}`;
  return { text: digits, shown: `0x${BigInt(digits).toString(16)}`, problem };
}

function scalarValue({ text, tag, isPlain }: TextEvent): YamlScalar {
  if (tag !== undefined) return taggedScalar(text, tag);
  return isPlain ? plainScalar(text) : text;
}

/** How numbers that JSON does not have are written as values in errors, and as keys. */
const NO_JSON: ReadonlyMap<number, { readonly value: string; readonly key: string }> = new Map([
  [Number.POSITIVE_INFINITY, { value: '+Inf', key: '.inf' }],
  [Number.NEGATIVE_INFINITY, { value: '-Inf', key: '-.inf' }],
  [Number.NaN, { value: 'NaN', key: '.nan' }],
]);

/** 1.32 writes a key that is a fraction or has an exponent as a number of 32 bits. */
function floatKey(value: number): string {
  const single = Math.fround(value);
  const text = NO_JSON.get(single)?.key;
  if (text !== undefined) return text;
  for (let digits = 1; ; digits++) {
    const short = Number(single.toPrecision(digits));
    if (Math.fround(short) === single) return goFloat(short);
  }
}

/**
 * The rule of the library of 1.32.
 * @param nodes number of nodes with expanded aliases
 * @returns the share of them that may come from aliases
 */
function allowedShare(nodes: number): number {
  return 0.99 - 0.89 * Math.min(Math.max((nodes - 400_000) / 3_600_000, 0), 1);
}
