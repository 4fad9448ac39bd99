/** Reads an object of a structural type a second time, to find its unknown members and the errors of its metadata. */
import type { CompiledStruct } from '../compile.ts';
import type { DecodeOptions } from '../decode.ts';
import { DecodeError, type Explanation, explain } from '../explain.ts';
import { compareUtf8, isObject, type JsonObject, sortedNames } from '../json/member.ts';
import { untypedValue } from '../untyped.ts';
import { shownValue } from './go-syntax.ts';
import { metadataOf, noMetadata, validMembers } from './metadata.ts';
import { API_MEMBERS, type StructuralNode, structuralNode } from './node.ts';

/**
 * The paths are those of 1.32: first unknown members of the object's own metadata, then dropped members, then unknown members of inner
 * metadata. The latter two are sorted.
 */
export function explainStructural(
  struct: CompiledStruct,
  input: unknown,
  { dropsInvalidMetadata }: Pick<DecodeOptions, 'dropsInvalidMetadata'> = {},
): Explanation {
  const explainer = new StructuralExplainer(struct, dropsInvalidMetadata);
  try {
    const unknownFields = explainer.root(structuralNode(struct.type), isObject(input) ? input : {});
    return { unknownFields, error: undefined };
  } catch (error) {
    if (error instanceof DecodeError) return { unknownFields: [], error };
    if (error instanceof RangeError) return { unknownFields: [], error: new DecodeError('exceeded max depth') };
    throw error;
  }
}

/** The place of a value, as the two passes of 1.32 write it. */
interface Place {
  /** such as `spec.parts.a[0]`, for dropped members */
  readonly dropped: string;
  /** such as `spec.parts[a][0]`, for errors of metadata */
  readonly field: string;
}

/** Limits of reported paths: more are kept only if they are short, because each of many members may have a long path. */
const FEW_PATHS = 100;
const MAX_CHARACTERS = 1024 * 1024;

const ROOT: Place = { dropped: '', field: '' };
const dotted = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

class StructuralExplainer {
  readonly #struct: CompiledStruct;
  /** whether invalid members are dropped of the object's own metadata, and of metadata within it */
  readonly #drops: { readonly own: boolean; readonly within: boolean };
  readonly #dropped: string[] = [];
  readonly #inMetadata: string[] = [];
  #characters = 0;

  constructor(struct: CompiledStruct, drops: DecodeOptions['dropsInvalidMetadata']) {
    this.#struct = struct;
    this.#drops = { own: drops === true || drops === 'ofItself', within: drops === true };
  }

  /** @throws DecodeError */
  root(node: StructuralNode, input: JsonObject): string[] {
    const own = node.metadata === undefined ? [] : this.#ownMetadata(node, input.metadata);
    this.#members(node, input, ROOT, node.preserves, true);
    return [...own, ...this.#dropped.sort(compareUtf8), ...this.#inMetadata.sort(compareUtf8)];
  }

  #ownMetadata(node: StructuralNode, given: unknown): string[] {
    const { unknownFields, error } = this.#readMetadata(node, given, this.#drops.own);
    if (error !== undefined) throw this.#drops.own ? noMetadata(given) : error;
    return unknownFields.map((path) => `metadata.${path}`);
  }

  #value(node: StructuralNode | undefined, value: unknown, place: Place, keeps: boolean): void {
    const kept = keeps || node?.preserves === true;
    // All of it stays, and it may be deeper than the stack.
    if (node === undefined && kept) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        this.#value(node?.element, item, { dropped: `${place.dropped}[${index}]`, field: `${place.field}[${index}]` }, kept);
    } else if (isObject(value)) this.#members(node, value, place, kept);
  }

  #members(node: StructuralNode | undefined, object: JsonObject, place: Place, keeps: boolean, isRoot = false): void {
    for (const name of sortedNames(Object.keys(object))) {
      const declared = node?.members.get(name);
      const member = declared ?? node?.others;
      const field = declared === undefined ? `${place.field}[${name}]` : dotted(place.field, name);
      if (node?.metadata !== undefined && API_MEMBERS.has(name)) {
        if (!isRoot) this.#apiMember(node, member, name, object[name], dotted(place.field, name));
      } else if (member !== undefined) this.#value(member, object[name], { dropped: dotted(place.dropped, name), field }, false);
      else if (!keeps) this.#report(this.#dropped, dotted(place.dropped, name));
    }
  }

  #report(paths: string[], path: string): void {
    if (paths.length >= FEW_PATHS && this.#characters + path.length > MAX_CHARACTERS) return;
    this.#characters += path.length;
    paths.push(path);
  }

  #apiMember(node: StructuralNode, member: StructuralNode | undefined, name: string, value: unknown, field: string): void {
    if (value === null && member !== undefined && !member.nullable && member.default === undefined) return;
    if (name === 'metadata') this.#metadata(node, value, field);
    else if (typeof value !== 'string' && !this.#drops.within) throw invalid(field, value, 'must be a string');
  }

  #metadata(node: StructuralNode, value: unknown, field: string): void {
    const { unknownFields, error } = this.#readMetadata(node, value, this.#drops.within);
    for (const path of unknownFields) this.#report(this.#inMetadata, `${field}.${path}`);
    if (error !== undefined && !this.#drops.within) throw invalid(field, value, error.message);
  }

  /** The errors of metadata, apart from members that are dropped because they are invalid. */
  #readMetadata({ metadata }: StructuralNode, given: unknown, drops: boolean): Explanation {
    if (metadata === undefined) return { unknownFields: [], error: undefined };
    const compiled = metadataOf(metadata, this.#struct.identity);
    const value = untypedValue(given);
    const found = explain(compiled, value, 'byName');
    if (found.error === undefined || !drops) return found;
    const valid = validMembers(compiled, value);
    return valid === undefined ? { unknownFields: [], error: found.error } : explain(compiled, valid, 'byName');
  }
}

function invalid(field: string, value: unknown, problem: string): DecodeError {
  return new DecodeError(`${field}: Invalid value: ${shownValue(value)}: ${problem}`);
}
