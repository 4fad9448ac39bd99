/**
 * Adds CBOR to the media types of answers, watches and applies if the feature gate CBORServingAndStorage is on. As in 1.32, that applies to
 * everything that has a protobuf form.
 */

const CONTENT = String.raw`\{\s*"schema":\s*\{[^{}]*\}\s*\}`;
const BINARY = String.raw`,\s*"application/vnd\.`;
/** media types are sorted, so that these precede the one of protobuf */
const ANSWERS = new RegExp(
  String.raw`"application/json":\s*(${CONTENT})(,\s*"application/json;stream=watch":\s*${CONTENT})?(?=${BINARY})`,
  'g',
);
const APPLY = new RegExp(String.raw`"application/apply-patch\+yaml":\s*(${CONTENT})`, 'g');

/** @param text a generated document as JSON */
export const withCbor = (text: string): string =>
  text.replaceAll(ANSWERS, answers).replaceAll(APPLY, '"application/apply-patch+cbor":$1,$&');

function answers(json: string, content: string, stream: string | undefined): string {
  const sequence = stream === undefined ? '' : `"application/cbor-seq":${content},`;
  return `"application/cbor":${content},${sequence}${json}`;
}
