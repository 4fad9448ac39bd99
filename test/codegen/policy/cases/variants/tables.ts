/** Flags, feature gates, metrics and behaviours. */
import { flagNamed, setTable } from '../../states.ts';
import { row, type ViolationRow } from '../row.ts';
import { both, dates, flag, metric, withoutFlag, withoutMetric } from './edits.ts';
import type { Variants } from './variants.ts';

const ofFlags: readonly ViolationRow[] = [
  row(
    '5a: a beta flag of users that is not deprecated',
    ['CP501', '5a', 'flag said'],
    withoutFlag('said'),
    flag('said', { stability: 'beta' }),
  ),
  row(
    '5a: a flag of users two releases after its deprecation, which follow fast',
    ['CP501', '5a', 'flag said-old'],
    withoutFlag('said-old'),
    dates({ '1.33': '2025-02-23' }),
  ),
  row(
    '5a: a flag of users a year after its deprecation, in which one release came',
    ['CP501', '5a', 'flag said-old'],
    withoutFlag('said-old'),
    both(
      flag('said-old', { deprecated: { release: '1.32', warning: 'use --said' } }),
      dates({ '1.33': '2026-01-23', '1.34': '2026-08-27', '1.35': '2026-12-17' }),
    ),
  ),
  row(
    '5b: a flag a release after its deprecation, five months later',
    ['CP501', '5b', 'flag recent'],
    withoutFlag('recent'),
    dates({ '1.33': '2025-05-10' }),
  ),
  row(
    '5b: a flag that goes in the release that deprecates it',
    ['CP501', '5b', 'flag level'],
    withoutFlag('level'),
    flag('level', { deprecated: { release: '1.33', warning: 'use --mode' } }),
  ),
  row(
    '5b: a beta flag two months after its deprecation',
    ['CP501', '5b', 'flag trial'],
    withoutFlag('trial'),
    both(flag('trial', { deprecated: { release: '1.32', warning: 'x' } }), dates({ '1.33': '2025-02-10' })),
  ),
  row('5a: a value of users', ['CP502', '5a', 'flag said values'], flag('said', { values: ['a'] })),
  row(
    '5b: limits of durations that are narrower',
    [
      ['CP502', '5b', 'flag wait minimum'],
      ['CP502', '5b', 'flag wait maximum'],
    ],
    flag('wait', { minimum: '1500ms', maximum: '1m' }),
    (f) =>
      setTable(f, 'flags', (table) =>
        table.flags.push({
          ...flagNamed(table, 'level'),
          name: 'wait',
          short: undefined,
          type: 'duration',
          minimum: '1s',
          maximum: '1m30s',
          default: '2s',
        }),
      ),
  ),
  row(
    '5b: keys that need a value',
    ['CP502', '5b', 'flag any-mode keys without a value'],
    flag('any-mode', { bareKeys: undefined }),
    flag('any-mode', { type: 'map', bareKeys: true }),
  ),
  row(
    '5a: a flag of users that is one of administrators',
    ['CP505', '5a', 'flag said audience'],
    flag('said', { audience: 'administrators' }),
  ),
  row(
    '5c: a beta flag whose replacement is alpha',
    ['CP503', '5c', 'flag trial'],
    flag('trial', { deprecated: { release: '1.33', warning: 'use --dream', replacement: 'dream' } }),
  ),
  row(
    '6: a deprecated beta flag that says nothing',
    ['CP601', '6', 'flag trial'],
    flag('trial', { deprecated: { release: '1.33', replacement: 'level' } }),
  ),
  row('7: no default any more', ['CP702', '7', 'flag level default'], flag('level', { default: undefined })),
  row(
    '7: a default that was announced eleven months ago',
    ['CP702', '7', 'flag mode default'],
    flag('mode', { default: 'fast' }),
    both((f) => setTable(f, 'behaviours', (table) => (table.playsAtNight.deprecated = '1.30')), dates({ '1.33': '2025-03-16' })),
  ),
];

