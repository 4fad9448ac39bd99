/** Writes types of members as TypeScript text: as they are read and written, and as they are applied. */
import type { AppliedForms } from '../../model/client/applied.ts';
import type { Shape, TypeReference } from '../../model/client/client-model.ts';
import { quote } from '../typescript.ts';
import type { ModuleAliases } from './module-aliases.ts';
import type { Wording } from './wording.ts';

/** The types of one file. Writing a type that another folder has adds an import to the file. */
export class TypeTexts {
  readonly #aliases: ModuleAliases;
  readonly #wording: Wording;
  readonly #listMap: string;
  /** Whether any text so far names the type of lists whose elements have keys. */
  usesListMap = false;

  /**
   * @param aliases aliases of modules in the file in which the texts stand
   * @param listMap name of the type of lists whose elements have keys, in that file
   */
  constructor(aliases: ModuleAliases, wording: Wording, listMap: string) {
    this.#aliases = aliases;
    this.#wording = wording;
    this.#listMap = listMap;
  }

  whole(shape: Shape): string {
    return this.#text(shape, (type) => this.#aliases.nameOf(type));
  }

  applied(shape: Shape, forms: AppliedForms): string {
    if (forms.isWhole(shape)) return this.whole(shape);
    if (shape.kind === 'list') {
      const keys = forms.keysOf(shape);
      const element = this.applied(shape.element, forms);
      if (keys.length === 0) return `${parenthesized(element)}[]`;
      this.usesListMap = true;
      return `${this.#listMap}<${element}, ${keys.map(quote).join(' | ')}>`;
    }
    if (shape.kind === 'map') return `{ [key: string]: ${this.applied(shape.value, forms)} }`;
    if (shape.kind === 'type') return this.#aliases.nameOf({ ...shape, name: forms.nameOf(shape) });
    // Null stays possible here: a field manager that applies null means it.
    if (shape.kind === 'either') return shape.of.map((each) => this.applied(each, forms)).join(' | ');
    return this.whole(shape);
  }

  #text(shape: Shape, name: (type: TypeReference) => string): string {
    switch (shape.kind) {
      case 'text':
        return shape.text;
      case 'values': {
        const values = shape.values.flatMap((value) => this.#wording.all(value)).map(quote);
        return [...values, ...(shape.isOpen ? ['(string & {})'] : [])].join(' | ');
      }
      case 'list':
        return `${parenthesized(this.#text(shape.element, name))}[]`;
      case 'map':
        return `{ [key: string]: ${this.#text(shape.value, name)} }`;
      case 'type':
        return name(shape);
      default:
        return shape.of.map((each) => this.#text(each, name)).join(' | ');
    }
  }
}

const parenthesized = (type: string): string => (type.includes(' | ') ? `(${type})` : type);
