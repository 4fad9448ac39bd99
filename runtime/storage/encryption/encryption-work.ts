/** What goes on for the encryption of a store, and what it tells. */
import type { ServiceCallTracer } from '../../contract/trace.ts';
import type { StoreCheck, StoreMetrics } from '../storage.ts';

export interface EncryptionWork {
  /** ends it */
  readonly closing?: () => void;
  readonly checks?: readonly StoreCheck[];
  readonly showFigures?: (metrics: StoreMetrics) => void;
  readonly traceCalls?: (tracer: ServiceCallTracer) => void;
}
