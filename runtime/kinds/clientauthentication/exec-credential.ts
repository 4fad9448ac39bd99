import { type FieldError, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { Struct } from '../struct.ts';

export const rules: KindRules = { validate: ({ status }) => (status === undefined ? [] : validateStatus(status)) };

/** A certificate is worth nothing without its key, and answers without credentials are none. */
function validateStatus({ token, clientCertificateData, clientKeyData }: Struct): FieldError[] {
  if (!token && !clientCertificateData && !clientKeyData)
    return [required('status', 'exec plugin did not return a token or a certificate with its key')];
  if (!clientCertificateData === !clientKeyData) return [];
  return [required(`status.${clientKeyData ? 'clientCertificateData' : 'clientKeyData'}`, 'a certificate and its key come together')];
}
