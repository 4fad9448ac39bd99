/**
 * JSON Patch with the deviations of the library of 1.32: negative indexes count from the end; `replace` of an absent member adds it; `copy`
 * of an absent member copies null; only `test` and `replace` accept the path of the whole document. Texts are tested by what they say, where 1.32 takes
 * `"\u00e9"` and `"é"` for two.
 * @see https://www.rfc-editor.org/rfc/rfc6902
 */
import { writeJson } from '../../contract/json-writer.ts';
import { deepEqual } from '../equal.ts';
import { isObject, type JsonObject } from '../json/member.ts';
import { isRawNumber } from '../scalar/raw-number.ts';
import { jsonKind } from '../scalar/scalar-error.ts';
import { addAt, Draft, removeAt, setAt, type Target, valueAt } from './draft.ts';
import { FailedTest, PatchError } from './error.ts';

/** Operations of a JSON patch at most, as in 1.32. */
export const MAX_OPERATIONS = 10_000;
/** Limit of the JSON bytes that all `copy` operations of a patch may add. */
export const MAX_COPIED_BYTES = 3 * 1024 * 1024;

export interface PatchLimits {
  /** default: MAX_OPERATIONS */
  readonly operations?: number;
  /** is called with the JSON bytes that `copy` operations have added so far; an error that it throws ends the patch */
  readonly copied?: ((bytes: number) => void) | undefined;
}

/**
 * @param document never changed; the result shares what the patch does not change
 * @param operations a parsed JSON value; never changed; the result shares its values
 * @throws PatchError
 */
export function applyJsonPatch(document: unknown, operations: unknown, limits: PatchLimits = {}): unknown {
  const checked = readOperations(operations, limits.operations ?? MAX_OPERATIONS);
  const patching = new Patching(document, limits.copied);
  try {
    for (const operation of checked) patching.apply(operation);
  } catch (error) {
    if (error instanceof RangeError) throw failed('exceeded max depth');
    throw error;
  }
  return patching.draft.document;
}

function readOperations(operations: unknown, limit: number): JsonObject[] {
  if (!Array.isArray(operations))
    throw new PatchError('malformed', `json: cannot unmarshal ${jsonKind(operations)} into Go value of type jsonpatch.Patch`);
  if (operations.length > limit)
    throw new PatchError('tooLarge', `The allowed maximum operations in a JSON patch is ${limit}, got ${operations.length}`);
  return operations.map((operation: unknown) => {
    if (operation === null) return {};
    if (isObject(operation)) return operation;
    throw new PatchError('malformed', `json: cannot unmarshal ${jsonKind(operation)} into Go value of type jsonpatch.Operation`);
  });
}

class Patching {
  readonly draft: Draft;
  readonly #copied: PatchLimits['copied'];
  #copiedBytes = 0;

  constructor(document: unknown, copied: PatchLimits['copied']) {
    this.draft = new Draft(document);
    this.#copied = copied;
  }

  apply(operation: JsonObject): void {
    const { op } = operation;
    switch (op) {
      case 'add':
        return this.#add(operation);
      case 'remove':
        return this.#remove(operation);
      case 'replace':
        return this.#replace(operation);
      case 'move':
        return this.#move(operation);
      case 'copy':
        return this.#copy(operation);
      case 'test':
        return this.#test(operation);
      default:
        throw failed(`Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`);
    }
  }

