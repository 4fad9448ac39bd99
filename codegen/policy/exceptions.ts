/** Applies reviewed exceptions to findings, and finds exceptions that excuse nothing any more. */
import { compareReleases } from '../model/lifespan.ts';
import { EXCEPTIONS_FILE, type PolicyException } from '../read/exceptions-file.ts';
import type { Finding } from './finding.ts';
import { policyCodes } from './policy-codes.ts';

/** Codes of findings that only trying conversions gives. Where that is impossible, nobody knows whether an exception to them is needed. */
const OF_CONVERSIONS = /^CP20\d$/;

/** A finding with the exception that excuses it. */
export interface ExcusedFinding {
  readonly finding: Finding;
  readonly exception: PolicyException;
}

/** Findings, parted by exceptions. */
export interface Judged {
  /** The findings that are not excused, with those about the exceptions themselves. */
  readonly findings: readonly Finding[];
  readonly excused: readonly ExcusedFinding[];
  /** Elements of exceptions that excuse nothing here, but may be for a change since a release that is not known. */
  readonly unused: readonly string[];
}

/**
 * @param current the release of the later state
 * @param knowsRelease whether the earlier state is a release; otherwise it may already have the change for which an exception is there
 */
export function judge(
  findings: readonly Finding[],
  exceptions: readonly PolicyException[],
  { current, knowsRelease }: { current: string; knowsRelease: boolean },
): Judged {
  const used = new Set<string>();
  const left: Finding[] = [];
  const excused: ExcusedFinding[] = [];
  for (const finding of findings) {
    const meant = exceptions.flatMap((exception, index) =>
      exception.code === finding.code
        ? exception.elements.filter((element) => isMeant(element, finding)).map((element) => ({ exception, index, element }))
        : [],
    );
    for (const { index, element } of meant) used.add(`${index} ${element}`);
    const lasting = meant.find(({ exception }) => compareReleases(finding.through, exception.until) < 0);
    if (lasting !== undefined) excused.push({ finding, exception: lasting.exception });
    else {
      left.push(finding);
      for (const { exception, index } of meant.slice(-1))
        left.push(
          aboutException(
            'CP002',
            index,
            `${exception.code} of ${finding.element}`,
            `until ${exception.until}`,
            `${finding.element} has it in ${finding.through}`,
            current,
          ),
        );
    }
  }
  const unused: string[] = [];
  const areConversionsTried = !findings.some(({ code }) => code === 'CP200');
  for (const [index, { code, elements, until }] of exceptions.entries())
    for (const element of elements) {
      if (used.has(`${index} ${element}`) || (!areConversionsTried && OF_CONVERSIONS.test(code))) continue;
      if (!knowsRelease && compareReleases(until, current) > 0) unused.push(`${code} of ${element}`);
      else left.push(aboutException('CP003', index, `${code} of ${element}`, 'an exception', 'there is no such finding', current));
    }
  return { findings: left, excused, unused };
}

function isMeant(element: string, { element: found }: Finding): boolean {
  return element.endsWith('*') ? found.startsWith(element.slice(0, -1)) : found === element;
}

function aboutException(
  code: 'CP001' | 'CP002' | 'CP003',
  index: number,
  element: string,
  was: string,
  is: string,
  release: string,
): Finding {
  const { title, remedy, severity } = policyCodes[code];
  return {
    code,
    rule: undefined,
    severity,
    title,
    element: `exception ${element}`,
    file: EXCEPTIONS_FILE,
    path: String(index),
    was,
    is,
    remedy,
    release,
    through: release,
  };
}

/** @returns a finding for each problem of the file's form */
export function malformedExceptions(problems: readonly string[], release: string): Finding[] {
  return problems.map((problem) =>
    aboutException('CP001', 0, problem, 'a list of code, elements, reason and until', 'something else', release),
  );
}
