/** Rules 5a to 11b: flags, behaviours, feature gates, metrics. */
import type { Json } from '../../tree.ts';
import { type Edit, flagNamed, setTable } from '../states.ts';
import { row, type ViolationRow } from './row.ts';

const flag =
  (name: string, change: object): Edit =>
  (f) =>
    setTable(f, 'flags', (table) => Object.assign(flagNamed(table, name), change));
const withoutFlag =
  (name: string): Edit =>
  (f) =>
    setTable(f, 'flags', (table) => table.flags.splice(table.flags.indexOf(flagNamed(table, name)), 1));

const flags: readonly ViolationRow[] = [
  row('5a: a flag of users that is not deprecated', ['CP501', '5a', 'flag said'], withoutFlag('said')),
  row('5a: a flag of users less than a year after its deprecation', ['CP501', '5a', 'flag said-old'], withoutFlag('said-old')),
  row(
    '5a: a beta flag of users in the release after its deprecation, which follows fast',
    ['CP501', '5a', 'flag said-old'],
    withoutFlag('said-old'),
    (f) => {
      flag('said-old', { stability: 'beta' })(f);
      Object.assign(f.releases.releases, { '1.31': '2025-02-01', '1.32': '2025-03-01' });
    },
  ),
  row('5b: a flag that is not deprecated', ['CP501', '5b', 'flag level'], withoutFlag('level')),
  row('5b: a flag less than six months after its deprecation', ['CP501', '5b', 'flag recent'], withoutFlag('recent')),
  row('5b: a flag of another name', ['CP501', '5b', 'flag level'], flag('level', { name: 'height' })),
  row('5b: a beta flag that is not deprecated', ['CP501', '5b', 'flag trial'], withoutFlag('trial')),
  row(
    '5b: a beta flag in the release after its deprecation, which follows fast',
    ['CP501', '5b', 'flag trial-old'],
    withoutFlag('trial-old'),
    (f) => {
      Object.assign(f.releases.releases, { '1.31': '2025-02-01', '1.32': '2025-03-01' });
    },
  ),
  row('5b: a flag that does nothing any more', ['CP501', '5b', 'flag level'], flag('level', { status: 'accepted' })),
  row('5b: a flag of another type', ['CP502', '5b', 'flag level type'], flag('level', { type: 'number' })),
  row('5b: a short form that is gone', ['CP502', '5b', 'flag level short form'], flag('level', { short: undefined })),
  row('5b: a value that is refused', ['CP502', '5b', 'flag mode value safe'], flag('mode', { values: ['fast'] })),
  row('5b: only some values', ['CP502', '5b', 'flag any-mode values'], flag('any-mode', { values: ['fast'] })),
  row('5b: a greater minimum', ['CP502', '5b', 'flag level minimum'], flag('level', { minimum: 2 })),
  row('5b: a smaller maximum', ['CP502', '5b', 'flag level maximum'], flag('level', { maximum: 8 })),
  row('5b: a flag that is less stable', ['CP505', '5b', 'flag level'], flag('level', { stability: 'beta' })),
  row(
    '5b: a deprecation that nobody announced then',
    ['CP504', '5b', 'flag level'],
    flag('level', { deprecated: { release: '1.31', warning: 'use --mode' } }),
  ),
  row('5b: a new flag whose deprecation nobody announced', ['CP504', '5b', 'flag fresh'], (f) =>
    setTable(f, 'flags', (table) =>
      table.flags.push({
        name: 'fresh',
        group: 'general',
        type: 'string',
        status: 'effective',
        help: 'Fresh.',
        deprecated: { release: '1.30', warning: 'use --mode' },
      }),
    ),
  ),
  row(
    '5b: a number that counts something else',
    ['CP502', '5b', 'flag level unit'],
    flag('level', { unit: 'hours' }),
    flag('level', { unit: 'seconds' }),
  ),
  row(
    '5c: a flag whose replacement is beta',
    ['CP503', '5c', 'flag level'],
    flag('level', { deprecated: { release: '1.33', warning: 'use --trial', replacement: 'trial' } }),
  ),
  row('6: a deprecated flag that says nothing', ['CP601', '6', 'flag level'], flag('level', { deprecated: { release: '1.33' } })),
  row('7: another default', ['CP702', '7', 'flag level default'], flag('level', { default: 4 })),
];

const behaviour =
  (name: string, change: object): Edit =>
  (f) =>
    setTable(f, 'behaviours', (table) => Object.assign(table[name], change));

