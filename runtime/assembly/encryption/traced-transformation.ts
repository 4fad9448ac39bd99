/** Traces of values that a key management service encrypts and decrypts, under the names of 1.32. */
import type { Span } from '../../contract/trace.ts';
import { partUnderWay } from '../../storage/traced-part.ts';

/** Does the work as a part of the current operation of the store, if that is traced. @param provider name of the service */
export function tracedTransformation<T>(name: Transformation, provider: string, work: (span: Span | undefined) => T): T {
  const span = partUnderWay()?.begin(name, { 'transformer.provider.name': provider });
  if (span === undefined) return work(undefined);
  try {
    return work(span);
  } finally {
    span.end();
  }
}

type Transformation = 'TransformToStorage with envelopeTransformer' | 'TransformFromStorage with envelopeTransformer';

/** The events of a step of the work. */
interface Step {
  readonly begins: string;
  readonly succeeded: string;
  readonly failed: string;
}

export const ENCRYPTION: Step = {
  begins: 'About to encrypt data using DEK',
  succeeded: 'Data encryption succeeded',
  failed: 'Data encryption failed',
};
export const ENCODING: Step = {
  begins: 'About to encode encrypted object',
  succeeded: 'Encoded encrypted object',
  failed: 'Encoding encrypted object failed',
};
export const DECODING: Step = {
  begins: 'About to decode encrypted object',
  succeeded: 'Decoded encrypted object',
  failed: 'Decoding encrypted object failed',
};
export const SEED_DECRYPTION: Step = {
  begins: 'About to decrypt DEK using remote service',
  succeeded: 'DEK decryption succeeded',
  failed: 'DEK decryption failed',
};
export const DECRYPTION: Step = {
  begins: 'About to decrypt data using DEK',
  succeeded: 'Data decryption succeeded',
  failed: 'Data decryption failed',
};

/** Does one step of the work between its events. @throws what `work` throws */
export function tracedStep<T>(span: Span | undefined, step: Step, work: () => T): T {
  if (span === undefined) return work();
  span.event(step.begins);
  try {
    const result = work();
    span.event(step.succeeded);
    return result;
  } catch (error) {
    tellFailure(span, step, error as Error);
    throw error;
  }
}

/** Errors are events, as the semantic conventions 1.20 of OpenTelemetry say. */
export function tellFailure(span: Span | undefined, { failed }: Step, { name, message }: Error): void {
  span?.event(failed);
  span?.event('exception', { 'exception.type': name, 'exception.message': message });
}
