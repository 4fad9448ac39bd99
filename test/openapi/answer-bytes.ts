import { BodyPieces } from '../../runtime/connections/body-pieces.ts';
import type { OpenapiAnswer } from '../../runtime/openapi/openapi-answer.ts';

/** All of a body, which may be in pieces. */
export function bytesOf({ body }: OpenapiAnswer): Buffer {
  return body instanceof BodyPieces ? Buffer.concat(body.pieces) : Buffer.from(body as string);
}
