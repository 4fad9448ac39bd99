import type { BodyPieces } from '../connections/body-pieces.ts';

export interface OpenapiAnswer {
  readonly status: 200 | 301 | 304 | 404 | 406;
  /** names in lower case; `content-type` is missing if there is no body */
  readonly headers: Record<string, string>;
  readonly body: Buffer | string | BodyPieces;
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;
