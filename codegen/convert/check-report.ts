/** Prints the report of `convert --check`. */
import type { ManifestCheck, ManifestFinding } from './check-manifests.ts';
import { placeText } from './manifest-error.ts';

/** Whether the check has failed: deprecated objects alone do not make it fail. */
export function isFailed({ findings, errors }: ManifestCheck): boolean {
  return errors.length > 0 || findings.some(({ standing }) => standing !== 'deprecated');
}

/** The report for people. */
export function checkText(check: ManifestCheck, release: string): string {
  const lines = check.findings.map((finding) => `${placeText(finding.file, finding.line)}: ${sentence(finding, release)}`);
  return [...lines, summary(check, release)].join('\n');
}

function sentence(finding: ManifestFinding, release: string): string {
  const { document, apiVersion, object, standing, deprecatedIn, removedIn, introducedIn, replacement, advice } = finding;
  const how = {
    removed: removedIn === undefined ? 'is not served' : `is not served since ${removedIn}`,
    'not yet served': `is not served before ${introducedIn}`,
    deprecated: `is deprecated${deprecatedIn === undefined ? '' : ` since ${deprecatedIn}`}${removedIn === undefined ? '' : `, not served since ${removedIn}`}`,
  }[standing];
  const instead =
    replacement === undefined ? `; ${release} serves it in no other version` : `; use ${replacement.apiVersion} ${replacement.kind}`;
  return `document ${document}: ${apiVersion} ${object} ${how}${instead}.${advice === undefined ? '' : ` ${advice}`}`;
}

function summary({ findings, objects, files, unknown }: ManifestCheck, release: string): string {
  const count = (standing: ManifestFinding['standing']): number => findings.filter((each) => each.standing === standing).length;
  const early = count('not yet served');
  const parts = [
    `${count('removed')} not served any more`,
    ...(early > 0 ? [`${early} not yet`] : []),
    `${count('deprecated')} deprecated`,
  ];
  const others = [...unknown.values()].reduce((sum, each) => sum + each, 0);
  const passed =
    others === 0
      ? ''
      : ` ${others} of unknown kinds were passed over: ${[...unknown.keys()].slice(0, 5).join(', ')}${unknown.size > 5 ? ', …' : ''}.`;
  const counted = (number: number, name: string): string => `${number} ${name}${number === 1 ? '' : 's'}`;
  return `${counted(objects, 'object')} in ${counted(files, 'file')}, by release ${release}: ${parts.join(', ')}.${passed}`;
}

/** The report for programs: every finding has all members, with null for those that are absent. */
export function checkJson(check: ManifestCheck, release: string): string {
  const { findings, errors, objects, files, unknown } = check;
  return JSON.stringify(
    {
      release,
      failed: isFailed(check),
      files,
      objects,
      findings: findings.map((finding) => ({ ...blank, ...finding })),
      unknown: [...unknown].map(([kind, count]) => ({ kind, count })),
      errors: errors.map(({ file, line, problem }) => ({ file, line: line ?? null, problem })),
    },
    (_name, value) => (value === undefined ? null : value),
    2,
  );
}

const blank = { deprecatedIn: null, removedIn: null, introducedIn: null, replacement: null, advice: null };
