import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Frame } from '../../../runtime/endpoints/answers/watch-frame.ts';
import type { ResourceRequest } from '../../../runtime/endpoints/resource-request.ts';
import type { EventSink } from '../../../runtime/endpoints/watches/event-sink.ts';
import type { Framed, WatchEventEncoder } from '../../../runtime/endpoints/watches/watch-event-encoder.ts';
import { WatchStream } from '../../../runtime/endpoints/watches/watch-stream.ts';
import type { Selection } from '../../../runtime/registry/selection/selection.ts';
import type { WatchEvent } from '../../../runtime/registry/watch/watch-subscription.ts';
import { eventually } from '../../harness/eventually.ts';

const test = suite('stream of a watch');

const frame = (text: string): Frame => new Frame(Buffer.from(text));

/** Seconds of a watch whose bookmark before the end comes at once. */
const SHORT = 2.005;

/** A stream that follows; `position` is what its client has been told, or will have been when all is written. */
function following(position: number): { readonly stream: WatchStream; readonly written: string[]; close(): void } {
  const written: string[] = [];
  let closed = (): void => {};
  const sink: EventSink = {
    buffered: 0,
    write: (frames) => void written.push(...frames.map(({ bytes }) => bytes.toString())),
    onDrain: () => {},
    onClose: (listener) => {
      closed = listener;
    },
    end: () => {},
    destroy: () => {},
  };
  const frames = {
    frame: (type: string, { name }: WatchEvent) => frame(`${type} ${name}`),
    bookmark: (revision: number) => frame(`BOOKMARK ${revision}`),
  };
  const request = {
    resource: { data: { scope: 'Namespaced' }, versions: {} },
    info: { namespace: '' },
    store: { prefix: () => 'pods/', converts: false },
    negotiated: {},
    server: {
      measured: { watches: () => ({ sent() {} }) },
      storage: { currentRevision: () => position },
      watchHub: { subscribe: () => ({ position, resume() {}, stop() {} }) },
    },
  };
  const stream = new WatchStream(
    request as unknown as ResourceRequest,
    { everything: true } as Selection,
    true,
    frames as unknown as WatchEventEncoder,
    sink,
  );
  stream.follow(0, SHORT);
  return { stream, written, close: () => closed() };
}

test('a bookmark comes behind the events that were delivered and are not written yet', async () => {
  const { stream, written, close } = following(7);
  stream.deliver({ operation: 'create', revision: 7, namespace: 'a', name: 'x' } as WatchEvent<Framed>);
  assert.equal(written, []);
  await eventually('the bookmark is there', () => written.includes('BOOKMARK 7'));
  assert.equal(written, ['ADDED x', 'BOOKMARK 7']);
  stream.flush();
  assert.is(written.length, 2);
  close();
});
test.run();
