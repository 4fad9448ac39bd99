/** Validates literals whose types are right. */
import type { Library, Refusal, TypedExpression } from '../environment/declarations.ts';
import type { ListNode, MapNode, Node } from '../syntax/node.ts';
import { childrenOf, descendants } from '../syntax/walk.ts';
import { optionalElement, sameType, type Type, typeText } from '../types/type.ts';
import { ErrorValue, type Value } from '../values/value.ts';
import { compilePattern } from './patterns.ts';

/** in arguments of this function, elements of literals may have several types */
const MIXING = 'format';

/** Refuses lists and maps with elements of several types, except in arguments of `format`. */
export const uniformLiteralsLibrary: Library = {
  name: 'cel.lib.std.validate.types.homogeneous',
  since: 0,
  validate: (expression) => literalsOutsideOfFormats(expression.root).flatMap((node) => mixedParts(expression, node)),
};

function literalsOutsideOfFormats(root: Node): (ListNode | MapNode)[] {
  const literals: (ListNode | MapNode)[] = [];
  const seen = new Set<Node>();
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node) || (node.kind === 'call' && node.function === MIXING)) continue;
    seen.add(node);
    if (node.kind === 'list' || node.kind === 'map') literals.push(node);
    open.push(...childrenOf(node));
  }
  return literals;
}

interface Part {
  readonly node: Node;
  readonly type: Type;
}

function mixedParts(expression: TypedExpression, node: ListNode | MapNode): Refusal[] {
  const part = (each: Node, optional: boolean): Part => {
    const type = expression.typeOf(each);
    return { node: each, type: optional ? (optionalElement(type) ?? type) : type };
  };
  if (node.kind === 'list') return mismatches(node.elements.map(({ value, optional }) => part(value, optional))).slice(0, 1);
  return [
    ...mismatches(node.entries.map(({ key }) => part(key, false))),
    ...mismatches(node.entries.map(({ value, optional }) => part(value, optional))),
  ];
}

function mismatches([first, ...others]: readonly Part[]): Refusal[] {
  if (first === undefined) return [];
  return others
    .filter(({ type }) => !sameType(first.type, type))
    .map(({ node, type }) => ({ node, message: `expected type '${typeText(first.type)}' but found '${typeText(type)}'` }));
}

/** Refuses constants that are no valid duration, timestamp or pattern. */
export const literalArgumentsLibrary: Library = {
  name: 'cel.lib.std.validate.functions',
  since: 29,
  validate: (expression) =>
    descendants(expression.root).flatMap((node) => {
      const literal = node.kind === 'call' && CHECKS.has(node.function) ? node.args[0] : undefined;
      if (node.kind !== 'call' || literal?.kind !== 'literal') return [];
      const isRight = CHECKS.get(node.function)?.(expression, node, literal.value) ?? true;
      return isRight ? [] : [{ node: literal, message: `invalid ${node.function} argument` }];
    }),
};

type Check = (expression: TypedExpression, call: Node, argument: Value) => boolean;

/** Whether the conversion succeeds. One of null has an overload for the checker alone. */
const converts: Check = (expression, call, argument) => {
  const [overload] = expression.callOf(call)?.overloads ?? [];
  if (overload === undefined) return true;
  return argument !== null && !((overload.run as (value: Value) => Value)(argument) instanceof ErrorValue);
};

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['duration', converts],
  ['timestamp', converts],
  ['matches', (_expression, _call, argument) => typeof argument !== 'string' || !(compilePattern(argument) instanceof ErrorValue)],
]);
