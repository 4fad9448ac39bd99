import type { Literal } from '../literal.ts';
import { literalValue, NoLiteralValue } from '../literal-value.ts';
import type { ListNode, MapNode, Node, StructNode } from '../node.ts';
import type { ChainOperator, ChainTerm, NodeBuilder, Place } from '../node-builder.ts';
import { OPERATORS } from '../operators.ts';
import { Token } from '../tokens.ts';
import { type Context, ReadingEnded } from './recovering-parser.ts';
import type { TokenAt, TokenStream } from './token-stream.ts';

/** What could not be read at all has no place: macros that refuse it say that it is before the text. */
const NOWHERE: Place = { at: -1, from: 0, to: 0 };

/**
 * Makes nodes from the parts of a text that could be read, in the order of cel-go, so that the node builder reports errors. A missing part
 * becomes a null.
 */
export class TreeReader {
  readonly #stream: TokenStream;
  readonly #builder: NodeBuilder;
  readonly #maxDepth: number;
  #depth = 0;

  constructor(stream: TokenStream, builder: NodeBuilder, maxDepth: number) {
    this.#stream = stream;
    this.#builder = builder;
    this.#maxDepth = maxDepth;
  }

  /** @throws ReadingEnded for nodes that are nested too deep */
  read(context: Context | undefined): Node {
    if (context === undefined) return this.#missing(NOWHERE);
    switch (context.kind ?? context.rule) {
      case 'start':
        return this.read(rule(context, 'e'));
      case 'expr':
        return this.#counted(() => this.#conditional(context));
      case 'conditionalOr':
        return this.#chain(context, '_||_');
      case 'conditionalAnd':
        return this.#chain(context, '_&&_');
      case 'operation':
        return this.#counted(() => this.#operation(context));
      case 'logicalNot':
        return this.#prefixed(context, '!_');
      case 'negate':
        return this.#prefixed(context, '-_');
      case 'select':
        return this.#counted(() => this.#select(context));
      case 'memberCall':
        return this.#counted(() => this.#memberCall(context));
      case 'index':
        return this.#counted(() => this.#index(context));
      case 'identOrGlobalCall':
        return this.#named(context);
      case 'createList':
        return this.#list(context);
      case 'createStruct':
        return this.#map(context);
      case 'createMessage':
        return this.#struct(context);
      case 'literal':
        return this.#literal(context);
      default:
        return this.#missing(NOWHERE);
    }
  }

