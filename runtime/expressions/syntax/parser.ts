import { codePoints, type Finding, SyntaxErrors } from './finding.ts';
import { tokenize } from './lexer.ts';
import type { MacroTable } from './macro-table.ts';
import type { ParsedExpression } from './node.ts';
import { NodeBuilder } from './node-builder.ts';
import { NotParsed, OnePassParser } from './one-pass-parser.ts';
import { type RecoveryLimits, syntaxFindings } from './recovery/syntax-findings.ts';
import type { Tokens } from './tokens.ts';

export interface ParseOptions {
  readonly macros: MacroTable;
  /** whether `a.?b`, `a[?b]`, `[?x]`, `{?k: v}` and `T{?f: v}` are accepted */
  readonly optionalSyntax: boolean;
  /** whether fields may be named in backquotes, which 1.32 does not support; default: false */
  readonly quotedNames?: boolean;
  /** limit of code points; default: 100,000 */
  readonly maxLength?: number;
  readonly limits?: Partial<RecoveryLimits>;
}

/** The limits of 1.32. */
const MAX_LENGTH = 100_000;
const LIMITS: RecoveryLimits = { maxDepth: 250, maxRecoveries: 30, maxSkippedTokens: 256 };

/** The time is linear in the length of the text. @throws SyntaxErrors */
export function parse(source: string, options: ParseOptions): ParsedExpression {
  const { maxLength = MAX_LENGTH } = options;
  const length = source.length > maxLength ? codePoints(source, 0, source.length) : source.length;
  if (length > maxLength) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${maxLength}`;
    throw new SyntaxErrors(source, [{ at: undefined, message }]);
  }
  const tokens = tokenize(source, options.quotedNames === true);
  const limits = { ...LIMITS, ...options.limits };
  const parsed = tokens.findings.length === 0 ? parsedAtOnce(tokens, options, limits) : undefined;
  if (parsed !== undefined) return parsed;
  throw new SyntaxErrors(source, findingsOf(tokens, options, limits));
}

/** @returns undefined if the text has an error */
function parsedAtOnce(tokens: Tokens, options: ParseOptions, { maxDepth }: RecoveryLimits): ParsedExpression | undefined {
  const builder = new NodeBuilder(options.macros, options.optionalSyntax, () => {
    throw new NotParsed();
  });
  try {
    const root = new OnePassParser(tokens, builder, maxDepth).whole();
    return { source: tokens.source, root, ids: builder.ids };
  } catch (error) {
    if (error instanceof NotParsed) return undefined;
    throw error;
  }
}

/** Parses the text again with a parser that continues after errors, in order to find all of them. */
function findingsOf(tokens: Tokens, options: ParseOptions, limits: RecoveryLimits): Finding[] {
  const findings: Finding[] = [];
  const report = (at: number | undefined, message: string) => findings.push({ at, message });
  const builder = new NodeBuilder(options.macros, options.optionalSyntax, report);
  syntaxFindings({ tokens, builder, limits, quotedNames: options.quotedNames === true, report });
  return findings;
}
