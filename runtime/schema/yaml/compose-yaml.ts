/** Builds JSON values from the events of a YAML parser, as the YAML library of 1.32 does. */
import type { AliasEvent, DocumentEvent, Event, MappingEvent, ScalarEvent, SequenceEvent } from 'js-yaml';
import { noteName } from '../json/backslash-names.ts';
import { isObject, type JsonObject, setMember } from '../json/member.ts';
import { goFloat } from '../scalar/go-float.ts';
import { int64Of, numberText, numeric } from '../scalar/raw-number.ts';
import { yamlLibrary } from './yaml-library.ts';
import { INTEGER, MERGE_TAG, plainScalar, TAG_PREFIX, taggedScalar, type YamlScalar } from './yaml-scalars.ts';
import { InexpressibleValueError, lineNumbers, newYamlSyntaxError, YamlSyntaxError } from './yaml-syntax-error.ts';

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
 * @param events of one document of the text
 * @throws YamlSyntaxError for a text that 1.32 cannot decode, and for excessive aliases, before they are expanded
 * @throws InexpressibleValueError for values that JSON cannot express
 */
export function composeYaml(text: string, events: readonly Event[]): ComposedYaml {
  const composer = new Composer(text);
  for (const event of events) composer.take(event);
  return { value: composer.value, problems: composer.problems() };
}

type CollectionEvent = SequenceEvent | MappingEvent;
type NodeEvent = CollectionEvent | ScalarEvent | AliasEvent;

/** A node with an anchor. Its sizes count the expanded aliases within it. */
interface Anchored {
  readonly value: unknown;
  /** 0 while the node is open */
  nodes: number;
  characters: number;
}

/** A collection to which nodes are being added; a document is a list of one node. */
interface Open {
  readonly value: unknown[] | JsonObject;
  readonly event: CollectionEvent | DocumentEvent;
  readonly anchored: Anchored | undefined;
  /** sizes of all that was read before it */
  readonly nodes: number;
  readonly characters: number;
  /** the key whose value comes next */
  key: string | typeof MERGED | undefined;
  /** whether it was written as a text: errors show others without quotes */
  isTextKey: boolean;
  keyEvent: NodeEvent | undefined;
}

/** The key `<<`. Its value is a map, or a list of maps, whose members are merged into this map. */
const MERGED = Symbol('<<');

class Composer {
  readonly #library = yamlLibrary();
  readonly #text: string;
  readonly #open: Open[] = [];
  readonly #anchors = new Map<string, Anchored>();
  /** keys as errors show them */
  readonly #repeated: { readonly key: string; readonly position: number }[] = [];
  #tagPrefixes: ReadonlyMap<string, string> = new Map();
  /** sizes of all that was read, with expanded aliases */
  #nodes = 0;
  #characters = 0;
  /** how many of the nodes come from aliases */
  #aliased = 0;
  value: unknown = null;

  constructor(text: string) {
    this.#text = text;
  }

  problems(): string[] {
    const positions = this.#repeated.map(({ position }) => position);
    const lines = lineNumbers(this.#text, positions);
    return this.#repeated.map(({ key }, i) => `line ${lines[i]}: key ${key} already set in map`);
  }

  take(event: Event): void {
    const { SCALAR, POP, ALIAS, DOCUMENT } = this.#library.EVENT_ID;
    if (event.type === SCALAR) this.#scalar(event);
    else if (event.type === POP) this.#close();
    else if (event.type === ALIAS) this.#alias(event);
    else if (event.type === DOCUMENT) this.#document(event);
    else this.#collection(event);
  }

  #document(event: DocumentEvent): void {
    this.#tagPrefixes = new Map(event.directives.flatMap((each) => (each.kind === 'tag' ? [[each.handle, each.prefix]] : [])));
    this.#push([], event);
  }

