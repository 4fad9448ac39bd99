/** Types of members as TypeScript text: as they are read and written, and as they are applied. */
import type { AppliedForms } from '../../model/client/applied.ts';
import type { Shape, TypeReference } from '../../model/client/client-model.ts';
import { moduleAlias, quote } from '../typescript.ts';
import type { Wording } from './wording.ts';

export class TypeTexts {
  readonly #folder: string;
  readonly #wording: Wording;
  /** folders whose types are named */
  readonly used = new Set<string>();
  /** whether a list whose elements have keys is named */
  usesListMap = false;

  /** @param folder of the file that the texts stand in */
  constructor(folder: string, wording: Wording) {
    this.#folder = folder;
    this.#wording = wording;
  }

  whole(shape: Shape): string {
    return this.#text(shape, (type) => this.#name(type));
  }

  applied(shape: Shape, forms: AppliedForms): string {
    if (forms.isWhole(shape)) return this.whole(shape);
    if (shape.kind === 'list') {
      const keys = forms.keysOf(shape);
      const element = this.applied(shape.element, forms);
      if (keys.length === 0) return `${parenthesized(element)}[]`;
      this.usesListMap = true;
      return `ListMap<${element}, ${keys.map(quote).join(' | ')}>`;
    }
    if (shape.kind === 'map') return `{ [key: string]: ${this.applied(shape.value, forms)} }`;
    if (shape.kind === 'type') return this.#name(shape, forms.has(shape) ? 'Apply' : '');
    if (shape.kind === 'either') {
      const given = shape.of.filter((each) => each.kind !== 'text' || each.text !== 'null');
      return given.map((each) => this.applied(each, forms)).join(' | ');
    }
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

  #name({ folder, name }: TypeReference, suffix = ''): string {
    if (folder === this.#folder) return `${name}${suffix}`;
    this.used.add(folder);
    return `${moduleAlias(folder)}.${name}${suffix}`;
  }
}

const parenthesized = (type: string): string => (type.includes(' | ') ? `(${type})` : type);
