/** The object by which a server explains why it refused a request; some requests that succeed are answered by it too. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly status?: 'Success' | 'Failure';
  /** for people */
  readonly message?: string;
  /** for programs, such as `NotFound` */
  readonly reason?: string;
  readonly details?: StatusDetails;
  /** status code of HTTP */
  readonly code?: number;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** the resource, or the kind if the body was wrong */
  readonly kind?: string;
  readonly uid?: string;
  /** the problems, one for each field or condition */
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  /** path of the field, such as `spec.replicas` */
  readonly field?: string;
}

/** Whether a parsed answer is a Status. */
export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && (value as Status).kind === 'Status';
}