  #scalar(event: ScalarEvent): void {
    const text = this.#scalarText(event);
    const isPlain = event.style === this.#library.SCALAR_STYLE.PLAIN;
    const tag = event.tagStart < 0 ? undefined : this.#tagName(this.#text.slice(event.tagStart, event.tagEnd));
    const value = scalarValue(text, tag, isPlain);
    this.#nodes++;
    this.#characters += text.length;
    if (event.anchorStart >= 0) this.#anchor(event, { value, nodes: 1, characters: text.length });
    const open = this.#open.at(-1) as Open;
    if (text === '<<' && isKey(open) && (tag === undefined ? isPlain : tag === MERGE_TAG)) setKey(open, MERGED, event, true);
    else this.#add(value, event);
  }

  /** At the end of the text, a block scalar ends with a line break only if the text does. */
  #scalarText(event: ScalarEvent): string {
    const { SCALAR_STYLE, CHOMPING_MODE, getScalarValue } = this.#library;
    const text = getScalarValue(this.#text, event);
    if (event.style === SCALAR_STYLE.DOUBLE_QUOTED) this.#requireEscapes(event);
    const isBlock = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
    if (!isBlock || event.chomping === CHOMPING_MODE.STRIP || event.valueEnd !== this.#text.length) return text;
    return ' \n\r'.includes(this.#text.at(-1) ?? '') || !text.endsWith('\n') ? text : text.slice(0, -1);
  }

  /** The library of 1.32 accepts neither the escape `\/` of JSON nor escaped surrogates. */
  #requireEscapes(event: ScalarEvent): void {
    for (let at = this.#text.indexOf('\\', event.valueStart); at !== -1 && at < event.valueEnd; at = this.#text.indexOf('\\', at + 2)) {
      const escaped = this.#text[at + 1];
      if (escaped === '/') throw newYamlSyntaxError('found unknown escape character', this.#text, at);
      if (escaped === 'u' && /^d[89a-f]/i.test(this.#text.slice(at + 2, at + 4)))
        throw newYamlSyntaxError('found invalid Unicode character escape code', this.#text, at);
    }
  }

  #alias(event: AliasEvent): void {
    const name = this.#text.slice(event.anchorStart, event.anchorEnd);
    const anchored = this.#anchors.get(name);
    if (anchored === undefined) throw this.#error(`unknown anchor '${name}' referenced`, event);
    if (anchored.nodes === 0) throw new YamlSyntaxError(`anchor '${name}' value contains itself`);
    this.#nodes += 1 + anchored.nodes;
    this.#aliased += anchored.nodes;
    this.#characters += anchored.characters;
    this.#checkSizes();
    this.#add(anchored.value, event);
  }

  #collection(event: CollectionEvent): void {
    if (isKey(this.#open.at(-1) as Open)) throw this.#error(UNSUPPORTED_KEY, event);
    const value = event.type === this.#library.EVENT_ID.MAPPING ? {} : [];
    this.#push(value, event, event.anchorStart < 0 ? undefined : this.#anchor(event, { value, nodes: 0, characters: 0 }));
    this.#nodes++;
  }

  #push(value: Open['value'], event: Open['event'], anchored?: Anchored): void {
    this.#open.push({
      value,
      event,
      anchored,
      nodes: this.#nodes,
      characters: this.#characters,
      key: undefined,
      isTextKey: true,
      keyEvent: undefined,
    });
  }

  #close(): void {
    const { value, event, anchored, nodes, characters } = this.#open.pop() as Open;
    if (anchored !== undefined) {
      anchored.nodes = this.#nodes - nodes;
      anchored.characters = this.#characters - characters;
    }
    if (event.type !== this.#library.EVENT_ID.DOCUMENT) return this.#add(value, event);
    this.#checkSizes();
    this.value = (value as unknown[])[0];
  }

  #anchor({ anchorStart, anchorEnd }: NodeEvent, anchored: Anchored): Anchored {
    this.#anchors.set(this.#text.slice(anchorStart, anchorEnd), anchored);
    return anchored;
  }

  #add(value: unknown, event: NodeEvent): void {
    const open = this.#open.at(-1) as Open;
    if (isKey(open))
      return setKey(open, this.#keyText(value, event) ?? this.#fail(UNSUPPORTED_KEY, event), event, typeof value === 'string');
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new InexpressibleValueError(`json: unsupported value: ${NO_JSON.get(value)?.value}`);
    if (Array.isArray(open.value)) open.value.push(value);
    else if (open.key === MERGED) this.#merge(open, value, event);
    else this.#set(open, open.key as string, value, event);
    open.key = undefined;
  }

  #set(open: Open, key: string, value: unknown, event: NodeEvent): void {
    if (Object.hasOwn(open.value, key) && this.#repeated.length < MAX_PROBLEMS)
      this.#repeated.push({
        key: open.isTextKey ? JSON.stringify(key) : key,
        position: startOf(event) ?? startOf(open.keyEvent as NodeEvent) ?? 0,
      });
    noteName(key);
    setMember(open.value as JsonObject, key, value);
  }

  /** Of several merged maps, the first has precedence. Merged members replace those before `<<` and are replaced by those after it. */
  #merge(open: Open, value: unknown, event: NodeEvent): void {
    for (const map of Array.isArray(value) ? value.toReversed() : [value]) {
      if (!isObject(map)) throw this.#error('map merge requires map or sequence of maps as the value', event);
      for (const [key, member] of Object.entries(map)) this.#set(open, key, member, event);
    }
  }

  /** The share of aliases is limited as in 1.32. */
  #checkSizes(): void {
    if (this.#aliased === 0) return;
    const isExcessive = this.#aliased > 100 && this.#nodes > 1_000 && this.#aliased / this.#nodes > allowedShare(this.#nodes);
    if (isExcessive || this.#nodes > MAX_EXPANDED_NODES || this.#characters > MAX_EXPANDED_CHARACTERS)
      throw new YamlSyntaxError('document contains excessive aliasing');
  }

  /** @param written such as `!!int`, `!own` or `!<tag:yaml.org,2002:int>` */
  #tagName(written: string): string {
    if (written.startsWith('!<')) return written.slice(2, -1);
    const handle = written.slice(0, written.indexOf('!', 1) + 1) || '!';
    return (this.#tagPrefixes.get(handle) ?? (handle === '!!' ? TAG_PREFIX : handle)) + written.slice(handle.length);
  }

  /** Numbers and booleans become texts as keys. @returns undefined for an invalid key, such as an integer from 2^63 up to 2^64 in 1.32 */
  #keyText(value: unknown, event: NodeEvent): string | undefined {
    if (typeof value === 'string' || typeof value === 'boolean') return String(value);
    const text = numberText(value);
    if (text === undefined) return undefined;
    if (event.type === this.#library.EVENT_ID.SCALAR ? !INTEGER.test(this.#scalarText(event)) : !Number.isInteger(numeric(value)))
      return floatKey(numeric(value));
    return int64Of(text)?.toString() ?? (numeric(value) < 2 ** 64 ? undefined : floatKey(numeric(value)));
  }

  #error(problem: string, event: NodeEvent): YamlSyntaxError {
    return newYamlSyntaxError(problem, this.#text, startOf(event) ?? startOf((this.#open.at(-1) as Open).event) ?? 0);
  }

  #fail(problem: string, event: NodeEvent): never {
    throw this.#error(problem, event);
  }
}

