/** A JSON document that is being changed. Containers are copied when they are first changed, so the original document stays unchanged. */
import { goQuote } from '../../contract/go-quote.ts';
import { noteName } from '../json/backslash-names.ts';
import { getMember, type JsonObject, setMember } from '../json/member.ts';
import { isRawNumber, parseInt64 } from '../scalar/raw-number.ts';
import { PatchError } from './error.ts';

export type Container = JsonObject | unknown[];

/** A member or element of a container, which may not exist yet. */
export interface Target {
  readonly container: Container;
  readonly key: string;
}

export class Draft {
  document: unknown;
  readonly #owned = new Set<Container>();

  constructor(document: unknown) {
    this.document = document;
  }

  /**
   * @param path a JSON Pointer (RFC 6901) of at least one part
   * @param change whether the containers on the way are copied so that they may be changed
   * @returns undefined if the last part has no container
   */
  find(path: string, change: boolean): Target | undefined {
    const parts = path.split('/').map(unescapePart);
    if (parts.length < 2) return undefined;
    let container = this.#open(this.document, change, (own) => {
      this.document = own;
    });
    for (const part of parts.slice(1, -1)) {
      if (container === undefined) return undefined;
      const target: Target = { container, key: part };
      if (Array.isArray(container) && indexOf(part, container.length) === undefined) return undefined;
      container = this.#open(valueAt(target), change, (own) => setAt(target, own));
    }
    return container === undefined ? undefined : { container, key: parts.at(-1) as string };
  }

  /** Prepares a value for a second place: whoever changes it in one of them copies it first. */
  share(value: unknown): void {
    const pending: unknown[] = [value];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (typeof next !== 'object' || next === null || !this.#owned.delete(next as Container)) continue;
      for (const member of Object.values(next)) if (typeof member === 'object' && member !== null) pending.push(member);
    }
  }

  #open(value: unknown, change: boolean, replace: (own: Container) => void): Container | undefined {
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return undefined;
    if (!change || this.#owned.has(value as Container)) return value as Container;
    const own = copyContainer(value as Container);
    this.#owned.add(own);
    replace(own);
    return own;
  }
}

function copyContainer(container: Container): Container {
  if (Array.isArray(container)) return container.slice();
  const copy: JsonObject = {};
  for (const name of Object.keys(container)) setMember(copy, name, container[name]);
  return copy;
}

/** @returns undefined for an absent member @throws PatchError for an absent element */
export function valueAt({ container, key }: Target): unknown {
  return Array.isArray(container) ? container[position(key, container.length)] : getMember(container, key);
}

/** Replaces an element, or sets a member. @throws PatchError for an absent element */
export function setAt({ container, key }: Target, value: unknown): void {
  if (Array.isArray(container)) container[position(key, container.length)] = value;
  else setNoted(container, key, value);
}

/** Inserts an element, or sets a member. @throws PatchError for an index beyond the end */
export function addAt({ container, key }: Target, value: unknown): void {
  if (!Array.isArray(container)) setNoted(container, key, value);
  else if (key === '-') container.push(value);
  else container.splice(position(key, container.length + 1, `value was not a proper array index: '${key}': `), 0, value);
}

/** @throws PatchError for an absent member or element */
export function removeAt({ container, key }: Target): void {
  if (Array.isArray(container)) container.splice(position(key, container.length), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw new PatchError('failed', `Unable to remove nonexistent key: ${key}: missing value`);
}

/**
 * @param unreadable beginning of the error for a key that is no number
 * @throws PatchError for a key that is no index of a list of this length
 */
function position(key: string, length: number, unreadable = ''): number {
  const index = indexOf(key, length);
  if (index !== undefined) return index;
  const number = NUMBER.test(key) ? parseInt64(key) : undefined;
  if (number !== undefined) throw new PatchError('failed', `Unable to access invalid index: ${number}: invalid index referenced`);
  const problem = NUMBER.test(key) ? 'value out of range' : 'invalid syntax';
  throw new PatchError('failed', `${unreadable}strconv.Atoi: parsing ${goQuote(key)}: ${problem}`);
}

const NUMBER = /^[-+]?\d+$/;

/** A negative index counts from the end. */
function indexOf(key: string, length: number): number | undefined {
  if (!NUMBER.test(key)) return undefined;
  const index = Number(key);
  if (index >= length || index < -length) return undefined;
  return index < 0 ? index + length : index;
}

function unescapePart(part: string): string {
  return part.includes('~') ? part.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~')) : part;
}

/** The name comes from a path, so no text was checked for it. */
function setNoted(object: JsonObject, name: string, value: unknown): void {
  noteName(name);
  setMember(object, name, value);
}
