import type { Literal } from './literal.ts';
import type { MacroNodes } from './macro.ts';
import type { MacroTable } from './macro-table.ts';
import type { CallNode, ComprehensionNode, ListNode, MapNode, Node, StructNode } from './node.ts';

/** names that are reserved although the grammar accepts them */
const RESERVED: ReadonlySet<string> = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(' '),
);

/** The place of a node in the source, in offsets. */
export interface Place {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** An operator of a chain of `&&` or `||`. */
export interface ChainOperator {
  readonly id: number;
  readonly at: number;
}

/** An operand of such a chain, with its place including parentheses. */
export interface ChainTerm {
  readonly node: Node;
  readonly from: number;
  readonly to: number;
}

/** Reports an error in the text; it may throw. */
export type Report = (at: number, message: string) => void;

/**
 * Makes nodes in the order of their ids, expands macros, and reports what the grammar accepts but the language refuses. A refused part
 * becomes a null, so that the rest of the text can be checked.
 */
export class NodeBuilder {
  readonly #macros: MacroTable;
  readonly #optionalSyntax: boolean;
  readonly #report: Report;
  #ids = 1;

  constructor(macros: MacroTable, optionalSyntax: boolean, report: Report) {
    this.#macros = macros;
    this.#optionalSyntax = optionalSyntax;
    this.#report = report;
  }

  /** one more than the greatest id */
  get ids(): number {
    return this.#ids;
  }

  nextId(): number {
    return this.#ids++;
  }

  /** @returns the node that replaces a refused part */
  refused(place: Place, message: string): Node {
    const node = this.literal(place, null);
    this.#report(place.at, message);
    return node;
  }