const behaviours: readonly ViolationRow[] = [
  row('7: a behaviour that is not deprecated', ['CP701', '7', 'behaviour playsAloud'], behaviour('playsAloud', { removed: '1.33' })),
  row(
    '7: a behaviour less than a year after its announcement',
    ['CP701', '7', 'behaviour playsAlone'],
    behaviour('playsAlone', { removed: '1.33' }),
  ),
  row(
    '7: a behaviour that shall go too early',
    ['CP701', '7', 'behaviour playsAloud'],
    behaviour('playsAloud', { deprecated: '1.33', removed: '1.35' }),
  ),
  row('7: a behaviour that is no longer stated', ['CP701', '7', 'behaviour playsAloud'], (f) =>
    setTable(f, 'behaviours', (table) => {
      delete table.playsAloud;
      delete table.playsAlone.replacement;
    }),
  ),
  row('7: an announcement that nobody made then', ['CP703', '7', 'behaviour playsAloud'], behaviour('playsAloud', { deprecated: '1.31' })),
  row('7: a new behaviour whose end nobody announced', ['CP703', '7', 'behaviour playsFast'], (f) =>
    setTable(f, 'behaviours', (table) => (table.playsFast = { description: 'Toys play fast.', deprecated: '1.28', removed: '1.33' })),
  ),
  row(
    '7: another behaviour of a dialect',
    [['CP702', '7', 'behaviour yaml of cluster']],
    (f) => (f.identity.behaviour.yaml.cluster = 'changed'),
  ),
  row(
    '8: a replacement that is less stable',
    ['CP801', '8', 'behaviour playsAloud'],
    behaviour('playsAloud', { deprecated: '1.33', replacement: 'playsBackwards' }),
  ),
  row(
    '8: a behaviour that is less stable than before',
    ['CP801', '8', 'behaviour playsAtNight'],
    behaviour('playsAtNight', { stability: 'beta' }),
  ),
];

const gates: readonly ViolationRow[] = [
  row('9: a beta gate that is gone', ['CP901', '9', 'feature gate ToyTints'], (f) => {
    delete f.featureGates.ToyTints;
    for (const document of Object.values(f.openapi))
      delete (document as Json).components.schemas.ToySpec?.properties.tint['x-cluster-feature-gate'];
  }),
  row('9: a gate of the last release that is GA', ['CP901', '9', 'feature gate ToyGa'], (f) => delete f.featureGates.ToyGa),
  row(
    '9: a gate of the last release that is deprecated',
    ['CP901', '9', 'feature gate ToyEnding'],
    (f) => delete f.featureGates.ToyEnding,
    (f) => {
      f.featureGates.ToyEnding[1].release = '1.32';
      f.releases.releases['1.33'] = '2025-02-23';
    },
  ),
  row('9: a gate that shall be deprecated', ['CP901', '9', 'feature gate ToyEndingLate'], (f) => delete f.featureGates.ToyEndingLate),
  row('9: a gate that is said to be removed too early', ['CP901', '9', 'feature gate ToyEndingLate'], (f) =>
    f.featureGates.ToyEndingLate.push({ release: '1.33', stage: 'Removed', default: true }),
  ),
  row('9: a gate that goes back', ['CP902', '9', 'feature gate ToyTried'], (f) =>
    f.featureGates.ToyTried.push({ release: '1.33', stage: 'Beta', default: true }),
  ),
  row('9: a GA gate that is beta again', ['CP902', '9', 'feature gate ToyGa'], (f) =>
    f.featureGates.ToyGa.push({ release: '1.33', stage: 'Beta', default: true }),
  ),
  row('9: a stage that was not there', ['CP903', '9', 'feature gate ToyTints'], (f) =>
    f.featureGates.ToyTints.push({ release: '1.32', stage: 'GA', default: true, locked: true }),
  ),
  row(
    '9: a new gate whose end nobody announced',
    ['CP903', '9', 'feature gate ToyNew'],
    (f) =>
      (f.featureGates.ToyNew = [
        { release: '1.28', stage: 'Beta', default: true },
        { release: '1.30', stage: 'Deprecated', default: true },
      ]),
  ),
  row('9: an alpha gate that is on', ['CP904', '9', 'feature gate ToyParts'], (f) =>
    f.featureGates.ToyParts.push({ release: '1.33', stage: 'Alpha', default: true }),
  ),
  row(
    '9: a GA gate that is off',
    ['CP904', '9', 'feature gate ToyNew'],
    (f) => f.featureGates.ToyNew.push({ release: '1.33', stage: 'GA', default: false, locked: true }),
    (f) => (f.featureGates.ToyNew = [{ release: '1.32', stage: 'Beta', default: true }]),
  ),
  row('9: a stage that was another', ['CP903', '9', 'feature gate ToyOldGa'], (f) => (f.featureGates.ToyOldGa[0].default = false)),
  row('10: a GA gate that can be turned off', ['CP1001', '10', 'feature gate ToyTints'], (f) =>
    f.featureGates.ToyTints.push({ release: '1.33', stage: 'GA', default: true }),
  ),
  row(
    '10: a gate that can be turned again',
    [['CP1001', '10', 'feature gate ToyLocked']],
    (f) => f.featureGates.ToyLocked.push({ release: '1.33', stage: 'Deprecated', default: false }),
    (f) => {
      f.featureGates.ToyLocked = [{ release: '1.31', stage: 'Deprecated', default: false, locked: true }];
    },
  ),
];

const metric =
  (name: string, change: object): Edit =>
  (f) =>
    setTable(f, 'metrics', (table) => Object.assign(table[name], change));
const withoutMetric =
  (name: string): Edit =>
  (f) =>
    setTable(f, 'metrics', (table) => delete table[name]);

