/** What strict decoding finds wrong with a document: unknown and duplicate members, in the order in which 1.32 lists them. */
import { goQuote } from '../contract/go-quote.ts';
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType } from './compile.ts';
import { type JsonHandler, walkJson } from './json-walk.ts';

/** What is told of each reading of a document at most, as in 1.32. */
const MAX_ERRORS = 100;

/** What parsing says of a document: as `parseJson` gives it. */
interface Problems {
  readonly duplicates: readonly string[];
  /** absent where the document was not made from one JSON text */
  readonly text?: string;
}

/**
 * Sentences such as `unknown field "spec.foo"` and `duplicate field "spec.replicas"`, each once. With the document's text they stand in its
 * order, and duplicates in what is unknown or raw JSON are left out; without it, and of structural types, duplicates come first.
 * @param unknownFields as `decode` gives them
 */
export function strictErrors(parsed: Problems, struct: CompiledStruct, unknownFields: readonly string[]): string[] {
  const duplicates = parsed.duplicates.slice(0, MAX_ERRORS).map((path) => sentence('duplicate', path));
  // Paths of structural types are no errors of a reading: they are neither counted nor escaped.
  if (!struct.isGo) return [...duplicates, ...unknownFields.map((path) => `unknown field "${path}"`)];
  if (duplicates.length > 0 && parsed.text !== undefined) return inOrderOfText(parsed.text, struct).slice(0, MAX_ERRORS);
  return [...duplicates, ...unknownFields.slice(0, MAX_ERRORS).map((path) => sentence('unknown', path))];
}

function sentence(problem: 'duplicate' | 'unknown', path: string): string {
  return `${problem} field ${goQuote(path)}`;
}

function inOrderOfText(text: string, struct: CompiledStruct): string[] {
  const finder = new Finder(struct);
  walkJson(text, finder);
  return [...finder.sentences];
}

interface Frame {
  /** undefined: nothing in it matters */
  readonly type: CompiledType | undefined;
  readonly names: Set<string>;
  /** the member, or the position, whose value is being read */
  key: string;
  position: number;
}

class Finder implements JsonHandler {
  readonly sentences = new Set<string>();
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
    if (memberType(frame.type, key) === undefined) this.sentences.add(sentence('unknown', this.#path()));
    else if (frame.names.has(key)) this.sentences.add(sentence('duplicate', this.#path()));
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

  /** The type that the next value should have. */
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

  #path(): string {
    let path = '';
    for (const { type, key, position } of this.#frames) {
      if (type?.code === Code.list) path += `[${position}]`;
      else path += path === '' ? key : `.${key}`;
    }
    return path;
  }
}

function memberType(type: CompiledType, name: string): CompiledType | undefined {
  return type.code === Code.map ? (type as CompiledMap).value : (type as CompiledStruct).byName.get(name)?.type;
}
