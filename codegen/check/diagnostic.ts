/** Problems of the schemas, for the person who edits them. All of them are collected and reported together. */
import { type DiagnosticCode, diagnosticCodes, type Severity } from './codes.ts';

/** One problem, with its place and its remedy. */
export interface Diagnostic {
  /** Means the same in every release of the generator. */
  readonly code: DiagnosticCode;
  /** Path from the root of the tree, with slashes. */
  readonly file: string;
  /** Place in the file, such as `components.schemas.PodSpec.properties.hostname`; empty for the file as a whole. */
  readonly path: string;
  readonly problem: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** Takes one diagnostic. The steps of the generator report through it, so that they can go on after a problem. */
export type Report = (code: DiagnosticCode, at: { file: string; path: string }, problem: string, remedy?: string) => void;

/** Collects diagnostics. Every step of the generator reports to one such list. */
export class DiagnosticList {
  readonly #all: Diagnostic[] = [];

  readonly report: Report = (code, { file, path }, problem, remedy = diagnosticCodes[code].remedy) => {
    this.#all.push({ code, file, path, problem, remedy });
  };

  /** Sorted by file, and within a file in the order in which they were found; each is there once. */
  get all(): readonly Diagnostic[] {
    const seen = new Set<string>();
    return this.#all
      .filter((diagnostic) => {
        const key = JSON.stringify(diagnostic);
        return !seen.has(key) && seen.add(key);
      })
      .sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  }

  get errors(): readonly Diagnostic[] {
    return this.all.filter((diagnostic) => severityOf(diagnostic) === 'error');
  }

  get warnings(): readonly Diagnostic[] {
    return this.all.filter((diagnostic) => severityOf(diagnostic) === 'warning');
  }
}

export function severityOf(diagnostic: Diagnostic): Severity {
  return diagnosticCodes[diagnostic.code].severity;
}

/** @returns one diagnostic as lines of text */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const where = diagnostic.path === '' ? diagnostic.file : `${diagnostic.file} ${diagnostic.path}`;
  return `${severityOf(diagnostic)} ${diagnostic.code} ${where}\n  ${diagnostic.problem}\n  ${diagnostic.remedy}`;
}