  #add(operation: JsonObject): void {
    const path = reference(operation, 'path', 'add');
    const target = this.draft.find(path, true) ?? missing(`add operation does not apply: doc is missing path: "${path}"`);
    within(`error in add for path: '${path}'`, () => addAt(target, operation.value ?? null));
  }

  #remove(operation: JsonObject): void {
    const path = reference(operation, 'path', 'remove');
    const target = this.draft.find(path, true) ?? missing(`remove operation does not apply: doc is missing path: "${path}"`);
    within(`error in remove for path: '${path}'`, () => removeAt(target));
  }

  #replace(operation: JsonObject): void {
    const path = reference(operation, 'path', 'replace');
    const value = operation.value ?? null;
    if (path === '') {
      // A value that is neither an object nor a list is ignored, as in 1.32.
      if (typeof value === 'object' && value !== null && !isRawNumber(value)) this.draft.document = value;
      return;
    }
    const target = this.draft.find(path, true) ?? missing(`replace operation does not apply: doc is missing path: ${path}`);
    try {
      setAt(target, value);
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
      missing(`replace operation does not apply: doc is missing key: ${path}`);
    }
  }

  #move(operation: JsonObject): void {
    const from = reference(operation, 'from', 'move');
    const source = this.draft.find(from, true) ?? missing(`move operation does not apply: doc is missing from path: ${from}`);
    const value = within(`error in move for path: '${source.key}'`, () => take(source));
    const path = reference(operation, 'path', 'move');
    const target = this.draft.find(path, true) ?? missing(`move operation does not apply: doc is missing destination path: ${path}`);
    within(`error in move for path: '${path}'`, () => addAt(target, value));
  }

  #copy(operation: JsonObject): void {
    const from = reference(operation, 'from', 'copy');
    const source = this.draft.find(from, false) ?? missing(`copy operation does not apply: doc is missing from path: ${from}`);
    const value = within(`error in copy for from: '${from}'`, () => valueAt(source)) ?? null;
    const path = reference(operation, 'path', 'copy');
    this.#countCopy(value);
    this.draft.share(value);
    const target = this.draft.find(path, true) ?? missing(`copy operation does not apply: doc is missing destination path: ${path}`);
    within('error while adding value during copy', () => addAt(target, value));
  }

  #test(operation: JsonObject): void {
    const path = reference(operation, 'path', 'test');
    const actual = path === '' ? this.draft.document : this.#tested(path);
    if (!deepEqual(actual, operation.value ?? null)) throw new FailedTest(path);
  }

  #tested(path: string): unknown {
    const target = this.draft.find(path, false) ?? missing(`test operation does not apply: is missing path: ${path}`);
    return within(`error in test for path: '${path}'`, () => valueAt(target)) ?? null;
  }

  #countCopy(value: unknown): void {
    this.#copiedBytes += Buffer.byteLength(writeJson(value));
    this.#copied?.(this.#copiedBytes);
    if (this.#copiedBytes > MAX_COPIED_BYTES)
      throw failed(
        `unable to complete the copy, the accumulated size increase of copy is ${this.#copiedBytes}, exceeding the limit ${MAX_COPIED_BYTES}`,
      );
  }
}

function take(source: Target): unknown {
  const value = valueAt(source);
  removeAt(source);
  return value;
}

const ABSENT = { path: 'operation missing path field', from: 'operation, missing from field' };
/** Errors of other operations do not say what is wrong with the member. */
const SAYS_WHAT_IS_WRONG = new Set(['replace path', 'move path', 'test path', 'move from', 'copy from']);

function reference(operation: JsonObject, name: 'path' | 'from', op: string): string {
  const text = operation[name] ?? undefined;
  if (typeof text === 'string') return text;
  const problem = `${op} operation failed to decode ${name}`;
  if (!SAYS_WHAT_IS_WRONG.has(`${op} ${name}`)) return missing(problem);
  if (text === undefined) return missing(`${problem}: ${ABSENT[name]}`);
  throw failed(`${problem}: json: cannot unmarshal ${jsonKind(text)} into Go value of type string`);
}

/** Adds the context to the message of a PatchError that `act` throws. */
function within<T>(context: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof PatchError ? failed(`${context}: ${error.message}`) : error;
  }
}

function failed(message: string): PatchError {
  return new PatchError('failed', message);
}

function missing(message: string): never {
  throw failed(`${message}: missing value`);
}