const ofGates: readonly ViolationRow[] = [
  row(
    '9: a GA gate two releases later, which follow fast',
    ['CP901', '9', 'feature gate ToyGa'],
    (f) => delete f.featureGates.ToyGa,
    both((f) => (f.featureGates.ToyGa[1].release = '1.31'), dates({ '1.31': '2024-11-13', '1.33': '2025-04-23' })),
  ),
  row(
    '9: a GA gate eight months later, in which one release came',
    ['CP901', '9', 'feature gate ToyGa'],
    (f) => delete f.featureGates.ToyGa,
    dates({ '1.33': '2025-08-23' }),
  ),
  row(
    '9: a beta gate that is deprecated and goes at once',
    ['CP901', '9', 'feature gate ToyEnding'],
    (f) => delete f.featureGates.ToyEnding,
    (f) => (f.featureGates.ToyEnding[1].release = '1.33'),
  ),
  row(
    '9: an alpha stage after a beta one',
    ['CP902', '9', 'feature gate ToyEnding'],
    (f) =>
      (f.featureGates.ToyEnding = [
        { release: '1.28', stage: 'Beta', default: true },
        { release: '1.33', stage: 'Alpha', default: false },
      ]),
    (f) => (f.featureGates.ToyEnding = [{ release: '1.28', stage: 'Beta', default: true }]),
  ),
  row(
    '10: a GA gate without a lock in the last release',
    ['CP1001', '10', 'feature gate ToyGa'],
    (f) => delete f.featureGates.ToyGa[1].locked,
    (f) => (f.featureGates.ToyGa[1].release = '1.33'),
  ),
];

const ofMetrics: readonly ViolationRow[] = [
  row('11a: a metric of another name', [['CP1101', '11b', 'metric toys_total']], (f) =>
    setTable(f, 'metrics', (table) => {
      table.toys_count = table.toys_total;
      delete table.toys_total;
    }),
  ),
  row(
    '11a: a label of another name',
    [
      ['CP1102', '11a', 'metric toys_total label colour'],
      ['CP1102', '11a', 'metric toys_total label color'],
    ],
    metric('toys_total', { labels: ['color'] }),
  ),
  row('11a: a beta metric of another type', ['CP1102', '11a', 'metric toys_beta_total type'], metric('toys_beta_total', { type: 'gauge' })),
  row(
    '11a: a beta metric that is alpha',
    ['CP1103', '11a', 'metric toys_beta_total'],
    metric('toys_beta_total', { stability: 'ALPHA', since: undefined }),
  ),
  row(
    '11a: a metric that is said to have been stable for longer',
    ['CP1106', '11a', 'metric toys_beta_young_total'],
    metric('toys_beta_young_total', { since: '1.20' }),
  ),
  row(
    '11b: a stable metric that is deprecated and goes at once',
    ['CP1101', '11b', 'metric toys_total'],
    withoutMetric('toys_total'),
    metric('toys_total', { deprecated: '1.33' }),
  ),
  row(
    '11b: a beta metric that is deprecated and goes at once',
    ['CP1101', '11b', 'metric toys_beta_total'],
    withoutMetric('toys_beta_total'),
    metric('toys_beta_total', { deprecated: '1.33' }),
  ),
];

const ofBehaviours: readonly ViolationRow[] = [
  row('8: a stable behaviour that a beta one replaces', ['CP801', '8', 'behaviour playsAloud'], (f) =>
    setTable(f, 'behaviours', (table) => {
      table.playsSoftly = { description: 'Toys play softly.', stability: 'beta' };
      Object.assign(table.playsAloud, { deprecated: '1.33', replacement: 'playsSoftly' });
    }),
  ),
  row('7: a behaviour that was announced two releases ago', ['CP701', '7', 'behaviour playsAlone'], (f) =>
    setTable(f, 'behaviours', (table) => delete table.playsAlone),
  ),
];

