/** Lists the errors of strict decoding, unknown and duplicate members, in the order of 1.32. */
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType } from './compile.ts';
import { MAX_PROBLEMS, type MemberTypes, memberProblems, problemSentence } from './json/member-problems.ts';

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
  const duplicates = parsed.duplicates.slice(0, MAX_PROBLEMS).map((path) => problemSentence('duplicate', path));
  // 1.32 finds unknown members of structural types after decoding, so they are not escaped, and their number has no limit of its own
  if (!struct.isGo) return [...duplicates, ...unknownFields.map((path) => `unknown field "${path}"`)];
  // the members of an object whose names are integers do not stand where the text has them
  if (parsed.text !== undefined && (duplicates.length > 0 || unknownFields.length > 1))
    return memberProblems(parsed.text, membersOf(struct));
  return [...duplicates, ...unknownFields.slice(0, MAX_PROBLEMS).map((path) => problemSentence('unknown', path))];
}

const membersOf = (root: CompiledStruct): MemberTypes<CompiledType> => ({
  root,
  ofObject: (type) => (type.code === Code.struct || type.code === Code.map ? type : undefined),
  ofList: (type) => (type.code === Code.list ? type : undefined),
  member: (type, name) => (type.code === Code.map ? (type as CompiledMap).value : (type as CompiledStruct).byName.get(name)?.type),
  element: (type) => (type as CompiledList).element,
});
