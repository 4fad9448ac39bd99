import { ALPHA, BETA, schemasOf, toysOf, V1 } from '../../states.ts';
import { addVersion, storeAs } from '../lifecycle-violations.ts';
import { row, type ViolationRow } from '../row.ts';
import { both, columnsOf, configOf, dates, GROUP, replaceLifecycle, setLifecycle } from './edits.ts';
import type { Variants } from './variants.ts';

const ofResources: readonly ViolationRow[] = [
  row('a kind of lists of another name', ['CP107', '1', 'toys/v1 ToyList'], (f) => {
    schemasOf(f).ToysList = { ...schemasOf(f).ToyList, 'x-cluster-lifecycle': { introduced: '1.33' } };
    delete schemasOf(f).ToyList;
    f.proto[V1] = (f.proto[V1] as string).replace('message ToyList', 'message ToysList');
  }),
  row(
    'the table as a whole',
    [
      ['CP109', '1', 'toys/v1 toys column Name'],
      ['CP109', '1', 'toys/v1 toys column Colour'],
      ['CP109', '1', 'toys/v1 toys column Size'],
      ['CP109', '1', 'toys/v1 toys column Title'],
    ],
    (f) => delete schemasOf(f).Toy['x-cluster-table'],
  ),
  row('a column that only wide output shows', ['CP109', '1', 'toys/v1 toys column Title'], (f) => columnsOf(f).pop()),
  row('all short names', ['CP105', '1', 'toys/v1 toys short name ty'], (f) => delete toysOf(f).shortNames),
  row(
    'list without watch, and get without list',
    [
      ['CP103', '1', 'toys/v1 toys verb list'],
      ['CP103', '1', 'toys/v1 toys verb watch'],
    ],
    (f) => (toysOf(f).verbs = ['create', 'delete', 'get', 'update']),
  ),
  row(
    'a cluster-wide resource that has namespaces',
    ['CP102', '1', 'toys/v1 toys scope'],
    (f) => (toysOf(f).scope = 'Namespaced'),
    (f) => (toysOf(f).scope = 'Cluster'),
  ),
  row(
    'a group of another name',
    [
      ...['Toy', 'ToyList'].flatMap((kind) => [V1, BETA].map((folder) => ['CP107', '1', `${folder} ${kind}`] as const)),
      ['CP410', '4b', 'toys toys storage'],
    ],
    (f) => {
      for (const folder of [V1, BETA, ALPHA]) {
        f.openapi[folder]['x-cluster-group-version'].group = 'play.${groupDomain}';
        const conversion = schemasOf(f, folder).Toy['x-cluster-conversion'];
        if (conversion !== undefined) conversion.to.group = 'play.${groupDomain}';
      }
    },
  ),
  row('objects that are stored under other keys', ['CP412', '4b', 'toys toys storage'], (f) => {
    for (const folder of [V1, BETA, ALPHA]) toysOf(f, folder).storage = { ...toysOf(f, folder).storage, prefix: 'playthings' };
  }),
];

const ofFiles: readonly ViolationRow[] = [
  row(
    'a value of a configuration',
    ['CP115', '1', 'config/v1 Config.level value b'],
    (f) => configOf(f).properties.level.enum.pop(),
    (f) => (configOf(f).properties.level.enum = ['a', 'b']),
  ),
  row('a default of a configuration', ['CP117', '1', 'config/v1 Config.level'], (f) => (configOf(f).properties.level.default = 'a')),
  row('a configuration whose version is gone', ['CP401', '4a', 'config/v1 Config'], (f) => delete f.openapi['config/v1']),
  row('a configuration of another version in place', ['CP401', '4a', 'config/v1 Config'], (f) => {
    f.openapi['config/v2'] = f.openapi['config/v1'];
    Object.assign(f.openapi['config/v2']['x-cluster-group-version'], { version: 'v2', package: 'test.config.v2' });
    configOf({ ...f, openapi: { 'config/v1': f.openapi['config/v2'] } })['x-cluster-lifecycle'] = { introduced: '1.33' };
    delete f.openapi['config/v1'];
  }),
];

