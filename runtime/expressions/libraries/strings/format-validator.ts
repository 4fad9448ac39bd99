/** Checks constant texts of `format` against the types of their arguments. */
import type { Refusal, TypedExpression } from '../../environment/declarations.ts';
import type { CallNode, ListNode, Node } from '../../syntax/node.ts';
import { descendants } from '../../syntax/walk.ts';
import { type Type, typeName } from '../../types/type.ts';
import { type FormatVersion, takes, wrongType } from './format-errors.ts';
import { type Clause, FormatFailure, formatText } from './format-text.ts';

export const FORMAT_OVERLOAD = 'string_format';

/** The clause does not accept the type of the argument. */
class WrongArgument extends FormatFailure {
  readonly node: Node;
  constructor(node: Node, message: string) {
    super(message);
    this.node = node;
  }
}

export const formatFindings =
  (version: FormatVersion) =>
  (expression: TypedExpression): Refusal[] =>
    descendants(expression.root).flatMap((node) => {
      const stated = statedFormat(expression, node);
      return stated === undefined ? [] : findingsOf(expression, version, node, stated);
    });

interface StatedFormat {
  readonly text: string;
  readonly args: readonly Node[];
}

function statedFormat(expression: TypedExpression, node: Node): StatedFormat | undefined {
  if (node.kind !== 'call' || node.function !== 'format') return undefined;
  const { target, args } = node as CallNode;
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || args[0]?.kind !== 'list') return undefined;
  const overloads = expression.callOf(node)?.overloads ?? [];
  if (!overloads.some(({ id }) => id === FORMAT_OVERLOAD)) return undefined;
  return { text: target.value, args: (args[0] as ListNode).elements.map(({ value }) => value) };
}

function findingsOf(expression: TypedExpression, version: FormatVersion, call: Node, { text, args }: StatedFormat): Refusal[] {
  try {
    const render = (clause: Clause, index: number): string => {
      checkArgument(expression, version, clause, args[index] as Node);
      return '';
    };
    const used = formatText(text, args.length, render, () => {}, true);
    if (used === args.length) return [];
    return [{ node: call, message: `too many arguments supplied to string.format (expected ${used}, got ${args.length})` }];
  } catch (error) {
    if (!(error instanceof FormatFailure)) throw error;
    return [{ node: error instanceof WrongArgument ? error.node : call, message: error.message }];
  }
}

function checkArgument(expression: TypedExpression, version: FormatVersion, { verb }: Clause, argument: Node): void {
  const wrong = verb === 's' ? notWritable(expression, argument) : argument;
  if (wrong === undefined) return;
  const type = expression.typeOf(wrong);
  if (verb !== 's' && (type.kind === 'dyn' || takes(version, verb, typeName(type)))) return;
  throw new WrongArgument(wrong, wrongType(version, verb, typeName(type)));
}

const WRITABLE: ReadonlySet<Type['kind']> = new Set<Type['kind']>([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'list',
  'map',
  'null',
  'parameter',
  'string',
  'timestamp',
  'type',
  'uint',
]);

/** The argument, or the part of a literal argument, that `%s` cannot format. */
function notWritable(expression: TypedExpression, node: Node): Node | undefined {
  const type = expression.typeOf(node);
  if (!WRITABLE.has(type.kind === 'wrapper' ? type.of.kind : type.kind)) return node;
  const parts =
    node.kind === 'list'
      ? node.elements.map(({ value }) => value)
      : node.kind === 'map'
        ? node.entries.flatMap(({ key, value }) => [key, value])
        : [];
  for (const part of parts) {
    const wrong = notWritable(expression, part);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
