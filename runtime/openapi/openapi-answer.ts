import type { BodyPieces } from '../connections/body-pieces.ts';

export interface OpenapiAnswer {
  readonly status: 200 | 301 | 304 | 404 | 406 | 412;
  /** names in lower case; `content-type` is missing if there is no body */
  readonly headers: Record<string, string>;
  readonly body: Buffer | string | BodyPieces;
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A header that came several times is one list. */
export function headerText(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}
