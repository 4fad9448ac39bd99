/** Lists and structures in messages, as Go shows them: findings know their values, the kind knows the types. */
import { createRequire } from 'node:module';
import type { Field, StructType, Type } from '../../contract/descriptor.ts';
import { type FieldError, structureText } from '../../contract/field-error.ts';
import type { GoType } from '../../go-diff/go-type.ts';

const require = createRequire(import.meta.url);

/** Few findings show structures, and a server that meets none does without what prints them. */
const goTypes = (): typeof import('../../go-diff/wire-types.ts') => require('../../go-diff/wire-types.ts');
const goSyntax = (): typeof import('../../go-diff/go-syntax.ts') => require('../../go-diff/go-syntax.ts');

/** Longer ones stay as they are: a message shows one again for each of its elements. */
const LONGEST = 10_000;

/** @param type of the kind whose findings these are; structural kinds have no types in Go */
export function withGoStructures(type: StructType, errors: readonly FieldError[]): readonly FieldError[] {
  if (type.go !== true || errors.every(({ structure }) => structure === undefined)) return errors;
  const texts = new Map<object, Texts>();
  return errors.map((error) => {
    const { structure, ...plain } = error;
    if (structure === undefined) return error;
    let known = texts.get(structure);
    if (known === undefined) {
      known = textsOf(type, error.field, structure);
      texts.set(structure, known);
    }
    const { text, go } = known;
    return go === undefined ? plain : { ...plain, message: plain.message.replace(text, () => go) };
  });
}

interface Texts {
  /** the text of the structure in the message */
  readonly text: string;
  /** the text that 1.32 has instead; undefined if the path does not lead to such a structure */
  readonly go: string | undefined;
}

function textsOf(type: StructType, path: string, structure: object): Texts {
  const text = structureText(structure);
  const found: GoType | undefined =
    text.length > LONGEST ? undefined : typesOnTheWay(type, path).findLast(({ kind }) => isOfKind(kind, structure));
  return { text, go: found && goSyntax().goSyntax(found, structure) };
}

/** A finding may show what is around the member at fault: the list of an element, the structure of a field. */
const isOfKind = (kind: GoType['kind'], value: object): boolean =>
  Array.isArray(value) ? kind === 'slice' : kind === 'map' || kind === 'struct';

/** Lists Go's types of all structures on the way of a path such as `spec.ports[0].name`, the outermost first. */
function typesOnTheWay(struct: StructType, path: string): readonly GoType[] {
  let within: Type = struct;
  const types: GoType[] = [goTypes().goStruct(struct)];
  for (const [, name, inner] of path.matchAll(/(?:^|\.)([^.[\]]+)|\[([^\]]*)\]/g)) {
    if (inner !== undefined && (within.kind === 'list' || within.kind === 'map')) {
      const [around] = types.slice(-1);
      within = within.kind === 'list' ? within.element : within.value;
      if (around?.kind === 'slice') types.push(around.element);
      else if (around?.kind === 'map') types.push(around.value);
    } else {
      // some paths of 1.32 name a member of the elements of a list without the place of the element
      if (within.kind === 'list') within = within.element;
      const found: FoundField | undefined = name === undefined || within.kind !== 'struct' ? undefined : fieldOf(within, name);
      if (found === undefined) return types.slice(1);
      within = found.field.type;
      types.push(goTypes().goTypeOf(found.struct, found.field));
    }
  }
  return types;
}

interface FoundField {
  readonly struct: StructType;
  readonly field: Field;
}

/** Finds a field by its name in JSON, also in inline structs, whose fields are among those of the struct around them. */
function fieldOf(struct: StructType, name: string): FoundField | undefined {
  for (const field of struct.fields) {
    if (field.go?.inline === true) {
      const found = fieldOf(field.type as StructType, name);
      if (found !== undefined) return found;
    } else if (field.name === name) return { struct, field };
  }
  return undefined;
}