const ofVersions: readonly ViolationRow[] = [
  row(
    '3: a beta version that a beta one replaces, and that goes first',
    ['CP303', '3', 'toys/v2beta1 Toy'],
    (f) => setLifecycle(f, 'toys/v2beta2', { deprecated: '1.33', removed: '1.36' }),
    both(dates({ '1.36': '2026-04-22', '1.37': '2026-08-26', '1.38': '2026-12-09' }), (f) => {
      addVersion(f, 'v2beta2', { introduced: '1.31' });
      addVersion(f, 'v2beta1', {
        introduced: '1.30',
        deprecated: '1.33',
        removed: '1.37',
        replacement: { group: GROUP, version: 'v2beta2', kind: 'Toy' },
      });
    }),
  ),
  row(
    '4a: a stable version that goes at once',
    ['CP401', '4a', 'toys/v1 Toy'],
    (f) => setLifecycle(f, V1, { deprecated: '1.33', removed: '1.33' }),
    (f) => addVersion(f, 'v2', { introduced: '1.32' }),
  ),
  row(
    '4a: a beta version that goes as soon as it is deprecated',
    ['CP402', '4a', 'toys/v2beta1 Toy'],
    (f) => setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33', removed: '1.33' }),
    (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  ),
  row(
    '4a: a beta version nine months after its deprecation, in which two releases came',
    ['CP402', '4a', 'toys/v2beta1 Toy'],
    (f) => setLifecycle(f, 'toys/v2beta1', { removed: '1.33' }),
    both(dates({ '1.33': '2026-04-23', '1.34': '2026-08-27', '1.35': '2026-12-17' }), (f) =>
      addVersion(f, 'v2beta1', { introduced: '1.29', deprecated: '1.31' }),
    ),
  ),
  row(
    '4a: a beta version that is on in the release since which they are off',
    ['CP405', '4a', 'toys/v2beta1'],
    (f) => (f.openapi['toys/v2beta1']['x-cluster-group-version'].enabledByDefault = true),
    (f) => addVersion(f, 'v2beta1', { introduced: '1.30', deprecated: '1.31' }),
  ),
  row(
    '4a: a beta version that came before they were off, and stays on for too long',
    ['CP403', '4a', 'toys/v1beta2 Toy'],
    () => {},
    (f) => {
      addVersion(f, 'v1beta2', { introduced: '1.21', deprecated: '1.31' });
      f.openapi['toys/v1beta2']['x-cluster-group-version'].enabledByDefault = true;
    },
  ),
  row(
    '4a: a removal of a release that is out, which is said to come later',
    [
      ['CP407', '4a', 'toys/v1beta2 Toy'],
      ['CP407', '4a', 'toys/v1beta2 ToyList'],
    ],
    (f) => setLifecycle(f, 'toys/v1beta2', { removed: '1.33' }),
    (f) => addVersion(f, 'v1beta2', { introduced: '1.27', deprecated: '1.29', removed: '1.32' }),
  ),
  row(
    '4a: a version that is called stable',
    ['CP402', '4a', 'toys/v2beta1 Toy'],
    (f) => {
      addVersion(f, 'v2', { introduced: '1.33' });
      f.openapi['toys/v2']['x-cluster-group-version'].versionPriority = 1;
      setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33', removed: '1.34' });
    },
    (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  ),
  row(
    '4b: a storage version that is beta, after a stable one',
    ['CP413', '4b', 'toys toys storage'],
    (f) => storeAs(f, 'v2beta1'),
    (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  ),
  row(
    '4b: a preferred version of the release that introduces it, while the storage waits',
    ['CP411', '4b', 'toys preferred version'],
    (f) => {
      addVersion(f, 'v3', { introduced: '1.33' });
    },
    (f) => {
      addVersion(f, 'v2', { introduced: '1.31' });
      storeAs(f, 'v2');
    },
  ),
];

const allowed: Variants['allowed'] = [
  {
    name: 'a group with a version of each kind',
    edit: (f) => {
      addVersion(f, 'v3alpha1', { introduced: '1.33' });
      addVersion(f, 'v3beta1', { introduced: '1.33' });
    },
  },
  {
    name: 'another group',
    edit: (f) => {
      f.openapi['dolls/v1alpha1'] = { ...structuredClone(f.openapi['config/v1']) };
      Object.assign(f.openapi['dolls/v1alpha1']['x-cluster-group-version'], {
        group: 'dolls.example',
        version: 'v1alpha1',
        package: 'test.dolls.v1alpha1',
      });
      f.openapi['dolls/v1alpha1'].components.schemas.Config['x-cluster-lifecycle'] = { introduced: '1.33' };
    },
  },
  {
    name: '3: a beta version that another beta one replaces',
    edit: (f) => setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33', replacement: { group: GROUP, version: 'v2beta2', kind: 'Toy' } }),
    earlier: (f) => {
      addVersion(f, 'v2beta1', { introduced: '1.31' });
      addVersion(f, 'v2beta2', { introduced: '1.32' });
    },
  },
  {
    name: '3: a beta version and the stable one that replaces it come in one release',
    edit: (f) => {
      addVersion(f, 'v2', { introduced: '1.33' });
      f.openapi['toys/v2']['x-cluster-group-version'].versionPriority = 1;
      setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33', replacement: { group: GROUP, version: 'v2', kind: 'Toy' } });
    },
    earlier: (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  },
  {
    name: '4a: a stable version in a release of another major version',
    edit: (f) => setLifecycle(f, V1, { deprecated: '1.33', removed: '2.0' }),
    earlier: both((f) => addVersion(f, 'v2', { introduced: '1.32' }), dates({ '2.0': '2027-01-01' })),
  },
  {
    name: '4a: a beta version in the release in which its time ends',
    edit: (f) => setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33' }),
    earlier: (f) => addVersion(f, 'v2beta1', { introduced: '1.30' }),
  },
  {
    name: '4a: a beta version that is deprecated nine months later, in which many releases came',
    edit: (f) => setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33' }),
    earlier: both(
      dates({ '1.29': '2024-08-01', '1.30': '2024-09-01', '1.31': '2024-10-01', '1.32': '2024-12-11', '1.33': '2025-04-23' }),
      (f) => addVersion(f, 'v2beta1', { introduced: '1.29' }),
      (f) => replaceLifecycle(f, BETA, { introduced: '1.28', deprecated: '1.31' }),
    ),
  },
  {
    name: '4a: an alpha version that is deprecated, and one that is not, go',
    edit: (f) => {
      setLifecycle(f, ALPHA, { removed: '1.33' });
      setLifecycle(f, 'toys/v2alpha1', { removed: '1.33' });
    },
    earlier: (f) => addVersion(f, 'v2alpha1', { introduced: '1.31', deprecated: '1.32' }),
  },
  {
    name: '4b: storage moves two releases after the version came',
    edit: (f) => {
      storeAs(f, 'v2');
      delete f.openapi['toys/v2']['x-cluster-group-version'].versionPriority;
    },
    earlier: (f) => {
      addVersion(f, 'v2', { introduced: '1.31' });
      f.openapi['toys/v2']['x-cluster-group-version'].versionPriority = 1;
    },
  },
];

export const versions: Variants = { violations: [...ofResources, ...ofFiles, ...ofVersions], allowed };
