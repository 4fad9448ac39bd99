import type { NodeBuilder } from '../node-builder.ts';
import type { Tokens } from '../tokens.ts';
import { grammar } from './grammar.ts';
import { type Network, network } from './network.ts';
import { ReadingEnded, RecoveringParser, type RecoveryLimits } from './recovering-parser.ts';
import { TokenStream } from './token-stream.ts';
import { TreeReader } from './tree-reader.ts';

export type { RecoveryLimits };

export interface SyntaxFindingsOptions {
  readonly tokens: Tokens;
  /** also reports what the grammar accepts but the language refuses */
  readonly builder: NodeBuilder;
  readonly limits: RecoveryLimits;
  readonly quotedNames: boolean;
  readonly report: (at: number | undefined, message: string) => void;
}

/** The limit of reported syntax errors. */
const MAX_REPORTS = 100;

const networks = new Map<boolean, Network>();

function networkOf(quotedNames: boolean): Network {
  const known = networks.get(quotedNames) ?? network(grammar(quotedNames));
  networks.set(quotedNames, known);
  return known;
}

/** Reports all errors of a text; those of the grammar come first. */
export function syntaxFindings({ tokens, builder, limits, quotedNames, report }: SyntaxFindingsOptions): void {
  let reports = 0;
  const syntaxError = (at: number, message: string): void => {
    const isLast = reports++ === MAX_REPORTS;
    report(at, `Syntax error: ${isLast ? `More than ${MAX_REPORTS} syntax errors` : ofReservedField(message)}`);
    if (isLast) throw new ReadingEnded();
  };
  try {
    const stream = new TokenStream(tokens, (at, text) => syntaxError(at, `token recognition error at: '${text}'`));
    const tree = new RecoveringParser({ network: networkOf(quotedNames), stream, limits, report: syntaxError }).parse();
    new TreeReader(stream, builder, limits.maxDepth).read(tree);
  } catch (error) {
    if (!(error instanceof ReadingEnded)) throw error;
    if (error.message !== '') report(undefined, error.message);
  }
}

/** cel-go still has the message that an earlier grammar gave for these words. */
function ofReservedField(message: string): string {
  return message.replace(/no viable alternative at input '.(true|false|null)'/u, "mismatched input '$1' expecting IDENTIFIER");
}
