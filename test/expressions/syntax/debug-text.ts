import { Uint } from '../../../runtime/expressions/syntax/literal.ts';
import type { CallNode, ComprehensionNode, Node } from '../../../runtime/expressions/syntax/node.ts';

/** A tree as the original's debugger prints it, with the kind of every node, which is the form of the official tables. */
export function debugText(node: Node): string {
  return new DebugText().of(node);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

class DebugText {
  #indent = 0;

  of(node: Node): string {
    switch (node.kind) {
      case 'literal':
        return literalText(node.value);
      case 'identifier':
        return `${node.name}^#*expr.Expr_IdentExpr#`;
      case 'select':
        return `${this.of(node.operand)}.${node.field}${node.testOnly ? '~test-only~' : ''}^#*expr.Expr_SelectExpr#`;
      case 'call':
        return this.#call(node);
      case 'list':
        return `[${this.#lines(node.elements, ({ value, optional }) => `${optional ? '?' : ''}${this.of(value)}`)}]^#*expr.Expr_ListExpr#`;
      case 'map':
        return `{${this.#lines(node.entries, ({ key, value, optional }) => `${optional ? '?' : ''}${this.of(key)}:${this.of(value)}^#*expr.Expr_CreateStruct_Entry#`)}}^#*expr.Expr_StructExpr#`;
      case 'struct':
        return `${node.type}{${this.#lines(node.fields, ({ name, value, optional }) => `${optional ? '?' : ''}${name}:${this.of(value)}^#*expr.Expr_CreateStruct_Entry#`)}}^#*expr.Expr_StructExpr#`;
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  #call({ function: name, target, args }: CallNode): string {
    const receiver = target === undefined ? '' : `${this.of(target)}.`;
    return `${receiver}${name}(${this.#lines(args, (argument) => this.of(argument))})^#*expr.Expr_CallExpr#`;
  }

  #lines<T>(items: readonly T[], text: (item: T) => string): string {
    if (items.length === 0) return '';
    this.#indent++;
    const lines = items.map((item) => `${this.#newLine()}${text(item)}`).join(',');
    this.#indent--;
    return `${lines}${this.#newLine()}`;
  }

  #newLine(): string {
    return `\n${'  '.repeat(this.#indent)}`;
  }

  #comprehension(node: ComprehensionNode): string {
    this.#indent++;
    const parts = [
      ['Variable', node.variable],
      ['Target', this.of(node.range)],
      ['Accumulator', node.accumulator],
      ['Init', this.of(node.initial)],
      ['LoopCondition', this.of(node.condition)],
      ['LoopStep', this.of(node.step)],
      ['Result', this.of(node.result)],
    ].map(([title, text]) => `${this.#newLine()}// ${title}${this.#newLine()}${text}`);
    this.#indent--;
    return `__comprehension__(${parts.join(',')})^#*expr.Expr_ComprehensionExpr#`;
  }
}

function literalText(value: Extract<Node, { kind: 'literal' }>['value']): string {
  if (value === null) return 'null^#*expr.Constant_NullValue#';
  if (typeof value === 'boolean') return `${value}^#*expr.Constant_BoolValue#`;
  if (typeof value === 'bigint') return `${value}^#*expr.Constant_Int64Value#`;
  if (value instanceof Uint) return `${value.value}u^#*expr.Constant_Uint64Value#`;
  if (typeof value === 'number') return `${doubleText(value)}^#*expr.Constant_DoubleValue#`;
  if (typeof value === 'string') return `${quoted(value)}^#*expr.Constant_StringValue#`;
  return `b${quotedBytes(value)}^#*expr.Constant_BytesValue#`;
}

/** As Go's `%g`: an exponent of two digits at least, where it is less than -4 or not less than 6. */
function doubleText(value: number): string {
  const [digits, exponent] = value.toExponential().split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < 6) return Object.is(value, -0) ? '-0' : value.toString();
  return `${digits}e${power < 0 ? '-' : '+'}${Math.abs(power).toString().padStart(2, '0')}`;
}

function quoted(text: string): string {
  const characters = Array.from(
    text,
    (character) => ESCAPES[character] ?? (/[\p{C}\p{Z}]/u.test(character) && character !== ' ' ? codeText(character) : character),
  );
  return `"${characters.join('')}"`;
}

function codeText(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** Bytes that are no text in UTF-8 stand by themselves. */
function quotedBytes(bytes: Uint8Array): string {
  const replaced = Array.from(Buffer.from(bytes).toString('latin1').matchAll(UTF_8), ([part]) => {
    const text = Buffer.from(part, 'latin1');
    return part.length === 1 && part > '\x7f' ? `\\x${text.toString('hex')}` : quoted(text.toString()).slice(1, -1);
  });
  return `"${replaced.join('')}"`;
}

/** A character in UTF-8, or a byte, of a text whose characters are bytes. */
const UTF_8 =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\s\S]/g;
