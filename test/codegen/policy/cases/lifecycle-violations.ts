/** Rules 3, 4a and 4b: when versions come, go, and take over. */
import { BETA, type Edit, lifecycleOf, schemasOf, toysOf, V1 } from '../states.ts';
import { row, type ViolationRow } from './row.ts';

const GROUP = 'toys.${groupDomain}';
const groupVersion = (f: Parameters<Edit>[0], folder: string) => f.openapi[folder]['x-cluster-group-version'];

/** Another version of the form of v1, which is converted to it. */
export function addVersion(f: Parameters<Edit>[0], version: string, lifecycle: object): void {
  const folder = `toys/${version}`;
  f.openapi[folder] = structuredClone(f.openapi[BETA]);
  Object.assign(groupVersion(f, folder), { version, package: `test.toys.${version}` });
  groupVersion(f, folder).enabledByDefault = !/alpha|beta/.test(version);
  f.proto[folder] = (f.proto[BETA] as string).replace('test.toys.v1beta1', `test.toys.${version}`);
  for (const name of ['Toy', 'ToyList']) schemasOf(f, folder)[name]['x-cluster-lifecycle'] = lifecycle;
  schemasOf(f, folder).Toy['x-cluster-conversion'].steps = [];
}

/** All that is stored of toys is stored in this version, which has their table. */
export function storeAs(f: Parameters<Edit>[0], version: string): void {
  let table: unknown;
  for (const folder of Object.keys(f.openapi).filter((each) => each.startsWith('toys/'))) {
    const { Toy } = schemasOf(f, folder);
    const { steps = [] } = Toy['x-cluster-conversion'] ?? {};
    table = Toy['x-cluster-table'] ?? table;
    delete Toy['x-cluster-table'];
    delete Toy['x-cluster-conversion'];
    toysOf(f, folder).storage = { version };
    if (folder !== `toys/${version}`) Toy['x-cluster-conversion'] = { to: { group: GROUP, version, kind: 'Toy' }, steps };
  }
  schemasOf(f, `toys/${version}`).Toy['x-cluster-table'] = table;
}

function setLifecycle(f: Parameters<Edit>[0], folder: string, lifecycle: object): void {
  for (const name of ['Toy', 'ToyList']) Object.assign(lifecycleOf(f, folder, name), lifecycle);
}

function replaceLifecycle(f: Parameters<Edit>[0], folder: string, lifecycle: object): void {
  for (const name of ['Toy', 'ToyList']) schemasOf(f, folder)[name]['x-cluster-lifecycle'] = lifecycle;
}

const of = (version: string) => ({ replacement: { group: GROUP, version, kind: 'Toy' } });

const replacements: readonly ViolationRow[] = [
  row(
    'a stable version whose replacement is beta',
    [['CP301', '3', 'toys/v1 Toy']],
    (f) => setLifecycle(f, V1, { deprecated: '1.33', ...of('v2beta1') }),
    (f) => addVersion(f, 'v2beta1', { introduced: '1.32' }),
  ),
  row(
    'a stable version that only a beta one can replace',
    ['CP301', '3', 'toys/v1 Toy'],
    (f) => setLifecycle(f, V1, { deprecated: '1.33' }),
    (f) => addVersion(f, 'v2beta1', { introduced: '1.32' }),
  ),
  row(
    'a beta version that only an alpha one can replace',
    ['CP301', '3', 'toys/v2beta1 Toy'],
    (f) => setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33' }),
    (f) => {
      addVersion(f, 'v2beta1', { introduced: '1.31' });
      // No other version is left that is as stable.
      for (const folder of [V1, BETA]) {
        delete f.openapi[folder];
        delete f.proto[folder];
      }
      storeAs(f, 'v2beta1');
    },
  ),
  row(
    'a replacement that is not there yet',
    ['CP302', '3', 'config/v1beta1 Config'],
    (f) => {
      f.openapi['config/v1beta1'].components.schemas.Config['x-cluster-lifecycle'].deprecated = '1.33';
      f.openapi['config/v1beta1'].components.schemas.Config['x-cluster-lifecycle'].replacement = {
        group: 'config.example',
        version: 'v2',
        kind: 'Config',
      };
    },
    (f) => {
      for (const [version, introduced] of [
        ['v1beta1', '1.31'],
        ['v2', '1.34'],
      ] as const) {
        f.openapi[`config/${version}`] = structuredClone(f.openapi['config/v1']);
        Object.assign(f.openapi[`config/${version}`]['x-cluster-group-version'], { version, package: `test.config.${version}` });
        f.openapi[`config/${version}`].components.schemas.Config['x-cluster-lifecycle'] = { introduced };
      }
      delete f.openapi['config/v1'];
    },
  ),
  row(
    'a replacement that goes first',
    ['CP303', '3', 'toys/v2beta1 Toy'],
    (f) => setLifecycle(f, 'toys/v2beta1', of('v1beta1')),
    (f) => {
      addVersion(f, 'v2beta1', { introduced: '1.31' });
      replaceLifecycle(f, BETA, { introduced: '1.27', deprecated: '1.30', removed: '1.33' });
    },
  ),
];

