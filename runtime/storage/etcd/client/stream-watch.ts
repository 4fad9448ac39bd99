/** A watch with a stream of its own. */
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { type WatchResponse, Watch as WatchService, type WatchRequest as WireRequest } from '../../../../generated/node-interfaces/etcd.ts';
import type { Sparse } from '../../../contract/node-interface.ts';
import { type Endpoint, errorOf } from './endpoint.ts';
import { EtcdError } from './etcd-error.ts';
import { Fragments } from './fragments.ts';
import type { Members } from './members.ts';
import type { EtcdWatch, WatchListener, WatchRequest } from './requests.ts';
import { eventOf, revisionOf, wireWatch } from './wire-requests.ts';

type Stream = ClientDuplexStream<Sparse<WireRequest>, WatchResponse>;

export class StreamWatch implements EtcdWatch {
  readonly #members: Members;
  readonly #listener: WatchListener;
  readonly #fragments = new Fragments();
  /** called once when the watch is over, for whatever reason */
  readonly #over: () => void;
  #endpoint: Endpoint | undefined;
  #stream: Stream | undefined;
  #unanswered: NodeJS.Timeout | undefined;
  #created = false;
  #wantsProgress = false;
  #paused = false;
  #ended = false;

  /** Begins the watch at once. @param timeout milliseconds in which etcd must confirm it */
  constructor(members: Members, request: WatchRequest, listener: WatchListener, timeout: number, over: () => void) {
    this.#members = members;
    this.#listener = listener;
    this.#over = over;
    const deadline = performance.now() + timeout;
    members.ready(deadline).then(
      (endpoint) => this.#begin(endpoint, request, deadline),
      (error: unknown) => this.end(errorOf(error)),
    );
  }

  #begin(endpoint: Endpoint, request: WatchRequest, deadline: number): void {
    if (this.#ended) return;
    const stream = endpoint.stream(WatchService.Watch);
    this.#endpoint = endpoint;
    this.#stream = stream;
    stream.on('data', (answer: WatchResponse) => this.#answer(answer));
    stream.on('error', (error) => this.end(errorOf(error)));
    stream.on('end', () => this.end(new EtcdError('UNAVAILABLE', 'etcd ended the stream of the watch')));
    if (this.#paused) stream.pause();
    stream.write({ createRequest: wireWatch(request) });
    const late = new EtcdError('DEADLINE_EXCEEDED', 'etcd did not begin the watch in time');
    this.#unanswered = setTimeout(() => this.end(late), Math.max(deadline - performance.now(), 0));
  }

  #answer(answer: WatchResponse): void {
    if (this.#ended) return;
    try {
      this.#tell(answer);
    } catch (error) {
      this.end(error as Error);
    }
  }

  #tell(answer: WatchResponse): void {
    const { created, canceled, compactRevision, cancelReason, fragment, events } = answer;
    // `canceled` is checked first, because etcd also sets `created` for a watch that it refuses
    if (canceled || compactRevision > 0) return this.#canceled(compactRevision, cancelReason);
    const revision = revisionOf(answer);
    if (created) return this.#begun(revision);
    if (!this.#created) throw new EtcdError('INTERNAL', 'the answer is none of etcd: it comes before the watch was begun');
    if (events.length === 0 && !fragment) return this.#listener.progress(revision);
    const complete = this.#fragments.add(events.map(eventOf), fragment);
    if (complete.length > 0) this.#listener.events(complete, revision);
  }

  #begun(revision: number): void {
    if (this.#created) return;
    this.#created = true;
    clearTimeout(this.#unanswered);
    this.#listener.created(revision);
    if (this.#wantsProgress) this.requestProgress();
  }

  #canceled(compactRevision: number, reason: string): void {
    if (compactRevision > 0) this.#listener.compacted(compactRevision);
    this.end(canceledError(compactRevision, reason));
  }

  requestProgress(): void {
    if (this.#ended) return;
    this.#wantsProgress = !this.#created;
    if (this.#created) this.#stream?.write({ progressRequest: {} });
  }

  pause(): void {
    this.#paused = true;
    this.#stream?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#stream?.resume();
  }

  cancel(): void {
    this.#finish();
  }

  /** Ends the watch with an error, unless it has ended. */
  end(error: Error): void {
    if (!this.#finish()) return;
    if (error instanceof EtcdError && error.isUnavailable && this.#endpoint !== undefined) this.#members.leave(this.#endpoint);
    this.#listener.ended(error);
  }

  /** @returns false if the watch had ended before */
  #finish(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    clearTimeout(this.#unanswered);
    this.#stream?.cancel();
    this.#over();
    return true;
  }
}

/** Makes the error. etcd gives its reason only as a text, so the code must be found in it. */
function canceledError(compactRevision: number, reason: string): EtcdError {
  if (compactRevision > 0)
    return new EtcdError(
      'OUT_OF_RANGE',
      `etcdserver: mvcc: required revision has been compacted; revisions from ${compactRevision} on are known`,
      {
        compactRevision,
      },
    );
  const text = reason === '' ? 'etcd canceled the watch' : reason;
  return new EtcdError(/permission denied/.test(text) ? 'PERMISSION_DENIED' : 'UNAVAILABLE', text);
}
