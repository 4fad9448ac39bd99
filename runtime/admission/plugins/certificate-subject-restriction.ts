/** Nobody gets the right that no policy can take away by a request for a client's certificate. */
import { SUPERUSER_GROUP } from '../../authorization/superuser.ts';
import { requestedNames } from '../../certificates/requested-names.ts';
import { signingRequestProblem } from '../../certificates/signing-request.ts';
import type { Identity } from '../../contract/identity.ts';
import type { AdmissionPlugin } from '../plugin-interface/plugin.ts';
import { forbidden, isOf, only } from '../plugin-interface/refusal.ts';

export function certificateSubjectRestriction({ text }: Identity): AdmissionPlugin {
  const group = text('certificates.${groupDomain}');
  const signer = text('${labelDomain}/kube-apiserver-client');
  return {
    concerns: only(group, 'certificatesigningrequests'),
    validate(attributes) {
      const { operation, object } = attributes;
      if (!isOf(attributes, group, 'certificatesigningrequests')) return;
      if (operation !== 'create' || object?.spec.signerName !== signer) return;
      const request = Buffer.from(object.spec.request ?? '', 'base64').toString('latin1');
      const names = requestedNames(request);
      if (names === undefined) throw forbidden(attributes, `failed to parse CSR: ${signingRequestProblem(request)}`);
      if (names.organizations.includes(SUPERUSER_GROUP))
        throw forbidden(attributes, `use of ${signer} signer with ${SUPERUSER_GROUP} group is not allowed`);
    },
  };
}
