/** Infers the types of an expression and resolves its names and calls (language definition of CEL, section Gradual Type Checking). */
import type { FunctionDeclaration, Overload } from '../environment/declarations.ts';
import type { Environment, Variable } from '../environment/environment.ts';
import { type Finding, SHOWN, SyntaxErrors } from '../syntax/finding.ts';
import type { Literal } from '../syntax/literal.ts';
import { Uint } from '../syntax/literal.ts';
import type {
  CallNode,
  ComprehensionNode,
  IdentifierNode,
  ListNode,
  MapNode,
  Node,
  ParsedExpression,
  SelectNode,
  StructNode,
} from '../syntax/node.ts';
import { mostGeneral, Substitutions } from '../types/substitutions.ts';
import {
  argumentsText,
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  INT,
  isDyn,
  isDynOrError,
  isTooLarge,
  listOf,
  mapOf,
  NULL,
  optionalElement,
  optionalOf,
  parameter,
  partsOf,
  STRING,
  sameType,
  type Type,
  typeText,
  UINT,
  withParts,
} from '../types/type.ts';
import { type CallReference, CheckedExpression, type NameReference } from './checked-expression.ts';

import { Scope } from './scope.ts';

/** The limit of nested nodes, which protects the stack. A chain of selections or sums is as deep as it is long. */
const MAX_DEPTH = 1_000;

/** @throws SyntaxErrors */
export function check(parsed: ParsedExpression, environment: Environment): CheckedExpression {
  const checked = new Checker(parsed, environment).whole();
  const findings = environment.validators.flatMap((validate) => validate(checked));
  if (findings.length === 0) return checked;
  throw new SyntaxErrors(
    parsed.source,
    findings.map(({ node, message }) => ({ at: node.at, message })),
  );
}

class Checker {
  readonly #parsed: ParsedExpression;
  readonly #environment: Environment;
  readonly #types: (Type | undefined)[] = [];
  readonly #names = new Map<number, NameReference>();
  readonly #calls = new Map<number, CallReference>();
  readonly #substitutions = new Substitutions();
  readonly #findings: Finding[] = [];
  /** of the nodes that have something wrong in them, by their ids */
  readonly #findingsOf = new Map<number, readonly Finding[]>();
  #scope: Scope | undefined;
  #openTypes = 0;
  #depth = 0;

  constructor(parsed: ParsedExpression, environment: Environment) {
    this.#parsed = parsed;
    this.#environment = environment;
  }

  whole(): CheckedExpression {
    this.#check(this.#parsed.root);
    if (this.#findings.length === 0 || this.#environment.lenient)
      this.#types.forEach((type, id) => {
        if (type !== undefined) this.#types[id] = this.#substitutions.apply(type, 'dyn');
      });
    const checked = new CheckedExpression(this.#parsed, this.#environment, this.#types, this.#names, this.#calls);
    if (this.#findings.length > 0 && !this.#environment.lenient) throw new SyntaxErrors(this.#parsed.source, this.#findings);
    return checked;
  }

  /** A macro may have put the same node in two places, so types are remembered. What is wrong with it is told at both, as in 1.32. */
  #check(node: Node): Type {
    const known = this.#types[node.id];
    if (known !== undefined) {
      if (this.#findings.length < SHOWN) this.#findings.push(...(this.#findingsOf.get(node.id) ?? []));
      return known;
    }
    const before = this.#findings.length;
    if (++this.#depth > MAX_DEPTH)
      throw new SyntaxErrors(this.#parsed.source, [{ at: node.at, message: `expression is nested deeper than ${MAX_DEPTH}` }]);
    let type = this.#typeOf(node);
    if (isTooLarge(type)) type = this.#error(node.at, 'type of the expression has too many parts');
    this.#types[node.id] = type;
    if (this.#findings.length > before) this.#findingsOf.set(node.id, this.#findings.slice(before, before + SHOWN));
    this.#depth--;
    return type;
  }

  #typeOf(node: Node): Type {
    switch (node.kind) {
      case 'literal':
        return literalType(node.value);
      case 'identifier':
        return this.#identifier(node);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'struct':
        return this.#struct(node);
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  #error(at: number, message: string): Type {
    this.#findings.push({ at, message });
    return ERROR;
  }

  #undeclared(at: number, name: string): Type {
    return this.#error(at, `undeclared reference to '${name}' (in container '${this.#environment.container}')`);
  }

  #findName(name: string): Variable | undefined {
    return this.#scope?.find(name) ?? this.#environment.findName(name);
  }

  #identifier(node: IdentifierNode): Type {
    const found = this.#findName(node.name);
    if (found === undefined) return this.#undeclared(node.at, node.name);
    this.#names.set(node.id, found);
    return found.type;
  }

  #select(node: SelectNode): Type {
    const name = node.testOnly ? undefined : qualifiedName(node);
    const found = name === undefined ? undefined : this.#findName(name);
    if (found !== undefined) {
      this.#names.set(node.id, found);
      return found.type;
    }
    const type = this.#field(node.operand, node.field, node.at, false);
    return node.testOnly ? BOOL : this.#substitutions.apply(type);
  }

