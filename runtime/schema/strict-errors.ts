/** Lists the errors of strict decoding, unknown and duplicate members, in the order of 1.32. */
import { goQuote } from '../contract/go-quote.ts';
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType } from './compile.ts';
import { type JsonHandler, walkJson } from './json/json-walk.ts';
import { type Place, ReportedMembers } from './json/reported-members.ts';

/** The limit of errors of one document, as in 1.32. */
const MAX_ERRORS = 100;

/** The result of `parseJson`. */
interface Problems {
  readonly duplicates: readonly string[];
  /** absent if the value was not made from one JSON text */
  readonly text?: string;
}

/**
 * Sentences such as `unknown field "spec.foo"` and `duplicate field "spec.replicas"`, without repetition. If the text is known, they are in
 * its order, and duplicates within unknown members and raw JSON are left out. Otherwise, and for structural types, duplicates come first.
 * @param unknownFields the result of `decode`
 */
export function strictErrors(parsed: Problems, struct: CompiledStruct, unknownFields: readonly string[]): string[] {
  const duplicates = parsed.duplicates.slice(0, MAX_ERRORS).map((path) => sentence('duplicate', path));
  // 1.32 finds unknown members of structural types after decoding, so they are not escaped, and their number has no limit of its own
  if (!struct.isGo) return [...duplicates, ...unknownFields.map((path) => `unknown field "${path}"`)];
  if (duplicates.length > 0 && parsed.text !== undefined) return inOrderOfText(parsed.text, struct);
  return [...duplicates, ...unknownFields.slice(0, MAX_ERRORS).map((path) => sentence('unknown', path))];
}

function sentence(problem: 'duplicate' | 'unknown', path: string): string {
  return `${problem} field ${goQuote(path)}`;
}

function inOrderOfText(text: string, struct: CompiledStruct): string[] {
  const finder = new Finder(struct);
  walkJson(text, finder);
  return finder.sentences;
}

interface Frame {
  /** undefined: nothing in it is reported */
  readonly type: CompiledType | undefined;
  readonly names: Set<string>;
  /** the member or index whose value is being read */
  key: string;
  position: number;
  place?: Place;
}

const stepOf = ({ type, key, position }: Frame): string | number => (type?.code === Code.list ? position : key);

class Finder implements JsonHandler {
  readonly sentences: string[] = [];
  readonly #reported = new ReportedMembers<Frame>(stepOf);
  readonly #frames: Frame[] = [];
  readonly #root: CompiledStruct;

  constructor(root: CompiledStruct) {
    this.#root = root;
  }

  beginObject(): void {
    const type = this.#next();
    this.#push(type?.code === Code.struct || type?.code === Code.map ? type : undefined);
  }

  beginArray(): void {
    const type = this.#next();
    this.#push(type?.code === Code.list ? type : undefined);
  }

  endObject(): void {
    this.#frames.pop();
  }

  endArray(): void {
    this.#frames.pop();
  }

  member(key: string): void {
    const frame = this.#frames.at(-1) as Frame;
    frame.key = key;
    if (frame.type === undefined) return;
    if (memberType(frame.type, key) === undefined) this.#report('unknown');
    else if (frame.names.has(key)) this.#report('duplicate');
    frame.names.add(key);
  }

  string(): void {
    this.#next();
  }

  number(): void {
    this.#next();
  }

  literal(): void {
    this.#next();
  }

  /** The type of the next value. */
  #next(): CompiledType | undefined {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return this.#root;
    if (frame.type === undefined) return undefined;
    if (frame.type.code !== Code.list) return memberType(frame.type, frame.key);
    frame.position++;
    return (frame.type as CompiledList).element;
  }

  #push(type: CompiledType | undefined): void {
    this.#frames.push({ type, names: new Set(), key: '', position: -1 });
  }

  #report(problem: 'duplicate' | 'unknown'): void {
    const path = this.sentences.length < MAX_ERRORS ? this.#reported.path(this.#frames) : undefined;
    if (path !== undefined) this.sentences.push(sentence(problem, path));
  }
}

function memberType(type: CompiledType, name: string): CompiledType | undefined {
  return type.code === Code.map ? (type as CompiledMap).value : (type as CompiledStruct).byName.get(name)?.type;
}
