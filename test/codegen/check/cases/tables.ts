/** Tables whose cells cannot be made. */
import type { DiagnosticCode } from '../../../../codegen/check/codes.ts';
import type { Json } from '../../tree.ts';
import { type Row, schemas, table, V1 } from './edits.ts';

const TABLE = 'components.schemas.Toy.x-cluster-table';

/** A column of toys; parts are a list of structs with a name. @param at below the table */
function column(name: string, code: DiagnosticCode, cell: Json, at = ''): Row {
  const path = at === '' ? TABLE : `${TABLE}.columns.0${at === '.' ? '' : at}`;
  return [name, code, V1, path, (f) => (schemas(f).Toy['x-cluster-table'] = { columns: [{ name: 'Column', ...cell }] })];
}

export const tablesCases: readonly Row[] = [
  column('a cell of an unknown form', 'CS012', { path: '.spec.colour', colour: 'red' }, '.'),
  column('a cell of an unknown form in another', 'CS012', { path: '.spec', as: { pth: '.colour' } }, '.as'),
  column('a limit of no list', 'CS013', { path: '.spec.colour', limit: 3 }, '.'),
  column('a cell that is a list', 'CS013', { first: [['.spec.colour']] }, '.first.0'),
  column('a path that nobody can read', 'CS013', { path: '.spec.parts[' }),
  column('a template that nobody can read', 'CS013', { text: 'of {spec.colour}' }),
  column('a column of no member', 'CS045', { path: '.spec.size' }),
  column('a template of no member', 'CS045', { text: '{.spec.colour}/{.spec.size}' }),
  column('an element of what is no list', 'CS045', { path: '.spec[0].colour' }),
  column('a filter by no member', 'CS045', { path: '.spec.parts[?(@.kind=="A")].name' }),
  column('a condition of no member', 'CS045', { when: '.status', text: 'A' }),
  column('a member of the object within a part', 'CS045', { join: '.spec.parts', as: '{.spec.colour}' }),
  column('an alternative of no member', 'CS045', { first: ['.spec.colour', '.spec.size'] }),
  column('a mapped value of no member', 'CS045', { path: '.spec.colour', map: { red: '.spec.size' } }),
  column('a column without source', 'CS057', {}),
  column('a column with two sources', 'CS057', { path: '.spec.colour', count: '.spec.parts' }),
  column('a cell without source within another', 'CS057', { first: [{ absent: 'A' }] }),
  column('a cell that shows nothing otherwise', 'CS057', { text: 'A', as: '{.spec.colour}' }),
  column('a function and a path', 'CS057', { function: 'toys/colour', path: '.spec.colour' }),
  column('a column of a struct', 'CS072', { path: '.spec' }),
  column('a column of a list', 'CS072', { path: '.spec.parts' }),
  column('a join of no list', 'CS072', { join: '.spec.colour' }),
  column('a join of structs', 'CS072', { join: '.spec.parts' }),
  column('a count of no list', 'CS072', { count: '.spec.colour' }),
  column('an age of no time', 'CS072', { age: '.metadata.name' }),
  column('a ratio of no numbers', 'CS072', { ratio: ['.spec.colour', '.metadata.generation'] }),
  column('a duration of no number', 'CS072', { duration: '.spec.colour' }),
  column('labels of no map', 'CS072', { labels: '.spec.colour' }),
  column('a selector of another struct', 'CS072', { selector: '.spec' }),
  column('a function with an extension', 'CS048', { function: 'toys/toy.ts' }),
  column('a function that does not exist', 'CS070', { function: 'toys/colour' }),
  [
    'a function that no column names',
    'CS071',
    'runtime/kinds/toys/colour.ts',
    'cell',
    (f) => (f.raw['runtime/kinds/toys/colour.ts'] = "export const cell = () => '';\n"),
  ],
  [
    'a table of another form than the stored one',
    'CS073',
    'schemas/toys/v1beta1/openapi.yaml',
    TABLE,
    (f) => (f.openapi['toys/v1beta1'].components.schemas.Toy['x-cluster-table'] = table('.spec.colour')),
  ],
  [
    'metrics of a wrong form',
    'CS062',
    'schemas/metrics.yaml',
    '',
    (f) => (f.raw['schemas/metrics.yaml'] = 'toys_total: { type: counter }'),
  ],
  [
    'buckets that do not ascend',
    'CS062',
    'schemas/metrics.yaml',
    '',
    (f) => (f.raw['schemas/metrics.yaml'] = 'toys: { type: histogram, stability: ALPHA, buckets: [1, 1], help: Toys. }'),
  ],
  ['behaviours of a wrong form', 'CS063', 'schemas/behaviours.yaml', '', (f) => (f.raw['schemas/behaviours.yaml'] = 'plays: {}')],
  [
    'a behaviour that nothing replaces',
    'CS063',
    'schemas/behaviours.yaml',
    '',
    (f) => (f.raw['schemas/behaviours.yaml'] = 'plays: { description: Plays., replacement: sings }'),
  ],
  [
    'exceptions of a wrong form',
    'CS064',
    'schemas/policy-exceptions.yaml',
    '',
    (f) => (f.raw['schemas/policy-exceptions.yaml'] = '- { code: CP110, elements: [ a ] }'),
  ],
];