  #field(operand: Node, field: string, at: number, optional: boolean): Type {
    const operandType = this.#substitutions.apply(this.#check(operand));
    const element = optionalElement(operandType);
    const type = this.#fieldOf(element ?? operandType, field, at);
    return element !== undefined || optional ? optionalOf(type) : type;
  }

  #fieldOf(type: Type, field: string, at: number): Type {
    if (type.kind === 'map') return type.value;
    if (type.kind === 'struct') {
      if (type.closed) return this.#error(at, `unexpected failed resolution of '${type.name}'`);
      return type.field(field) ?? this.#error(at, `undefined field '${field}'`);
    }
    if (type.kind === 'parameter') this.#substitutions.unify(DYN, type);
    else if (!isDynOrError(type)) this.#error(at, `type '${typeText(type)}' does not support field selection`);
    return DYN;
  }

  #call(node: CallNode): Type {
    if (node.function === '_?._') return this.#optionalSelect(node);
    for (const arg of node.args) this.#check(arg);
    if (node.target === undefined) return this.#resolve(node, node.function, undefined, false);
    const prefix = qualifiedName(node.target);
    const namespaced = prefix === undefined ? undefined : `${prefix}.${node.function}`;
    if (namespaced !== undefined && this.#environment.findFunction(namespaced) !== undefined)
      return this.#resolve(node, namespaced, undefined, true);
    this.#check(node.target);
    return this.#resolve(node, node.function, node.target, false);
  }

  #optionalSelect(node: CallNode): Type {
    const [operand, field] = node.args as [Node, Node];
    if (field.kind !== 'literal' || typeof field.value !== 'string') return this.#error(node.at, 'unsupported optional field selection');
    this.#types[field.id] = STRING;
    return this.#substitutions.apply(this.#field(operand, field.value, node.at, true));
  }

  /** @param namespaced whether the target of the node is part of the name */
  #resolve(node: CallNode, name: string, target: Node | undefined, namespaced: boolean): Type {
    const declared = this.#environment.findFunction(name);
    if (declared === undefined) return this.#undeclared(node.at, name);
    const operands = target === undefined ? node.args : [target, ...node.args];
    const types = operands.map(({ id }) => this.#types[id] as Type);
    if (name === '_&&_' || name === '_||_') return this.#logical(node, declared);
    const overloads: Overload[] = [];
    let result: Type | undefined;
    for (const overload of declared.overloads) {
      if ((overload.member ?? false) !== (target !== undefined)) continue;
      const [opened, ...parameters] = this.#opened([overload.result, ...overload.parameters]) as [Type, ...Type[]];
      if (parameters.length !== types.length || !this.#substitutions.unifyAll(types, parameters)) continue;
      overloads.push(overload);
      const type = this.#substitutions.apply(opened);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !sameType(type, result)) result = DYN;
    }
    if (result === undefined && this.#environment.lenient) {
      const inForm = declared.overloads.filter(
        ({ member = false, parameters }) => member === (target !== undefined) && parameters.length === types.length,
      );
      this.#calls.set(node.id, { function: declared, overloads: inForm, namespaced });
      return DYN;
    }
    if (result === undefined) {
      const texts = types.map((type) => this.#substitutions.apply(type, 'dyn'));
      return this.#error(
        node.at,
        `found no matching overload for '${declared.name}' applied to '${argumentsText(texts, target !== undefined)}'`,
      );
    }
    this.#calls.set(node.id, { function: declared, overloads, namespaced });
    return result;
  }

  /** Reports the place of each operand that is no boolean. */
  #logical(node: CallNode, declared: FunctionDeclaration): Type {
    this.#calls.set(node.id, { function: declared, overloads: declared.overloads, namespaced: false });
    const wrong = node.args.filter((arg) => !this.#substitutions.unify(this.#types[arg.id] as Type, BOOL));
    if (wrong.length === 0) return BOOL;
    if (this.#environment.lenient) return DYN;
    for (const arg of wrong) this.#mismatch(arg.at, BOOL, this.#types[arg.id] as Type);
    return ERROR;
  }

  /** Replaces the type parameters by new open types. */
  #opened(types: readonly Type[]): Type[] {
    const opened = new Map<string, Type>();
    const open = (type: Type): Type => {
      if (type.kind === 'parameter') {
        if (!opened.has(type.name)) opened.set(type.name, this.#openType());
        return opened.get(type.name) as Type;
      }
      const parts = partsOf(type);
      return parts.length === 0 ? type : withParts(type, parts.map(open));
    };
    return types.map(open);
  }

  #openType(): Type {
    return parameter(`_var${this.#openTypes++}`);
  }

  #list({ elements }: ListNode): Type {
    let joined: Type | undefined;
    for (const { value, optional } of elements) joined = this.#join(value, joined, this.#element(value, optional));
    return listOf(joined ?? this.#openType());
  }

  /** The type of an element of a literal, or the content type of an optional element. */
  #element(node: Node, optional: boolean): Type {
    const type = this.#check(node);
    if (!optional) return type;
    const element = optionalElement(this.#substitutions.apply(type));
    if (element !== undefined) return element;
    if (!isDyn(type)) this.#mismatch(node.at, optionalOf(type), type);
    return type;
  }

  #join(node: Node, previous: Type | undefined, current: Type): Type {
    if (previous === undefined) return current;
    if (this.#substitutions.unify(previous, current)) return mostGeneral(previous, current);
    if (this.#environment.mixedLiterals) return DYN;
    this.#mismatch(node.at, previous, current);
    return previous;
  }

  /** Shows the types before substitution, so open types have names such as `_var0`. */
  #mismatch(at: number, expected: Type, found: Type): Type {
    return this.#error(at, `expected type '${typeText(expected)}' but found '${typeText(found)}'`);
  }

  #map({ entries }: MapNode): Type {
    let [keys, values]: [Type | undefined, Type | undefined] = [undefined, undefined];
    for (const { key, value, optional } of entries) {
      keys = this.#join(key, keys, this.#check(key));
      values = this.#join(value, values, this.#element(value, optional));
    }
    return mapOf(keys ?? this.#openType(), values ?? this.#openType());
  }

  #struct(node: StructNode): Type {
    const found = this.#environment.findName(node.type);
    if (found === undefined) return this.#undeclared(node.at, node.type);
    if (found.type.kind !== 'type') return this.#error(node.at, `'${typeText(found.type)}' is not a type`);
    const type = found.type.of;
    if (type.kind !== 'struct') return this.#error(node.at, `'${typeText(type)}' is not a message type`);
    this.#names.set(node.id, found);
    for (const { name, at, value, optional } of node.fields) {
      const given = this.#element(value, optional);
      const wanted = type.field(name) ?? this.#error(at, `undefined field '${name}'`);
      if (this.#substitutions.unify(wanted, given)) continue;
      this.#error(at, `expected type of field '${name}' is '${typeText(wanted)}' but provided type is '${typeText(given)}'`);
    }
    return type;
  }

  #comprehension(node: ComprehensionNode): Type {
    const range = this.#substitutions.apply(this.#check(node.range));
    const accumulated = this.#check(node.initial);
    const outer = this.#scope;
    const result = new Scope({ name: node.accumulator, type: accumulated, local: true }, outer);
    const [first, second] = this.#iterated(node, range);
    this.#scope = new Scope({ name: node.variable, type: first, local: true }, result);
    if (node.second !== undefined) this.#scope = new Scope({ name: node.second, type: second, local: true }, this.#scope);
    this.#expect(node.condition, this.#check(node.condition), BOOL);
    this.#expect(node.step, this.#check(node.step), accumulated);
    this.#scope = result;
    const type = this.#substitutions.apply(this.#check(node.result));
    this.#scope = outer;
    return type;
  }

  /** The types of the variables of a comprehension. */
  #iterated({ range, second }: ComprehensionNode, type: Type): readonly [first: Type, second: Type] {
    switch (type.kind) {
      case 'list':
        return second === undefined ? [type.element, DYN] : [INT, type.element];
      case 'map':
        return [type.key, type.value];
      case 'parameter':
        this.#substitutions.unify(DYN, type);
        return [DYN, DYN];
      default:
        // the type `any` is not among those, though it is as good as `dyn` elsewhere
        if (type.kind === 'dyn' || type.kind === 'error') return [DYN, DYN];
        this.#error(range.at, `expression of type '${typeText(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`);
        return [ERROR, ERROR];
    }
  }

  #expect(node: Node, found: Type, expected: Type): void {
    if (!this.#substitutions.unify(expected, found)) this.#mismatch(node.at, expected, found);
  }
}

function literalType(value: Literal): Type {
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'bigint':
      return INT;
    case 'number':
      return DOUBLE;
    case 'string':
      return STRING;
    default:
      return value === null ? NULL : value instanceof Uint ? UINT : BYTES;
  }
}

/** The qualified name that the node may spell; undefined for other nodes. */
export function qualifiedName(node: Node): string | undefined {
  if (node.kind === 'identifier') return node.name;
  if (node.kind !== 'select' || node.testOnly) return undefined;
  const operand = qualifiedName(node.operand);
  return operand === undefined ? undefined : `${operand}.${node.field}`;
}
