/** Lists what strict decoding finds in the operations of a JSON patch: members that operations do not have, and members that stand there twice. */
import { goQuote } from '../../contract/go-quote.ts';
import type { ParsedJson } from '../json/json-exact.ts';
import { type JsonHandler, walkJson } from '../json/json-walk.ts';
import { isObject } from '../json/member.ts';
import { type Place, ReportedMembers } from '../json/reported-members.ts';

const MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);
/** The limit of problems of one patch, as in 1.32. */
const MAX_PROBLEMS = 100;

/**
 * Sentences such as `unknown field "[0].extra"` and `duplicate field "[1].path"`, without repetition, in the order of the text. Nothing within an
 * unknown member is reported.
 * @param parsed a list of operations
 */
export function operationProblems({ value, duplicates, text }: ParsedJson): string[] {
  if (text === undefined || (duplicates.length === 0 && !hasUnknownMembers(value))) return [];
  const finder = new Finder();
  walkJson(text, finder);
  return finder.problems;
}

function hasUnknownMembers(operations: unknown): boolean {
  if (!Array.isArray(operations)) return false;
  return operations.some((operation: unknown) => isObject(operation) && Object.keys(operation).some((name) => !MEMBERS.has(name)));
}

interface Frame {
  readonly isList: boolean;
  /** of an object, as far as they were read; undefined: nothing in it is reported */
  readonly names: Set<string> | undefined;
  key: string;
  position: number;
  place?: Place;
}

/** How many containers are open in an operation: the patch and the operation. */
const IN_OPERATION = 2;
const stepOf = ({ isList, key, position }: Frame): string | number => (isList ? position : key);

class Finder implements JsonHandler {
  readonly problems: string[] = [];
  readonly #reported = new ReportedMembers<Frame>(stepOf);
  readonly #frames: Frame[] = [];

  beginObject(): void {
    this.#open(false);
  }

  beginArray(): void {
    this.#open(true);
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
    if (frame.names === undefined) return;
    if (this.#isUnknown(key)) this.#report('unknown');
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

  #isUnknown(key: string): boolean {
    return this.#frames.length === IN_OPERATION && !MEMBERS.has(key);
  }

  #open(isList: boolean): void {
    const isReported = this.#next();
    this.#frames.push({ isList, names: isReported ? new Set() : undefined, key: '', position: -1 });
  }

  /** @returns whether anything in the next value is reported */
  #next(): boolean {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return true;
    if (frame.isList) frame.position++;
    return frame.names !== undefined && (frame.isList || !this.#isUnknown(frame.key));
  }

  #report(problem: 'unknown' | 'duplicate'): void {
    const path = this.problems.length < MAX_PROBLEMS ? this.#reported.path(this.#frames) : undefined;
    if (path !== undefined) this.problems.push(`${problem} field ${goQuote(path)}`);
  }
}