  literal({ at, from, to }: Place, value: Literal): Node {
    return { kind: 'literal', id: this.#ids++, at, from, to, value };
  }

  /** @param name without a leading dot @param dotAt offset of the dot before it, if there is one */
  identifier({ at, from, to }: Place, name: string, dotAt: number | undefined): Node {
    if (RESERVED.has(name)) return this.refused({ at: dotAt ?? at, from, to }, `reserved identifier: ${name}`);
    return this.simpleIdentifier({ at, from, to }, dotAt === undefined ? name : `.${name}`);
  }

  simpleIdentifier({ at, from, to }: Place, name: string): Node {
    return { kind: 'identifier', id: this.#ids++, at, from, to, name };
  }

  /** @param nameAt offset of the function's name, or of the dot before it @returns the replacing node if the name is reserved */
  reservedFunction(name: string, { from, to }: Place, nameAt: number): Node | undefined {
    return RESERVED.has(name) ? this.refused({ at: nameAt, from, to }, `reserved identifier: ${name}`) : undefined;
  }

  select({ at, from, to }: Place, operand: Node, field: string, testOnly = false): Node {
    return { kind: 'select', id: this.#ids++, at, from, to, operand, field, testOnly };
  }

  /** @param name place of the field's name */
  optionalSelect(place: Place, operand: Node, field: string, name: Place): Node {
    if (!this.#optionalSyntax) return this.refused(place, "unsupported syntax '.?'");
    const literal = this.literal(name, field);
    return this.plainCall(this.nextId(), place, '_?._', undefined, [operand, literal]);
  }

  index(id: number, place: Place, operand: Node, key: Node, optional: boolean): Node {
    if (optional && !this.#optionalSyntax) return this.refused(place, "unsupported syntax '[?'");
    return this.plainCall(id, place, optional ? '_[?_]' : '_[_]', undefined, [operand, key]);
  }

  /** Makes a call as it is written, or the expansion of a macro. */
  call(id: number, place: Place, name: string, target: Node | undefined, args: readonly Node[]): Node {
    const macro = this.#macros.find(name, target !== undefined, args.length);
    if (macro !== undefined) {
      try {
        const expanded = macro.expand(new Expansion(this, place), target, args);
        if (expanded !== undefined) return expanded;
      } catch (error) {
        if (!(error instanceof ExpansionError)) throw error;
        return this.refused({ ...place, at: error.at }, error.message);
      }
    }
    return this.plainCall(id, place, name, target, args);
  }

  plainCall(id: number, { at, from, to }: Place, name: string, target: Node | undefined, args: readonly Node[]): CallNode {
    return { kind: 'call', id, at, from, to, function: name, target, args };
  }

  /** A chain becomes a balanced tree, because the order of these operators does not matter and deep trees cost more. */
  chain(name: string, terms: readonly ChainTerm[], operators: readonly ChainOperator[]): Node {
    return this.#balanced(name, terms, operators, 0, operators.length - 1).node;
  }

  #balanced(name: string, terms: readonly ChainTerm[], operators: readonly ChainOperator[], low: number, high: number): ChainTerm {
    const middle = (low + high + 1) >> 1;
    const left = middle === low ? (terms[middle] as ChainTerm) : this.#balanced(name, terms, operators, low, middle - 1);
    const right = middle === high ? (terms[middle + 1] as ChainTerm) : this.#balanced(name, terms, operators, middle + 1, high);
    const { id, at } = operators[middle] as ChainOperator;
    const place = { at, from: left.from, to: right.to };
    return { ...place, node: this.plainCall(id, place, name, undefined, [left.node, right.node]) };
  }

  list(id: number, { at, from, to }: Place, elements: ListNode['elements']): Node {
    return { kind: 'list', id, at, from, to, elements };
  }

  map(id: number, { at, from, to }: Place, entries: MapNode['entries']): Node {
    return { kind: 'map', id, at, from, to, entries };
  }

  struct(id: number, { at, from, to }: Place, type: string, fields: StructNode['fields']): Node {
    return { kind: 'struct', id, at, from, to, type, fields };
  }

  comprehension({ at, from, to }: Place, parts: Parameters<MacroNodes['comprehension']>[0]): ComprehensionNode {
    const { range, variable, second, accumulator, initial, condition, step, result } = parts;
    const id = this.#ids++;
    return { kind: 'comprehension', id, at, from, to, range, variable, second, accumulator, initial, condition, step, result };
  }

  /** @param at offset of the question mark, or of the name after it @returns whether an element, entry or field may be optional */
  allowsOptional(at: number): boolean {
    if (!this.#optionalSyntax) this.#report(at, "unsupported syntax '?'");
    return this.#optionalSyntax;
  }
}

class ExpansionError extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

class Expansion implements MacroNodes {
  readonly #builder: NodeBuilder;
  readonly #place: Place;

  constructor(builder: NodeBuilder, place: Place) {
    this.#builder = builder;
    this.#place = place;
  }

  literal(value: Literal): Node {
    return this.#builder.literal(this.#place, value);
  }

  identifier(name: string): Node {
    return this.#builder.simpleIdentifier(this.#place, name);
  }

  call(name: string, ...args: readonly Node[]): CallNode {
    return this.#builder.plainCall(this.#builder.nextId(), this.#place, name, undefined, args);
  }

  memberCall(name: string, target: Node, ...args: readonly Node[]): CallNode {
    return this.#builder.plainCall(this.#builder.nextId(), this.#place, name, target, args);
  }

  list(...elements: readonly Node[]): Node {
    const id = this.#builder.nextId();
    const written = elements.map((value) => ({ value, optional: false }));
    return this.#builder.list(id, this.#place, written);
  }

  map(...entries: readonly (readonly [key: Node, value: Node])[]): Node {
    const written = entries.map(([key, value]) => ({ id: this.#builder.nextId(), key, value, optional: false }));
    return this.#builder.map(this.#builder.nextId(), this.#place, written);
  }

  presence(operand: Node, field: string): Node {
    return this.#builder.select(this.#place, operand, field, true);
  }

  comprehension(parts: Parameters<MacroNodes['comprehension']>[0]): Node {
    return this.#builder.comprehension(this.#place, parts);
  }

  error({ at }: Node, message: string): Error {
    return new ExpansionError(at, message);
  }
}