const UNSUPPORTED_KEY = 'unsupported map key';

const isKey = ({ value, key }: Open): boolean => key === undefined && !Array.isArray(value);

function setKey(open: Open, key: Open['key'], event: NodeEvent, isText: boolean): void {
  open.key = key;
  open.isTextKey = isText;
  open.keyEvent = event;
}

/** A quoted text is read as if it were plain after the tag `!`. */
function scalarValue(text: string, tag: string | undefined, isPlain: boolean): YamlScalar {
  if (tag === undefined ? isPlain : tag === '!') return plainScalar(text);
  return tag === undefined ? text : taggedScalar(text, tag);
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

/** @returns undefined for a scalar that has no text */
function startOf(event: NodeEvent | DocumentEvent): number | undefined {
  const starts: number[] = [];
  // the position of an anchor's name follows its `&`
  if ('anchorStart' in event) starts.push(event.anchorStart - 1);
  if ('tagStart' in event) starts.push(event.tagStart);
  if ('start' in event) starts.push(event.start);
  // the positions of quoted texts and of blocks follow their quote or the line break
  if ('valueStart' in event) starts.push(event.style === yamlLibrary().SCALAR_STYLE.PLAIN ? event.valueStart : event.valueStart - 1);
  const written = starts.filter((start) => start >= 0);
  return written.length === 0 ? undefined : Math.min(...written);
}

/**
 * The rule of the library of 1.32.
 * @param nodes number of nodes with expanded aliases
 * @returns the share of them that may come from aliases
 */
function allowedShare(nodes: number): number {
  return 0.99 - 0.89 * Math.min(Math.max((nodes - 400_000) / 3_600_000, 0), 1);
}
