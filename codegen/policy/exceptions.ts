/** Findings that reviewed exceptions excuse, and exceptions that excuse nothing any more. */
import { compareReleases } from '../model/lifespan.ts';
import { EXCEPTIONS_FILE, type PolicyException } from '../read/exceptions-file.ts';
import type { Finding } from './finding.ts';
import { policyCodes } from './policy-codes.ts';

/** Nobody knows whether an exception to these is for anything when conversions cannot be tried. */
const OF_CONVERSIONS = /^CP20\d$/;

export interface ExcusedFinding {
  readonly finding: Finding;
  readonly exception: PolicyException;
}

export interface Judged {
  /** what is left, with what is wrong of the exceptions themselves */
  readonly findings: readonly Finding[];
  readonly excused: readonly ExcusedFinding[];
  /** elements of exceptions that may be for a change since a release that nobody knows */
  readonly unused: readonly string[];
}

/**
 * @param current the release of the later state
 * @param knowsRelease whether the earlier state is a release; otherwise an exception may be for a change that it has already
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

export function malformedExceptions(problems: readonly string[], release: string): Finding[] {
  return problems.map((problem) =>
    aboutException('CP001', 0, problem, 'a list of code, elements, reason and until', 'something else', release),
  );
}
