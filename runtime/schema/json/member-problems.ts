/** Lists unknown members of a JSON text, and those that stand there twice, in the order of the text. */
import { goQuote } from '../../contract/go-quote.ts';
import { type JsonHandler, walkJson } from './json-walk.ts';
import { type Place, ReportedMembers } from './reported-members.ts';

/** The limit of problems of one document, as in 1.32. */
export const MAX_PROBLEMS = 100;

/** What may stand in a text. Nothing is reported below an object or a list that has no type. @typeParam T the type of a value */
export interface MemberTypes<T> {
  readonly root: T;
  /** @returns the type of a value as one of an object; undefined for a type that is none of an object's */
  ofObject(type: T): T | undefined;
  /** @returns likewise for a list */
  ofList(type: T): T | undefined;
  /** @returns the type of a member; undefined for a member that the object does not have */
  member(object: T, name: string): T | undefined;
  element(list: T): T | undefined;
}

/** @returns such as `unknown field "spec.foo"` */
export function problemSentence(problem: 'duplicate' | 'unknown', path: string): string {
  return `${problem} field ${goQuote(path)}`;
}

/** @returns sentences, each once, no more than `MAX_PROBLEMS`. @throws JsonSyntaxError */
export function memberProblems<T>(text: string, types: MemberTypes<T>): string[] {
  const finder = new Finder(types);
  walkJson(text, finder);
  return finder.sentences;
}

interface Frame<T> {
  readonly isList: boolean;
  /** undefined: nothing in it is reported */
  readonly type: T | undefined;
  /** of the members of an object that were read */
  readonly names: Set<string>;
  /** the member or index whose value is being read */
  key: string;
  position: number;
  place?: Place;
}

class Finder<T> implements JsonHandler {
  readonly sentences: string[] = [];
  readonly #reported = new ReportedMembers<Frame<T>>(({ isList, key, position }) => (isList ? position : key));
  readonly #frames: Frame<T>[] = [];
  readonly #types: MemberTypes<T>;

  constructor(types: MemberTypes<T>) {
    this.#types = types;
  }

  beginObject(): void {
    const type = this.#next();
    this.#open(false, type && this.#types.ofObject(type));
  }

  beginArray(): void {
    const type = this.#next();
    this.#open(true, type && this.#types.ofList(type));
  }

  endObject(): void {
    this.#frames.pop();
  }

  endArray(): void {
    this.#frames.pop();
  }

  member(key: string): void {
    const frame = this.#frames.at(-1) as Frame<T>;
    frame.key = key;
    if (frame.type === undefined) return;
    if (this.#types.member(frame.type, key) === undefined) this.#report('unknown');
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
  #next(): T | undefined {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return this.#types.root;
    if (frame.type === undefined) return undefined;
    if (!frame.isList) return this.#types.member(frame.type, frame.key);
    frame.position++;
    return this.#types.element(frame.type);
  }

  #open(isList: boolean, type: T | undefined): void {
    this.#frames.push({ isList, type, names: new Set(), key: '', position: -1 });
  }

  #report(problem: 'duplicate' | 'unknown'): void {
    const path = this.sentences.length < MAX_PROBLEMS ? this.#reported.path(this.#frames) : undefined;
    if (path !== undefined) this.sentences.push(problemSentence(problem, path));
  }
}