/** Releases that follow each other so fast that months count. */
const fast: Edit = (f) =>
  Object.assign(f.releases.releases, { '1.29': '2024-06-01', '1.30': '2024-08-01', '1.31': '2024-10-01', '1.32': '2024-12-11' });
const both =
  (...edits: readonly Edit[]): Edit =>
  (f) => {
    for (const edit of edits) edit(f);
  };

const metrics: readonly ViolationRow[] = [
  row(
    '11a: a stable metric four releases after it came, but not twelve months',
    ['CP1104', '11a', 'metric toys_going_total'],
    withoutMetric('toys_going_total'),
    both(fast, metric('toys_going_total', { since: '1.29', deprecated: '1.28' })),
  ),
  row(
    '11a: a beta metric two releases after it came, but not eight months',
    ['CP1104', '11a', 'metric toys_beta_old_total'],
    withoutMetric('toys_beta_old_total'),
    both(fast, metric('toys_beta_old_total', { since: '1.31', deprecated: '1.30' })),
  ),
  row(
    '11a: a beta metric eight months after it came, but not two releases',
    ['CP1104', '11a', 'metric toys_beta_old_total'],
    withoutMetric('toys_beta_old_total'),
    both(metric('toys_beta_old_total', { since: '1.32', deprecated: '1.30' }), (f) => (f.releases.releases['1.33'] = '2025-09-23')),
  ),
  row(
    '11b: a stable metric four releases after its deprecation, but not nine months before the release that hides it',
    ['CP1101', '11b', 'metric toys_going_total'],
    withoutMetric('toys_going_total'),
    both(fast, metric('toys_going_total', { deprecated: '1.29' })),
  ),
  row(
    '11b: a beta metric two releases after its deprecation, but not four months before the release that hides it',
    ['CP1101', '11b', 'metric toys_beta_old_total'],
    withoutMetric('toys_beta_old_total'),
    both(fast, metric('toys_beta_old_total', { deprecated: '1.31' })),
  ),
  row(
    '11a: a stable metric before its time',
    ['CP1104', '11a', 'metric toys_going_total'],
    withoutMetric('toys_going_total'),
    metric('toys_going_total', { since: '1.30', deprecated: '1.29' }),
  ),
  row(
    '11a: a beta metric before its time',
    [
      ['CP1104', '11a', 'metric toys_beta_young_total'],
      ['CP1101', '11b', 'metric toys_beta_young_total'],
    ],
    withoutMetric('toys_beta_young_total'),
  ),
  row('11a: another type', ['CP1102', '11a', 'metric toys_total type'], metric('toys_total', { type: 'gauge' })),
  row('11a: a label that is gone', ['CP1102', '11a', 'metric toys_total label colour'], metric('toys_total', { labels: undefined })),
  row(
    '11a: a label of a stable metric that is new',
    ['CP1102', '11a', 'metric toys_total label size'],
    metric('toys_total', { labels: ['colour', 'size'] }),
  ),
  row(
    '11a: a label of a beta metric that is gone',
    ['CP1102', '11a', 'metric toys_beta_total label colour'],
    metric('toys_beta_total', { labels: undefined }),
  ),
  row('11a: other buckets', ['CP1102', '11a', 'metric toys_seconds buckets'], metric('toys_seconds', { buckets: [1, 2, 3] })),
  row('11a: a metric that is less stable', ['CP1103', '11a', 'metric toys_total'], metric('toys_total', { stability: 'BETA' })),
  row('11b: a stable metric that is not deprecated', ['CP1101', '11b', 'metric toys_total'], withoutMetric('toys_total')),
  row(
    '11b: a stable metric two releases after its deprecation',
    ['CP1101', '11b', 'metric toys_going_total'],
    withoutMetric('toys_going_total'),
  ),
  row('11b: a stable metric in the release that hides it', ['CP1101', '11b', 'metric toys_old_total'], withoutMetric('toys_old_total')),
  row('11b: a beta metric that is not deprecated', ['CP1101', '11b', 'metric toys_beta_total'], withoutMetric('toys_beta_total')),
  row(
    '11b: a beta metric in the release that hides it',
    ['CP1101', '11b', 'metric toys_beta_going_total'],
    withoutMetric('toys_beta_going_total'),
  ),
  row(
    '11b: a metric that is hidden and still there',
    ['CP1105', '11b', 'metric toys_old_total'],
    () => {},
    metric('toys_old_total', { deprecated: '1.29' }),
  ),
  row('11b: a new metric whose deprecation nobody announced', ['CP1106', '11b', 'metric toys_new_total'], (f) =>
    setTable(
      f,
      'metrics',
      (table) => (table.toys_new_total = { type: 'counter', stability: 'STABLE', since: '1.32', help: 'Toys.', deprecated: '1.31' }),
    ),
  ),
  row(
    '11b: a deprecation that nobody announced then',
    ['CP1106', '11b', 'metric toys_total'],
    metric('toys_total', { deprecated: '1.31' }),
  ),
];

export const tableViolations: readonly ViolationRow[] = [...flags, ...behaviours, ...gates, ...metrics];
