/** Prints the findings of the policy check for people, for CI and for programs. */

import type { PolicyOutcome } from '../policy/check-policy.ts';
import type { Finding } from '../policy/finding.ts';

/** A finding with its line, counted from 1; undefined if the file is not there. */
export type PlacedFinding = Finding & { readonly line: number | undefined };

/** What all forms of the report are made of. */
export interface PolicyReportParts {
  readonly outcome: PolicyOutcome;
  readonly place: (finding: Finding) => PlacedFinding;
  /** Sentences for people about what was done. */
  readonly notes: readonly string[];
}

/** Whether the check has failed: warnings alone do not make it fail. */
export function isFailure({ findings }: Pick<PolicyOutcome, 'findings'>): boolean {
  return findings.some(({ severity }) => severity === 'error');
}

/** @param width greatest number of characters in a line, which only longer words exceed */
export function textReport({ outcome, place, notes }: PolicyReportParts, width: number): string {
  const { findings, excused, allowed } = outcome;
  const blocks = findings.map((finding) => textOf(place(finding), width));
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const counts = [
    count(errors, 'violation'),
    count(findings.length - errors, 'warning'),
    `${excused.length} excused`,
    `${count(allowed.length, 'change')} allowed`,
  ];
  return [...blocks, ...notes.map((note) => wrap(note, width, '')), `${counts.join(', ')}.`].join('\n');
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function textOf({ file, line, severity, code, rule, element, title, was, is, remedy }: PlacedFinding, width: number): string {
  const head = `${file}${line === undefined ? '' : `:${line}`}: ${severity} ${code}${rule === undefined ? '' : ` (rule ${rule})`}`;
  const rows: [string, string][] = [
    ['was', was],
    ['is', is],
    ['do', remedy],
  ];
  return [
    head,
    wrap(`${element}: ${title}`, width, '  '),
    ...rows.map(([name, text]) => wrap(text, width, '       ', `  ${name.padEnd(5)}`)),
    '',
  ].join('\n');
}

/** Breaks lines between words; a word that is longer than a line stays whole. */
function wrap(text: string, width: number, indent: string, first = indent): string {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].join('\n');
}

/** @returns commands of a workflow, which GitHub shows beside the lines of a change */
export function annotations({ outcome, place }: PolicyReportParts): string {
  return outcome.findings
    .map(place)
    .map(({ file, line, severity, code, rule, element, title, was, is, remedy }) => {
      const head = `${code}${rule === undefined ? '' : ` (rule ${rule})`} ${title}`;
      const at = [`file=${property(file)}`, ...(line === undefined ? [] : [`line=${line}`]), `title=${property(head)}`];
      return `::${severity} ${at.join(',')}::${message(`${element}: was ${was}; is ${is}. ${remedy}`)}`;
    })
    .join('\n');
}

function message(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return message(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** The report for programs, with all findings, excused and allowed ones included. */
export function jsonReport(
  { outcome, place, notes }: PolicyReportParts,
  about: { readonly against: string | null; readonly release: string | null },
): string {
  const { findings, excused, allowed, unused } = outcome;
  const report = {
    ...about,
    findings: findings.map(place),
    excused: excused.map(({ finding, exception: { reason, until } }) => ({ ...place(finding), exception: { reason, until } })),
    allowed,
    unusedExceptions: unused,
    notes,
  };
  return JSON.stringify(report, undefined, 2);
}
