/** Has a webhook convert objects in batches. The identities that it returns are not trusted. */

import { randomUUID } from 'node:crypto';
import type { Converter } from '../../contract/converter.ts';
import { writeJson } from '../../contract/json-writer.ts';
import type { ApiObject } from '../../contract/object.ts';
import { mayBeMoved, type Waiting } from '../../contract/request-context.ts';
import type { TraceParent } from '../../contract/trace.ts';
import { turn } from '../../event-loop/turns.ts';
import { WebhookClient } from '../../outbound/webhook-client.ts';
import { WebhookError } from '../../outbound/webhook-failure.ts';
import { isLong, LongObject } from '../../registry/stored-objects/long-value.ts';
import { newUnknown } from '../../status/status.ts';
import { type ConversionMetrics, conversionMetrics, type FailureType } from './conversion-metrics.ts';
import type { ConversionParts, ConvertedResource, CustomConversion } from './conversion-parts.ts';
import {
  convertedObjects,
  namesOf,
  namesText,
  type Review,
  ReviewError,
  type ReviewVersion,
  reviewText,
  reviewVersion,
} from './conversion-review.ts';
import { ConvertedError, convertedObject, UnreadableError } from './converted-object.ts';

/** Objects of a question, and characters of them unless there is only one: what is said and heard at a time ends soon. */
const BATCH_OBJECTS = 500;
const BATCH_LENGTH = 128 * 1_024;
/** Bytes of an answer: so many times those of the question, and some more. */
const GROWTH = 4;
const GROWTH_BYTES = 128 * 1_024;

/** The most bytes of an answer that is read without waiting for a turn. */
const SHORT_ANSWER = 32 * 1_024;

interface Batch {
  readonly objects: ApiObject[];
  /** their JSON */
  readonly texts: string[];
}

export class WebhookConverter implements Converter {
  readonly #client: WebhookClient;
  readonly #definition: string;
  readonly #group: string;
  readonly #version: ReviewVersion | undefined;
  readonly #metrics: ConversionMetrics;
  readonly #mayTakeLong: boolean;

  /** @param seconds for one question, 30 by default */
  constructor({ name }: ConvertedResource, { webhook }: CustomConversion, parts: ConversionParts, seconds?: number) {
    this.#client = new WebhookClient(webhook?.clientConfig ?? {}, {
      serviceRoutes: parts.serviceRoutes,
      egress: parts.egress,
      metrics: parts.metrics,
      userAgent: parts.userAgent,
      ...(seconds !== undefined && { seconds }),
    });
    this.#definition = name;
    this.#group = parts.reviewGroup;
    this.#mayTakeLong = parts.mayTakeLong;
    this.#version = reviewVersion(webhook?.conversionReviewVersions ?? []);
    this.#metrics = conversionMetrics(parts.metrics, name);
  }

  /** @param objects of other versions than the one that is wanted. @throws LongObject where another thread is to do it */
  async convert(objects: readonly ApiObject[], apiVersion: string, waiting?: Waiting): Promise<readonly ApiObject[]> {
    const began = performance.now();
    const versions = { from: versionOf(objects[0]?.apiVersion ?? ''), to: versionOf(apiVersion) };
    const tell = (succeeded: boolean): void => this.#metrics.converted(secondsSince(began), versions, succeeded);
    try {
      const converted: ApiObject[] = [];
      for (const batch of batches(objects)) for (const each of await this.#convert(batch, apiVersion, waiting)) converted.push(each);
      tell(true);
      return converted;
    } catch (error) {
      if (waiting?.signal.aborted !== true && !(error instanceof LongObject)) tell(false);
      throw error;
    }
  }

  async #convert({ objects, texts }: Batch, apiVersion: string, waiting: Waiting | undefined): Promise<ApiObject[]> {
    if (this.#version === undefined) throw newUnknown('no supported conversion review versions');
    const review: Review = { group: this.#group, version: this.#version, uid: randomUUID() };
    const began = performance.now();
    const tell = (failure?: FailureType): void => this.#metrics.asked(secondsSince(began), failure);
    const span = waiting?.trace?.current.begin('Call conversion webhook', {
      'custom-resource-definition': this.#definition,
      'desired-api-version': apiVersion,
      'object-count': objects.length,
      UID: review.uid,
    });
    try {
      const answered = await this.#ask(reviewText(review, apiVersion, texts), waiting?.signal, span ?? waiting?.traceParent);
      span?.event('Request completed');
      if (!this.#mayTakeLong && waiting !== undefined && mayBeMoved(waiting)) await this.#requireShort(answered);
      const values = convertedObjects(answered, review);
      if (values.length !== objects.length) throw new CountError(`returned ${values.length} objects, expected ${objects.length}`);
      const converted = values.map((value, index) => convertedObject(value, objects[index] as ApiObject, apiVersion));
      tell();
      return converted;
    } catch (error) {
      const failure = FAILURES.find(({ of }) => error instanceof of);
      if (failure === undefined) throw error;
      tell(failure.type);
      const { message } = error as Error;
      if (error instanceof UnreadableError) throw newUnknown(message);
      const names = namesText(namesOf(objects[0] as ApiObject));
      throw newUnknown(`conversion webhook for ${names} ${failure.isAsked ? message : `failed: ${message}`}`);
    } finally {
      span?.end();
    }
  }

  /** @throws LongObject where another thread is to read the answer. Questions have no side effects: it may ask again */
  async #requireShort(answer: Buffer): Promise<void> {
    if (isLong(answer, 'converted')) throw new LongObject();
    // what comes with many answers is read in turns
    if (answer.length > SHORT_ANSWER) await turn();
  }

  #ask(question: string, signal: AbortSignal | undefined, parent: TraceParent | undefined): Promise<Buffer> {
    return this.#client.post(question, { maxBytes: GROWTH * Buffer.byteLength(question) + GROWTH_BYTES, signal, parent });
  }

  /** Ends the kept connections. */
  close(): void {
    this.#client.close();
  }
}

/** As many objects as were not asked for. */
class CountError extends Error {}

interface Failure {
  readonly of: new (message: string) => Error;
  readonly type: FailureType;
  /** whether the message goes on behind the name of what was converted */
  readonly isAsked: boolean;
}

const FAILURES: readonly Failure[] = [
  { of: WebhookError, type: 'conversion_webhook_call_failure', isAsked: false },
  { of: ReviewError, type: 'conversion_webhook_malformed_response_failure', isAsked: false },
  { of: CountError, type: 'conversion_webhook_partial_response_failure', isAsked: true },
  { of: ConvertedError, type: 'conversion_webhook_invalid_converted_object_failure', isAsked: true },
];

function* batches(objects: readonly ApiObject[]): Generator<Batch> {
  let batch: Batch = { objects: [], texts: [] };
  let length = 0;
  for (const object of objects) {
    const text = writeJson(object);
    if (batch.texts.length === BATCH_OBJECTS || (batch.texts.length > 0 && length + text.length > BATCH_LENGTH)) {
      yield batch;
      batch = { objects: [], texts: [] };
      length = 0;
    }
    batch.objects.push(object);
    batch.texts.push(text);
    length += text.length;
  }
  if (batch.texts.length > 0) yield batch;
}

const versionOf = (apiVersion: string): string => apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
const secondsSince = (began: number): number => (performance.now() - began) / 1_000;