const removals: readonly ViolationRow[] = [
  row(
    'a stable version that is removed',
    ['CP401', '4a', 'toys/v1 Toy'],
    (f) => setLifecycle(f, V1, { removed: '1.33' }),
    (f) => {
      addVersion(f, 'v2', { introduced: '1.28' });
      setLifecycle(f, V1, { deprecated: '1.29' });
    },
  ),
  row(
    'a stable version that shall be removed',
    ['CP401', '4a', 'toys/v1 Toy'],
    (f) => setLifecycle(f, V1, { deprecated: '1.33', removed: '1.35' }),
    (f) => addVersion(f, 'v2', { introduced: '1.32' }),
  ),
  row(
    'a beta version that is not deprecated',
    ['CP402', '4a', 'toys/v2beta1 Toy'],
    (f) => setLifecycle(f, 'toys/v2beta1', { removed: '1.33' }),
    (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  ),
  row(
    'a beta version two releases after its deprecation',
    ['CP402', '4a', 'toys/v1beta1 Toy'],
    (f) => setLifecycle(f, BETA, { removed: '1.33' }),
    (f) => setLifecycle(f, BETA, { introduced: '1.28', deprecated: '1.31' }),
  ),
  row(
    'a beta version three releases after its deprecation, which follow each other fast',
    ['CP402', '4a', 'toys/v1beta1 Toy'],
    (f) => setLifecycle(f, BETA, { removed: '1.33' }),
    (f) => {
      f.releases.releases['1.30'] = '2024-09-17';
      f.releases.releases['1.31'] = '2024-10-13';
    },
  ),
  row(
    'a beta version that shall go early',
    ['CP402', '4a', 'toys/v2beta1 Toy'],
    (f) => setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33', removed: '1.35' }),
    (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  ),
  row(
    'a beta version whose schemas are gone',
    [
      ['CP402', '4a', 'toys/v2beta1 Toy'],
      ['CP412', '4b', 'toys/v2beta1 Toy'],
    ],
    (f) => {
      delete f.openapi['toys/v2beta1'];
      delete f.proto['toys/v2beta1'];
    },
    (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  ),
  row(
    'a stable version whose schemas are gone',
    [
      ['CP401', '4a', 'toys/v2 Toy'],
      ['CP412', '4b', 'toys/v2 Toy'],
    ],
    (f) => {
      delete f.openapi['toys/v2'];
      delete f.proto['toys/v2'];
    },
    (f) => {
      addVersion(f, 'v2', { introduced: '1.31' });
      groupVersion(f, 'toys/v2').versionPriority = 1;
    },
  ),
];

const times: readonly ViolationRow[] = [
  row(
    'a beta version that is deprecated too late',
    ['CP403', '4a', 'toys/v2beta1 Toy'],
    (f) => setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33' }),
    (f) => addVersion(f, 'v2beta1', { introduced: '1.29' }),
  ),
  row(
    'a beta version that is not deprecated',
    ['CP403', '4a', 'toys/v2beta1 Toy'],
    () => {},
    (f) => addVersion(f, 'v2beta1', { introduced: '1.28' }),
  ),
  row(
    'a beta version that is still served',
    ['CP404', '4a', 'toys/v1beta1 Toy'],
    () => {},
    (f) => replaceLifecycle(f, BETA, { introduced: '1.26', deprecated: '1.28' }),
  ),
  row('a new beta version that is on', ['CP405', '4a', 'toys/v1beta1'], (f) => (groupVersion(f, BETA).enabledByDefault = true)),
  row('an alpha version that is on', ['CP405', '4a', 'toys/v1alpha1'], (f) => (groupVersion(f, 'toys/v1alpha1').enabledByDefault = true)),
  row('a stable version that is off', ['CP406', '4a', 'toys/v1'], (f) => (groupVersion(f, V1).enabledByDefault = false)),
];

const past: readonly ViolationRow[] = [
  row(
    'a deprecation that nobody announced then',
    [
      ['CP407', '4a', 'toys/v2beta1 Toy'],
      ['CP407', '4a', 'toys/v2beta1 ToyList'],
    ],
    (f) => setLifecycle(f, 'toys/v2beta1', { deprecated: '1.32' }),
    (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  ),
  row(
    'a version that was not there',
    [
      ['CP407', '4a', 'toys/v2beta1 Toy'],
      ['CP407', '4a', 'toys/v2beta1 ToyList'],
    ],
    (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  ),
  row(
    'a removal in a release that had the version',
    [
      ['CP407', '4a', 'toys/v1beta1 Toy'],
      ['CP407', '4a', 'toys/v1beta1 ToyList'],
    ],
    (f) => setLifecycle(f, BETA, { removed: '1.32' }),
    (f) => replaceLifecycle(f, BETA, { introduced: '1.26', deprecated: '1.29' }),
  ),
  row(
    'an introduction that is moved',
    [
      ['CP407', '4a', 'toys/v2beta1 Toy'],
      ['CP407', '4a', 'toys/v2beta1 ToyList'],
    ],
    (f) => setLifecycle(f, 'toys/v2beta1', { introduced: '1.32' }),
    (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  ),
  row('a release with another date', ['CP408', '4a', 'release 1.31'], (f) => (f.releases.releases['1.31'] = '2024-08-14')),
  row('a current release that goes back', [['CP408', '4a', 'current release']], (f) => (f.releases.current = '1.31')),
];

const storage: readonly ViolationRow[] = [
  row(
    'a storage version of the release that introduces it',
    [
      ['CP410', '4b', 'toys toys storage'],
      ['CP411', '4b', 'toys preferred version'],
    ],
    (f) => {
      addVersion(f, 'v2', { introduced: '1.33' });
      storeAs(f, 'v2');
    },
  ),
  row(
    'a storage version that is said to have been there',
    [
      ['CP407', '4a', 'toys/v2 Toy'],
      ['CP407', '4a', 'toys/v2 ToyList'],
      ['CP410', '4b', 'toys toys storage'],
      ['CP411', '4b', 'toys preferred version'],
    ],
    (f) => {
      addVersion(f, 'v2', { introduced: '1.31' });
      storeAs(f, 'v2');
    },
  ),
  row('a preferred version of the release that introduces it', ['CP411', '4b', 'toys preferred version'], (f) =>
    addVersion(f, 'v2', { introduced: '1.33' }),
  ),
  row(
    'an older storage version',
    [
      ['CP413', '4b', 'toys toys storage'],
      ['CP123', '1', 'toys/v1beta1 Toy annotation toys.example/plain'],
    ],
    (f) => storeAs(f, 'v1beta1'),
    (f) => storeAs(f, 'v1'),
  ),
  row(
    'an older preferred version',
    ['CP413', '4b', 'toys preferred version'],
    (f) => (groupVersion(f, V1).versionPriority = 1000),
    (f) => {
      addVersion(f, 'v2', { introduced: '1.31' });
    },
  ),
  row(
    'a stored version that nobody can read',
    ['CP412', '4b', 'toys/v1beta1 Toy'],
    (f) => {
      delete f.openapi[BETA];
      delete f.proto[BETA];
    },
    (f) => replaceLifecycle(f, BETA, { introduced: '1.26', deprecated: '1.28', removed: '1.31' }),
  ),
];

export const lifecycleViolations: readonly ViolationRow[] = [...replacements, ...removals, ...times, ...past, ...storage];