const allowed: Variants['allowed'] = [
  { name: '5a: an alpha flag of users', edit: withoutFlag('said'), earlier: flag('said', { stability: 'alpha' }) },
  {
    name: '5a: a beta flag of users three months after its deprecation',
    edit: withoutFlag('said-old'),
    earlier: flag('said-old', { stability: 'beta', deprecated: { release: '1.32', warning: 'x' } }),
  },
  {
    name: '5a: a flag of users a year and two releases after its deprecation',
    edit: withoutFlag('said-old'),
    earlier: dates({ '1.33': '2025-08-13' }),
  },
  { name: '5b: a flag six months to the day after its deprecation', edit: withoutFlag('recent'), earlier: dates({ '1.33': '2025-06-11' }) },
  { name: '5b: a flag that is more stable', edit: flag('trial', { stability: 'stable' }) },
  {
    name: '5c: a flag whose replacement is as stable',
    edit: flag('trial', { deprecated: { release: '1.33', warning: 'use --level', replacement: 'level' } }),
  },
  { name: '5: a flag of administrators that users have too', edit: flag('level', { audience: 'users' }) },
  {
    name: '5b: limits of durations that are wider',
    edit: flag('wait', { minimum: '500ms', maximum: '2m' }),
    earlier: (f) =>
      setTable(f, 'flags', (table) =>
        table.flags.push({
          ...flagNamed(table, 'level'),
          name: 'wait',
          short: undefined,
          type: 'duration',
          minimum: '1s',
          maximum: '1m30s',
          default: '2s',
        }),
      ),
  },
  {
    name: '6: other words of a warning',
    edit: flag('old', { deprecated: { release: '1.30', warning: 'use --mode, which is better', replacement: 'mode' } }),
  },
  { name: '7: a behaviour that is announced', edit: (f) => setTable(f, 'behaviours', (table) => (table.playsAloud.deprecated = '1.33')) },
  {
    name: '7: a behaviour that is new',
    edit: (f) => setTable(f, 'behaviours', (table) => (table.playsSoftly = { description: 'Toys play softly.' })),
  },
  {
    name: '7: a default that was announced a year ago to the day',
    edit: flag('mode', { default: 'fast' }),
    earlier: both((f) => setTable(f, 'behaviours', (table) => (table.playsAtNight.deprecated = '1.30')), dates({ '1.33': '2025-04-17' })),
  },
  {
    name: '8: a behaviour that is more stable',
    edit: (f) => setTable(f, 'behaviours', (table) => (table.playsBackwards.stability = 'beta')),
  },
  {
    name: '9: an alpha gate that is beta and on, and one that is gone',
    edit: (f) => {
      f.featureGates.ToyParts.push({ release: '1.33', stage: 'Beta', default: true });
      delete f.featureGates.ToyTried;
    },
  },
  {
    name: '9: a beta gate that is off, of nothing',
    edit: (f) =>
      f.featureGates.ToyEndingLate.splice(
        0,
        2,
        { release: '1.28', stage: 'Beta', default: true },
        { release: '1.33', stage: 'Beta', default: false },
      ),
  },
  {
    name: '9: an alpha gate that is deprecated',
    edit: (f) => f.featureGates.ToyYoung.push({ release: '1.33', stage: 'Deprecated', default: false }),
    earlier: (f) => (f.featureGates.ToyYoung = [{ release: '1.31', stage: 'Alpha', default: false }]),
  },
  {
    name: '9: a GA gate six months and two releases later',
    edit: (f) => delete f.featureGates.ToyGa,
    earlier: (f) => (f.featureGates.ToyGa[1].release = '1.31'),
  },
  {
    name: '10: a gate that is locked when it is deprecated',
    edit: (f) => f.featureGates.ToyEnding.push({ release: '1.33', stage: 'Deprecated', default: false, locked: true }),
  },
  {
    name: '11a: a bucket of a beta histogram',
    edit: metric('toys_seconds', { buckets: [1, 2, 3] }),
    earlier: metric('toys_seconds', { stability: 'BETA' }),
  },
  {
    name: '11a: other words, and a metric that is new',
    edit: both(metric('toys_total', { help: 'Others.' }), (f) =>
      setTable(f, 'metrics', (table) => (table.toys_fresh = { type: 'gauge', stability: 'ALPHA', help: 'Fresh.' })),
    ),
  },
  { name: '11a: an alpha metric that is stable', edit: metric('toys_alpha', { stability: 'STABLE', since: '1.33' }) },
  { name: '11b: a deprecation that is taken back', edit: metric('toys_going_total', { deprecated: undefined }) },
];

export const tables: Variants = { violations: [...ofFlags, ...ofGates, ...ofMetrics, ...ofBehaviours], allowed };