  #missing(place: Place): Node {
    return this.#builder.literal(place, null);
  }

  #counted(read: () => Node): Node {
    if (++this.#depth > this.#maxDepth) throw new ReadingEnded('max recursion depth exceeded');
    const node = read();
    this.#depth--;
    return node;
  }

  #conditional(context: Context): Node {
    const condition = this.read(rule(context, 'e'));
    const id = this.#builder.nextId();
    const args = [condition, this.read(rule(context, 'e1')), this.read(rule(context, 'e2'))];
    return this.#builder.plainCall(id, placeOf(this.#token(context, 'op') as TokenAt), '_?_:_', undefined, args);
  }

  #chain(context: Context, name: string): Node {
    const first = this.read(rule(context, 'e'));
    const terms: ChainTerm[] = [{ node: first, from: first.from, to: first.to }];
    const operators: ChainOperator[] = [];
    const operands = rules(context, 'e1');
    for (const [index, { at }] of this.#tokens(context, 'ops').entries()) {
      const node = this.read(operands[index]);
      terms.push({ node, from: node.from, to: node.to });
      operators.push({ id: this.#builder.nextId(), at });
    }
    return this.#builder.chain(name, terms, operators);
  }

  #operation(context: Context): Node {
    const operator = this.#token(context, 'op') as TokenAt;
    const left = this.read(context.left);
    const id = this.#builder.nextId();
    const right = this.read(rule(context, 'right'));
    return this.#builder.plainCall(id, placeOf(operator), OPERATORS[operator.kind] as string, undefined, [left, right]);
  }

  #prefixed(context: Context, name: string): Node {
    const operators = this.#tokens(context, 'ops');
    const [first] = operators;
    if (first === undefined || operators.length % 2 === 0) return this.read(rule(context, 'e'));
    const id = this.#builder.nextId();
    return this.#builder.plainCall(id, placeOf(first), name, undefined, [this.read(rule(context, 'e'))]);
  }

  #select(context: Context): Node {
    const operand = this.read(context.left);
    const operator = this.#token(context, 'op');
    const name = this.#token(context, 'id') ?? this.#token(rule(context, 'name'), 'id');
    if (operator === undefined || name === undefined) return this.#missing(this.#startOf(context));
    const place = placeOf(operator);
    if (this.#token(context, 'opt') === undefined) return this.#builder.select(place, operand, fieldName(name));
    return this.#builder.optionalSelect(place, operand, fieldName(name), placeOf(name));
  }

  #memberCall(context: Context): Node {
    const target = this.read(context.left);
    const name = this.#token(context, 'id');
    const open = this.#token(context, 'open');
    if (name === undefined || open === undefined) return this.#missing(this.#startOf(context));
    const id = this.#builder.nextId();
    return this.#builder.call(id, placeOf(open), name.text, target, this.#arguments(context));
  }

  #arguments(context: Context): Node[] {
    return rules(rule(context, 'args'), 'e').map((argument) => this.read(argument));
  }

  #index(context: Context): Node {
    const operand = this.read(context.left);
    const open = this.#token(context, 'op');
    if (open === undefined) return this.#missing(this.#startOf(context));
    const id = this.#builder.nextId();
    const key = this.read(rule(context, 'index'));
    return this.#builder.index(id, placeOf(open), operand, key, this.#token(context, 'opt') !== undefined);
  }

  #named(context: Context): Node {
    const name = this.#token(context, 'id');
    if (name === undefined) return this.#missing(this.#startOf(context));
    const dotAt = this.#token(context, 'dot')?.at;
    const open = this.#token(context, 'open');
    if (open === undefined) return this.#builder.identifier(placeOf(name), name.text, dotAt);
    const reserved = this.#builder.reservedFunction(name.text, placeOf(open), this.#startOf(context).at);
    if (reserved !== undefined) return reserved;
    const id = this.#builder.nextId();
    return this.#builder.call(id, placeOf(open), dotAt === undefined ? name.text : `.${name.text}`, undefined, this.#arguments(context));
  }

  #list(context: Context): Node {
    const open = this.#token(context, 'op') ?? this.#stream.token(context.start);
    const id = this.#builder.nextId();
    const elements: ListNode['elements'][number][] = [];
    for (const element of rules(rule(context, 'elems'), 'elems')) {
      const value = this.read(rule(element, 'e'));
      const mark = this.#token(element, 'opt');
      elements.push({ value, optional: mark !== undefined && this.#builder.allowsOptional(mark.at) });
    }
    return this.#builder.list(id, placeOf(open), elements);
  }

  /** As in cel-go, the entry after a refused mark is not checked. */
  #map(context: Context): Node {
    const open = this.#token(context, 'op') ?? this.#stream.token(context.start);
    const id = this.#builder.nextId();
    const entries: MapNode['entries'][number][] = [];
    const read = rule(context, 'entries');
    const keys = rules(read, 'keys');
    const values = rules(read, 'values');
    for (const [index] of this.#tokens(read, 'cols').entries()) {
      const entryId = this.#builder.nextId();
      const written = keys[index];
      const mark = this.#token(written, 'opt');
      if (mark !== undefined && !this.#builder.allowsOptional(mark.at)) continue;
      const key = this.read(rule(written, 'e'));
      const value = this.read(values[index]);
      entries.push({ id: entryId, key, value, optional: mark !== undefined });
    }
    return this.#builder.map(id, placeOf(open), entries);
  }

  #struct(context: Context): Node {
    const open = this.#token(context, 'op') ?? this.#stream.token(context.start);
    const id = this.#builder.nextId();
    const fields: StructNode['fields'][number][] = [];
    const read = rule(context, 'entries');
    const colons = this.#tokens(read, 'cols');
    const values = rules(read, 'values');
    for (const [index, field] of rules(read, 'fields').entries()) {
      const [colon, value] = [colons[index], values[index]];
      if (colon === undefined || value === undefined) break;
      const fieldId = this.#builder.nextId();
      const mark = this.#token(field, 'opt');
      if (mark !== undefined && !this.#builder.allowsOptional(mark.at)) continue;
      const name = this.#token(field, 'id') ?? this.#token(rule(field, 'name'), 'id');
      if (name === undefined) break;
      fields.push({ id: fieldId, name: fieldName(name), at: colon.at, value: this.read(value), optional: mark !== undefined });
    }
    return this.#builder.struct(id, placeOf(open), '', fields);
  }

  #literal(context: Context): Node {
    const written = this.#token(context, 'tok');
    const place = this.#startOf(context);
    if (written === undefined) return this.#missing(place);
    try {
      const value: Literal = literalValue(written.kind, written.text, this.#token(context, 'sign') !== undefined);
      return this.#builder.literal(place, value);
    } catch (error) {
      if (error instanceof NoLiteralValue) return this.#builder.refused(place, error.message);
      throw error;
    }
  }

  #token(context: Context | undefined, label: string): TokenAt | undefined {
    const value = context?.parts.findLast((part) => part.label === label)?.value;
    return typeof value === 'number' ? this.#stream.token(value) : undefined;
  }

  #tokens(context: Context | undefined, label: string): TokenAt[] {
    return (context?.parts ?? []).flatMap((part) =>
      part.label === label && typeof part.value === 'number' ? [this.#stream.token(part.value)] : [],
    );
  }

  #startOf(context: Context): Place {
    return placeOf(this.#stream.token(context.start));
  }
}

function rules(context: Context | undefined, label: string): Context[] {
  return (context?.parts ?? []).flatMap((part) => (part.label === label && typeof part.value !== 'number' ? [part.value] : []));
}

function rule(context: Context | undefined, label: string): Context | undefined {
  const value = context?.parts.findLast((part) => part.label === label)?.value;
  return typeof value === 'number' ? undefined : value;
}

function placeOf({ at, to }: TokenAt): Place {
  return { at, from: at, to };
}

function fieldName({ kind, text }: TokenAt): string {
  return kind === Token.QuotedIdentifier ? text.slice(1, -1) : text;
}
