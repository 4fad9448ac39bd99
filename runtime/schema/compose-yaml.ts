/** What a text in YAML consists of to JSON values, as the library of 1.32 decodes it. */
import type { AliasEvent, DocumentEvent, Event, MappingEvent, ScalarEvent, SequenceEvent } from 'js-yaml';
import { noteName } from './backslash-names.ts';
import { JsonSyntaxError } from './json-walk.ts';
import { isObject, type JsonObject, setMember } from './member.ts';
import { goFloat } from './scalar/go-float.ts';
import { int64Of, numberText, numeric } from './scalar/raw-number.ts';
import { yamlLibrary } from './yaml-library.ts';
import { INTEGER, MERGE_TAG, plainScalar, TAG_PREFIX, taggedScalar, type YamlScalar } from './yaml-scalars.ts';
import { lineNumbers, newYamlSyntaxError, YamlSyntaxError } from './yaml-syntax-error.ts';

export interface ComposedYaml {
  /** what several aliases stand for is one object */
  readonly value: unknown;
  /** a sentence for each key that is set again, by which it is replaced; 100 of them at most, as of a JSON text */
  readonly problems: readonly string[];
}

/** Nodes, and characters of all texts, once each alias is what it stands for: as many as a body may have. A text without aliases may have more. */
const MAX_EXPANDED_NODES = 1_000_000;
const MAX_EXPANDED_CHARACTERS = 3 * 1024 * 1024;
const MAX_PROBLEMS = 100;

/**
 * @param events of one document of the text
 * @throws YamlSyntaxError for what 1.32 cannot decode, and for aliases that multiply, before anything is multiplied
 * @throws JsonSyntaxError for what JSON cannot say
 */
export function composeYaml(text: string, events: readonly Event[]): ComposedYaml {
  const composer = new Composer(text);
  for (const event of events) composer.take(event);
  return { value: composer.value, problems: composer.problems() };
}

type CollectionEvent = SequenceEvent | MappingEvent;
type NodeEvent = CollectionEvent | ScalarEvent | AliasEvent;

/** What aliases may stand for. Its sizes are those once each alias within it is what it stands for. */
interface Anchored {
  readonly value: unknown;
  /** 0 while it is open */
  nodes: number;
  characters: number;
}

/** A collection to which nodes are being added; a document is a list of one. */
interface Open {
  readonly value: unknown[] | JsonObject;
  readonly event: CollectionEvent | DocumentEvent;
  readonly anchored: Anchored | undefined;
  /** what had been read before it */
  readonly nodes: number;
  readonly characters: number;
  /** the one whose value comes next */
  key: string | typeof MERGED | undefined;
  keyEvent: NodeEvent | undefined;
}

/** The key `<<`: its value is a map, or a list of maps, with members for this one. */
const MERGED = Symbol('<<');

class Composer {
  readonly #library = yamlLibrary();
  readonly #text: string;
  readonly #open: Open[] = [];
  readonly #anchors = new Map<string, Anchored>();
  readonly #repeated: { readonly key: string; readonly position: number }[] = [];
  #tagPrefixes: ReadonlyMap<string, string> = new Map();
  /** what has been read, once each alias is what it stands for */
  #nodes = 0;
  #characters = 0;
  /** of the nodes, those that aliases stand for */
  #aliased = 0;
  value: unknown = null;

  constructor(text: string) {
    this.#text = text;
  }

