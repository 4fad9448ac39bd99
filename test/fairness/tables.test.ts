/** Rows of upstream's own test tables of shuffle sharding and of the width of requests. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Query } from '../../runtime/endpoints/request/request-info.ts';
import { FlowDealer, requiredEntropyBits } from '../../runtime/fairness/flow-dealer.ts';
import { estimateWork } from '../../runtime/fairness/work-estimate.ts';
import { tableRows } from '../harness/tables.ts';

interface DealerRow {
  readonly name: string;
  readonly test: 'entropy-bits' | 'new-dealer' | 'deal';
  readonly deckSize: number;
  readonly handSize: number;
  readonly bits?: number;
  readonly error?: string | null;
  readonly hash?: string;
  readonly hand?: readonly number[];
}

function errorOf(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const dealer = suite('shuffle sharding of upstream');
const hands = tableRows<DealerRow>('flow-queues.json');
if (hands.length === 0) dealer.skip('no rows in the table', () => {});
for (const { name, test, deckSize, handSize, bits, error, hash, hand } of hands)
  dealer(name, () => {
    if (test === 'entropy-bits') assert.is(requiredEntropyBits(deckSize, handSize), bits);
    else if (test === 'new-dealer')
      assert.is(
        errorOf(() => new FlowDealer(deckSize, handSize)),
        error,
      );
    else assert.equal(new FlowDealer(deckSize, handSize).deal(BigInt(hash as string)), hand);
  });
dealer.run();

interface WidthRow {
  readonly name: string;
  readonly requestURI: string;
  readonly requestInfo: Readonly<Record<'verb' | 'name' | 'resource' | 'subresource' | 'apiGroup', string>> | null;
  readonly objectCounts: Readonly<Record<string, number>>;
  readonly countError: string | null;
  readonly watchCount: number;
  readonly maxSeats: number;
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly additionalLatency: string;
}

const NOT_COUNTED = 'object count not found for the given resource';

function countOf({ requestInfo, objectCounts, countError }: WidthRow): number | 'none' | 'stale' {
  if (countError !== null) return countError === NOT_COUNTED ? 'none' : 'stale';
  return objectCounts[`${requestInfo?.resource}.${requestInfo?.apiGroup}`] ?? 'none';
}

const width = suite('the width of requests of upstream');
const widths = tableRows<WidthRow>('flow-width.json');
if (widths.length === 0) width.skip('no rows in the table', () => {});
for (const row of widths)
  width(row.name, () => {
    const { requestURI, requestInfo, watchCount, maxSeats, initialSeats, finalSeats, additionalLatency } = row;
    const request = requestInfo === null ? undefined : { ...requestInfo, query: new Query(new URL(requestURI).search.slice(1)) };
    const estimate = estimateWork(request, maxSeats, {
      objects: () => countOf(row),
      watchers: () => watchCount,
      // as in the tests of upstream, which know of no etcd
      consistentFromCache: false,
    });
    assert.equal(
      { ...estimate, additionalLatency: estimate.additionalLatency === 0 ? '0s' : `${estimate.additionalLatency}ms` },
      { initialSeats, finalSeats, additionalLatency },
    );
  });
width.run();
