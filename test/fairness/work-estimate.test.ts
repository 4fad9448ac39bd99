/** The seats of lists and watches by what their query says; tables of 1.32 have the rest. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Query } from '../../runtime/endpoints/request/request-info.ts';
import { estimateWork, type WorkKnowledge } from '../../runtime/fairness/work-estimate.ts';

const test = suite('estimates of work');

/** Of 250 objects. */
const KNOWN: WorkKnowledge = { objects: () => 250, watchers: () => 0, consistentFromCache: true };
const seatsOf = (verb: string, query: string, known: Partial<WorkKnowledge> = {}): number =>
  estimateWork({ verb, name: '', resource: 'pods', subresource: '', query: new Query(query) }, 10, { ...KNOWN, ...known }).initialSeats;

const ROWS: readonly (readonly [verb: string, query: string, seats: number, known?: Partial<WorkKnowledge>])[] = [
  ['list', '', 3],
  ['list', 'limit=x', 10],
  ['list', 'fieldSelector=metadata.name%3Da', 1],
  ['list', 'fieldSelector=spec.x%3Da,metadata.name%3D%3Da', 1],
  ['list', 'fieldSelector=metadata.name!%3Da', 3],
  ['list', '', 10, { objects: () => 'stale' }],
  ['list', '', 1, { objects: () => 'none' }],
  ['watch', '', 1],
  ['watch', 'sendInitialEvents=true', 3],
  ['watch', 'sendInitialEvents=', 3],
  ['watch', 'sendInitialEvents=0', 1],
  ['watch', 'sendInitialEvents=false', 1],
  ['watch', 'sendInitialEvents=False', 1],
];
for (const [verb, query, seats, known] of ROWS)
  test(`${verb} with ${query || 'nothing'}: ${seats}`, () => assert.is(seatsOf(verb, query, known), seats));

test.run();
