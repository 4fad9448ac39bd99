/** Checks rules 9 and 10: feature gates. */
import { compareReleases } from '../../model/lifespan.ts';
import type { FeatureGate, FeatureGateStage } from '../../model/model.ts';
import { FEATURE_GATES_FILE } from '../../model/tables.ts';
import type { Violation } from '../finding.ts';
import type { PolicyCode } from '../policy-codes.ts';
import type { Span } from '../release-calendar.ts';
import type { TablesStep } from './tables-step.ts';

/** How long a gate stays after the stage that announces its end: after GA, and after a deprecation from Beta. */
const AFTER_GA: Span = { releases: 2, months: 6 };
const AFTER_BETA: Span = { releases: 1, months: 3 };

const ORDER = ['Alpha', 'Beta', 'GA'];
/** Only a removal follows these. */
const ENDING: ReadonlySet<FeatureGateStage['stage']> = new Set(['Deprecated', 'Removed']);

type Tell = (code: PolicyCode, what: Pick<Violation, 'was' | 'is'> & Partial<Violation>) => void;

/** Checks the gates of one state by itself. */
export function checkFeatureGates({ after: { featureGates }, release, report }: Pick<TablesStep, 'after' | 'release' | 'report'>): void {
  for (const { name, stages } of featureGates)
    stages.forEach((stage, index) => {
      const tell = tellOf(name, index, stage.release, report.violation);
      const before = stages[index - 1];
      if (before !== undefined) checkOrder(before, stage, tell);
      // The last stage lasts up to the current release.
      const through = stages[index + 1] === undefined ? release : stage.release;
      checkDefault(stage, through, tell);
      if (stage.stage === 'GA' && stage.locked !== true)
        tell('CP1001', { was: `GA in ${stage.release}, so it has no effect`, is: 'can be turned off', through });
      if (before?.locked === true && stage.locked !== true && stage.stage === before.stage)
        tell('CP1001', { was: 'locked', is: `can be turned since ${stage.release}` });
    });
}

function tellOf(name: string, index: number | undefined, release: string, report: TablesStep['report']['violation']): Tell {
  const path = index === undefined ? name : `${name}.${index}`;
  return (code, what) => report(code, { element: `feature gate ${name}`, at: { file: FEATURE_GATES_FILE, path }, release, ...what });
}

/** What is alpha must be asked for, and everybody has what is stable. What is beta may be on or off. */
function checkDefault({ stage, release, default: on }: FeatureGateStage, through: string, tell: Tell): void {
  if (stage === 'Alpha' && on) tell('CP904', { was: `Alpha in ${release}`, is: 'on by default', through });
  if (stage === 'GA' && !on) tell('CP904', { was: `GA in ${release}`, is: 'off by default', through });
}

function checkOrder(before: FeatureGateStage, after: FeatureGateStage, tell: Tell): void {
  const [was, is] = [ORDER.indexOf(before.stage), ORDER.indexOf(after.stage)];
  if (after.stage === 'Removed') return;
  const back = ENDING.has(before.stage) ? after.stage !== before.stage : is >= 0 && is < was;
  if (back) tell('CP902', { was: `${before.stage} in ${before.release}`, is: `${after.stage} in ${after.release}` });
}

export function compareFeatureGates(step: TablesStep): void {
  const then = step.before.featureGates.filter(isThere);
  const now = new Map(step.after.featureGates.filter(isThere).map((gate) => [gate.name, gate]));
  for (const gate of then) {
    const after = now.get(gate.name);
    if (after === undefined) checkEnd(step, gate);
    else compareStages(step, gate, after);
  }
  const known = new Set(then.map(({ name }) => name));
  for (const gate of now.values()) if (!known.has(gate.name)) checkNew(step, gate);
}

/** Whether it has not been removed. */
function isThere({ stages }: FeatureGate): boolean {
  return stages.at(-1)?.stage !== 'Removed';
}

/** A gate that did not exist before cannot have been announced as deprecated. */
function checkNew({ isOut, release, report }: TablesStep, { name, stages }: FeatureGate): void {
  const announced = announcedEnd(stages);
  if (announced === undefined || !isOut(announced.since)) return;
  const { stage } = stages.at(-1) as FeatureGateStage;
  tellOf(
    name,
    undefined,
    release,
    report.violation,
  )('CP903', {
    was: 'not there',
    is: `${stage} since ${announced.since}`,
    remedy: 'Let its end begin in a release that has the gate.',
  });
}

function checkEnd({ calendar, release, report }: TablesStep, { name, stages }: FeatureGate): void {
  const tell = tellOf(name, undefined, release, report.violation);
  const known = stages.filter((stage) => compareReleases(stage.release, release) < 0);
  const last = known.at(-1);
  if (last === undefined || last.stage === 'Alpha')
    return report.allowed({ element: `feature gate ${name}`, title: 'feature gate is gone', why: 'alpha', release });
  const announced = announcedEnd(known);
  if (announced === undefined) return tell('CP901', { was: `${last.stage}, not deprecated`, is: 'not there' });
  const { since, span } = announced;
  if (calendar.isAtLeast(since, release, span))
    return report.allowed({ element: `feature gate ${name}`, title: 'feature gate is gone', why: 'removed in time', release });
  tell('CP901', {
    was: `${last.stage} since ${calendar.named(since)}`,
    is: 'not there',
    remedy: `Keep the gate until ${calendar.whenPassed(since, span)}.`,
  });
}

/** @returns the release in which the last stage of the gate announced its end, and how long the gate stays from then on; undefined if no end is announced */
function announcedEnd(stages: readonly FeatureGateStage[]): { since: string; span: Span } | undefined {
  const last = stages.at(-1) as FeatureGateStage;
  if (last.stage !== 'GA' && last.stage !== 'Deprecated') return undefined;
  const first = stages.find(({ stage }) => stage === last.stage) as FeatureGateStage;
  const before = stages[stages.indexOf(first) - 1]?.stage;
  if (last.stage === 'GA') return { since: first.release, span: AFTER_GA };
  return { since: first.release, span: before === 'Alpha' ? { releases: 0, months: 0 } : before === 'GA' ? AFTER_GA : AFTER_BETA };
}

/** The stages of releases that are out must stay as they were. */
function compareStages({ isOut, release, report }: TablesStep, before: FeatureGate, after: FeatureGate): void {
  const tell = tellOf(before.name, undefined, release, report.violation);
  const text = ({ release: since, stage, default: on, locked }: FeatureGateStage): string =>
    `${since} ${stage}, ${on ? 'on' : 'off'}${locked ? ', locked' : ''}`;
  const out = ({ stages }: FeatureGate): string =>
    stages
      .filter((stage) => isOut(stage.release))
      .map(text)
      .join('; ');
  const [was, is] = [out(before), out(after)];
  if (was !== is) tell('CP903', { was: was === '' ? 'not there' : was, is: is === '' ? 'not there' : is });
}