  problems(): string[] {
    const positions = this.#repeated.map(({ position }) => position);
    const lines = lineNumbers(this.#text, positions);
    return this.#repeated.map(({ key }, i) => `line ${lines[i]}: key ${JSON.stringify(key)} already set in map`);
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
    if (text === '<<' && isKey(open) && (tag === undefined ? isPlain : tag === MERGE_TAG)) setKey(open, MERGED, event);
    else this.#add(value, event);
  }

  /** A text in a block ends with the break of its last line, where that has one. */
  #scalarText(event: ScalarEvent): string {
    const { SCALAR_STYLE, CHOMPING_MODE, getScalarValue } = this.#library;
    const text = getScalarValue(this.#text, event);
    if (event.style === SCALAR_STYLE.DOUBLE_QUOTED) this.#requireEscapes(event);
    const isBlock = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
    if (!isBlock || event.chomping === CHOMPING_MODE.STRIP || event.valueEnd !== this.#text.length) return text;
    return ' \n\r'.includes(this.#text.at(-1) ?? '') || !text.endsWith('\n') ? text : text.slice(0, -1);
  }

  /** 1.32 knows neither the escaped slash of JSON nor halves of characters. */
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
    this.#open.push({ value, event, anchored, nodes: this.#nodes, characters: this.#characters, key: undefined, keyEvent: undefined });
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
    if (isKey(open)) return setKey(open, this.#keyText(value, event) ?? this.#fail(UNSUPPORTED_KEY, event), event);
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new JsonSyntaxError(`json: unsupported value: ${NO_JSON.get(value)?.value}`);
    if (Array.isArray(open.value)) open.value.push(value);
    else if (open.key === MERGED) this.#merge(open, value, event);
    else this.#set(open, open.key as string, value, event);
    open.key = undefined;
  }

  #set(open: Open, key: string, value: unknown, event: NodeEvent): void {
    if (Object.hasOwn(open.value, key) && this.#repeated.length < MAX_PROBLEMS)
      this.#repeated.push({ key, position: startOf(event) ?? startOf(open.keyEvent as NodeEvent) ?? 0 });
    noteName(key);
    setMember(open.value as JsonObject, key, value);
  }

  /** Of several maps the first counts, and they count more than what was set before, but not more than what is set after them. */
  #merge(open: Open, value: unknown, event: NodeEvent): void {
    for (const map of Array.isArray(value) ? value.toReversed() : [value]) {
      if (!isObject(map)) throw this.#error('map merge requires map or sequence of maps as the value', event);
      for (const [key, member] of Object.entries(map)) this.#set(open, key, member, event);
    }
  }

  /** The share of aliases is bounded as in 1.32. */
  #checkSizes(): void {
    if (this.#aliased === 0) return;
    const isExcessive = this.#aliased > 100 && this.#nodes > 1_000 && this.#aliased / this.#nodes > allowedShare(this.#nodes);
    if (isExcessive || this.#nodes > MAX_EXPANDED_NODES || this.#characters > MAX_EXPANDED_CHARACTERS)
      throw new YamlSyntaxError('document contains excessive aliasing');
  }

  /** @param written such as `!!int`, `!own` and `!<tag:yaml.org,2002:int>` */
  #tagName(written: string): string {
    if (written.startsWith('!<')) return written.slice(2, -1);
    const handle = written.slice(0, written.indexOf('!', 1) + 1) || '!';
    return (this.#tagPrefixes.get(handle) ?? (handle === '!!' ? TAG_PREFIX : handle)) + written.slice(handle.length);
  }

  /** Numbers and truths are texts where they are keys. @returns undefined for what no key may be: in 1.32 that is an integer which a sign would not fit in, too */
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

function setKey(open: Open, key: Open['key'], event: NodeEvent): void {
  open.key = key;
  open.keyEvent = event;
}

/** After `!` alone a text in quotes is read like one without. */
function scalarValue(text: string, tag: string | undefined, isPlain: boolean): YamlScalar {
  if (tag === undefined ? isPlain : tag === '!') return plainScalar(text);
  return tag === undefined ? text : taggedScalar(text, tag);
}

/** How numbers are written that JSON does not have. */
const NO_JSON: ReadonlyMap<number, { readonly value: string; readonly key: string }> = new Map([
  [Number.POSITIVE_INFINITY, { value: '+Inf', key: '.inf' }],
  [Number.NEGATIVE_INFINITY, { value: '-Inf', key: '-.inf' }],
  [Number.NaN, { value: 'NaN', key: '.nan' }],
]);

/** As 1.32 writes a key that is a fraction or has an exponent: as a number of 32 bits. */
function floatKey(value: number): string {
  const single = Math.fround(value);
  const text = NO_JSON.get(single)?.key;
  if (text !== undefined) return text;
  for (let digits = 1; ; digits++) {
    const short = Number(single.toPrecision(digits));
    if (Math.fround(short) === single) return goFloat(short);
  }
}

/** @returns undefined for a scalar that is not written */
function startOf(event: NodeEvent | DocumentEvent): number | undefined {
  const starts: number[] = [];
  // the names of anchors begin behind a mark
  if ('anchorStart' in event) starts.push(event.anchorStart - 1);
  if ('tagStart' in event) starts.push(event.tagStart);
  if ('start' in event) starts.push(event.start);
  // as do texts in quotes, and those of blocks in the line after it
  if ('valueStart' in event) starts.push(event.style === yamlLibrary().SCALAR_STYLE.PLAIN ? event.valueStart : event.valueStart - 1);
  const written = starts.filter((start) => start >= 0);
  return written.length === 0 ? undefined : Math.min(...written);
}

/** As the library of 1.32 has it. @param nodes once each alias is what it stands for. @returns how many of them aliases may stand for */
function allowedShare(nodes: number): number {
  return 0.99 - 0.89 * Math.min(Math.max((nodes - 400_000) / 3_600_000, 0), 1);
}
