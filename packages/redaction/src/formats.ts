/** A token that is known by its beginning: what may follow, and the provider's page about it. */
export interface Format {
  readonly tag: string
  /** Literal beginnings, at least two characters each. */
  readonly starts: readonly string[]
  /** The rest as a regular expression without groups that capture: bounded, so that a look at one place ends soon. */
  readonly rest: string
  /** The provider's page about the credential. */
  readonly page: string
}

type Row = readonly [tag: string, starts: string, rest: string, page: string]

const between = (alphabet: string, least: number, most: number): string => `[${alphabet}]{${least},${most}}`
/** Letters and digits; with a second number, up to that many. */
const word = (least: number, most = least): string => between('A-Za-z0-9', least, most)
const hex = (least: number, most = least): string => between('a-fA-F0-9', least, most)
const upper = (least: number, most = least): string => between('A-Z0-9', least, most)
/** The alphabet of base64url, which is that of most tokens. */
const url = (least: number, most = least): string => between('A-Za-z0-9_-', least, most)
/** The same with signs that some providers add. */
const wide = (least: number, most = least): string => between('A-Za-z0-9_.=-', least, most)
const base64 = (least: number, most: number): string => `${between('A-Za-z0-9+/', least, most)}={0,2}`
/** What follows holds a digit and letters of both cases among its first characters: a name made of words does not. */
const mixed = '(?=[^0-9]{0,40}\\d)(?=[^A-Z]{0,40}[A-Z])(?=[^a-z]{0,40}[a-z])'
const uuid = '[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}'

const clouds: readonly Row[] = [
  ['aws-key', 'AKIA ASIA ABIA ACCA A3T', upper(16, 17), 'docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html'],
  ['aws-bedrock-key', 'ABSK', base64(60, 300), 'docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html'],
  ['aws-bedrock-key', 'bedrock-api-key-', base64(20, 4000), 'docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html'],
  ['aws-session-token', 'IQoJb3JpZ2lu FwoGZXIvYXdz', base64(100, 4000), 'docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_temp.html'],
  ['google-key', 'AIza', url(30, 40), 'cloud.google.com/docs/authentication/api-keys'],
  ['google-key', 'AQ.', `${mixed}${url(40, 90)}`, 'ai.google.dev/gemini-api/docs/api-key'],
  ['google-oauth', 'GOCSPX-', url(20, 40), 'developers.google.com/identity/protocols/oauth2'],
  ['google-oauth', 'ya29. 1//0', url(20, 500), 'developers.google.com/identity/protocols/oauth2'],
  ['alibaba-key', 'LTAI', word(12, 24), 'www.alibabacloud.com/help/en/ram/user-guide/create-an-accesskey-pair'],
  ['tencent-key', 'AKID', word(32), 'www.tencentcloud.com/document/product/598/32675'],
  ['digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', hex(64), 'docs.digitalocean.com/reference/api/create-personal-access-token'],
  ['vault-token', 'hvs. hvb. hvr.', url(20, 300), 'developer.hashicorp.com/vault/docs/concepts/tokens'],
  [
    'vault-token',
    's.',
    `(?=[A-Za-z]{0,20}\\d)(?=[^0-9]{0,20}\\d[^0-9]{0,20}\\d|.{0,22}\\d[a-z])${word(24)}`,
    'developer.hashicorp.com/vault/docs/concepts/tokens',
  ],
  ['databricks-token', 'dapi', `${hex(32)}(?:-\\d{1,2})?`, 'docs.databricks.com/en/dev-tools/auth/pat.html'],
  ['pulumi-token', 'pul-', hex(40), 'www.pulumi.com/docs/pulumi-cloud/access-management/access-tokens'],
  ['planetscale-token', 'pscale_tkn_ pscale_oauth_ pscale_pw_', wide(32, 64), 'planetscale.com/docs/concepts/service-tokens'],
  ['fly-token', 'fo1_', url(40, 60), 'fly.io/docs/security/tokens'],
  ['fly-token', 'fm1a_ fm1r_ fm2_', base64(60, 4000), 'fly.io/docs/security/tokens'],
  ['heroku-key', 'HRKU-', url(36, 70), 'devcenter.heroku.com/articles/platform-api-quickstart'],
  ['scalingo-token', 'tk-us-', url(48), 'developers.scalingo.com'],
  ['cloudflare-key', 'v1.0-', `${hex(24)}-${hex(100, 200)}`, 'developers.cloudflare.com/ssl/origin-configuration/origin-ca'],
  ['cloudflare-token', 'cfk_ cfut_ cfat_', url(44, 60), 'developers.cloudflare.com/fundamentals/api/get-started/token-formats'],
  ['clickhouse-key', '4b1d', word(38), 'clickhouse.com/docs/en/cloud/manage/openapi'],
  ['openshift-token', 'sha256~', url(43), 'docs.openshift.com'],
  ['yandex-key', 'AQVN', url(35, 40), 'yandex.cloud/en/docs/iam/concepts/authorization/api-key'],
  ['yandex-token', 't1.', `[A-Za-z0-9_-]{1,200}={0,2}\\.${url(86)}={0,2}`, 'yandex.cloud/en/docs/iam/concepts/authorization/iam-token'],
  ['netlify-token', 'nfp_', between('A-Za-z0-9_', 36, 50), 'docs.netlify.com/api/get-started'],
  ['vercel-token', 'vcp_ vci_ vca_ vcr_ vck_', `${mixed}${url(24, 80)}`, 'vercel.com/changelog/new-token-formats-and-secret-scanning'],
  ['render-key', 'rnd_', word(28, 32), 'render.com/docs/api'],
  ['neon-key', 'napi_', word(60, 72), 'neon.com/docs/manage/api-keys'],
  ['supabase-key', 'sbp_ sb_secret_', url(20, 80), 'supabase.com/docs/guides/api/api-keys'],
  ['doppler-token', 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', `[A-Za-z0-9_.-]{40,90}`, 'docs.doppler.com/reference/auth-token-formats'],
  ['1password-key', 'A3-', `${upper(6)}-(?:${upper(11)}|${upper(6)}-${upper(5)})(?:-${upper(5)}){3}`, 'support.1password.com/secret-key-security'],
  ['1password-token', 'ops_eyJ', base64(100, 4000), 'developer.1password.com/docs/service-accounts'],
  ['age-key', 'AGE-SECRET-KEY-1', upper(58), 'age-encryption.org/v1'],
  ['octopus-key', 'API-', upper(26), 'octopus.com/docs/octopus-rest-api/how-to-create-an-api-key'],
  ['prefect-token', 'pnu_ pnb_', word(36), 'docs.prefect.io/v3/how-to-guides/cloud/manage-users/api-keys'],
  ['tailscale-key', 'tskey-', url(16, 80), 'tailscale.com/kb/1085/auth-keys'],
  ['dynatrace-token', 'dt0c01. dt0s01. dt0s16.', `${word(24)}\\.${word(64)}`, 'docs.dynatrace.com/docs/dynatrace-api/basics/dynatrace-api-authentication'],
]

const code: readonly Row[] = [
  [
    'github-token',
    'ghp_ gho_ ghu_ ghs_ ghr_',
    word(36, 255),
    'docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github',
  ],
  [
    'github-token',
    'github_pat_',
    between('A-Za-z0-9_', 36, 255),
    'docs.github.com/en/authentication/keeping-your-account-and-data-secure/managing-your-personal-access-tokens',
  ],
  [
    'gitlab-token',
    'glpat- gldt- glft- glffct- glimt- glagent- gloas- glptt- glrt- glsoat- glcbt- GR1348941',
    `${url(20, 300)}(?:\\.[0-9a-z]{2,12}){0,2}`,
    'docs.gitlab.com/ee/security/tokens',
  ],
  ['npm-token', 'npm_', word(36), 'docs.npmjs.com/about-access-tokens'],
  ['pypi-token', 'pypi-Ag', url(40, 1000), 'pypi.org/help#apitoken'],
  ['rubygems-key', 'rubygems_', hex(48), 'guides.rubygems.org/api-key-scopes'],
  ['clojars-token', 'CLOJARS_', word(60), 'github.com/clojars/clojars-web/wiki/Deploy-Tokens'],
  ['crates-token', 'cio', word(32), 'doc.rust-lang.org/cargo/reference/publishing.html'],
  ['nuget-key', 'oy2', between('a-z0-9', 43, 43), 'learn.microsoft.com/en-us/nuget/nuget-org/scoped-api-keys'],
  ['docker-token', 'dckr_pat_ dckr_oat_', url(20, 64), 'docs.docker.com/security/for-developers/access-tokens'],
  ['artifactory-key', 'AKCp', word(60, 80), 'jfrog.com/help/r/jfrog-platform-administration-documentation/access-tokens'],
  ['artifactory-token', 'cmVmd', word(59), 'jfrog.com/help/r/jfrog-platform-administration-documentation/access-tokens'],
  [
    'atlassian-token',
    'ATATT3 ATCTT3 ATBB',
    between('A-Za-z0-9_=-', 24, 300),
    'support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account',
  ],
  ['postman-key', 'PMAK-', `${hex(24)}-${hex(34)}`, 'learning.postman.com/docs/developer/postman-api/authentication'],
  ['harness-key', 'pat. sat.', `${url(22)}\\.${word(24)}\\.${word(20)}`, 'developer.harness.io/docs/platform/automation/api/add-and-manage-api-keys'],
  ['sourcegraph-token', 'sgp_', `(?:(?:${hex(16)}|local)_)?${hex(40)}`, 'sourcegraph.com/docs/cli/how-tos/creating_an_access_token'],
  ['sonar-token', 'squ_ sqp_ sqa_', url(40), 'docs.sonarsource.com/sonarqube-server/user-guide/managing-tokens'],
  ['infracost-key', 'ico-', word(32), 'www.infracost.io/docs'],
  ['readme-key', 'rdme_', between('a-z0-9', 70, 70), 'docs.readme.com/main/reference/authentication'],
  ['linear-key', 'lin_api_ lin_oauth_', word(32, 64), 'linear.app/developers'],
  ['notion-token', 'ntn_', word(40, 60), 'developers.notion.com/reference/authentication'],
  ['notion-token', 'secret_', word(43), 'developers.notion.com/reference/authentication'],
  ['airtable-token', 'pat', `${word(14)}\\.${hex(64)}`, 'airtable.com/developers/web/api/authentication'],
  ['figma-token', 'figd_', url(40, 60), 'www.figma.com/developers/api#access-tokens'],
  ['launchdarkly-key', 'sdk- mob- api-', uuid, 'launchdarkly.com/docs/home/account/api'],
  ['frameio-token', 'fio-u-', between('A-Za-z0-9_=-', 64, 64), 'developer.frame.io/docs'],
  ['typeform-token', 'tfp_', wide(40, 80), 'www.typeform.com/developers/get-started/personal-access-token'],
  ['settlemint-token', 'sm_aat_ sm_pat_ sm_sat_', word(16), 'console.settlemint.com/documentation'],
  ['defined-token', 'dnkey-', `${between('A-Za-z0-9=_-', 26, 26)}-${between('A-Za-z0-9=_-', 52, 52)}`, 'docs.defined.net/guides/automating-host-creation'],
  [
    'authress-key',
    'sc_ ext_ scauth_ authress_',
    `${word(5, 30)}\\.${word(4, 6)}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}`,
    'authress.io/knowledge-base',
  ],
  ['intra42-secret', 's-s4t2ud- s-s4t2af-', hex(64), 'api.intra.42.fr/apidoc'],
]

const models: readonly Row[] = [
  ['anthropic-key', 'sk-ant-', url(20, 250), 'docs.anthropic.com/en/api/overview'],
  ['openai-key', 'sk-proj- sk-svcacct- sk-admin- sk-None-', url(20, 250), 'platform.openai.com/docs/api-reference/authentication'],
  ['openrouter-key', 'sk-or-v1-', url(20, 250), 'openrouter.ai/docs/api-reference/authentication'],
  ['langfuse-key', 'sk-lf-', url(20, 250), 'langfuse.com/docs'],
  ['langsmith-key', 'lsv2_pt_ lsv2_sk_ ls__', url(32, 80), 'docs.smith.langchain.com'],
  ['api-key', 'sk-', '(?=[A-Za-z]{0,60}\\d)[A-Za-z0-9]{20,64}', 'platform.openai.com/docs/api-reference/authentication'],
  ['huggingface-token', 'hf_ api_org_', word(30, 40), 'huggingface.co/docs/hub/security-tokens'],
  ['replicate-token', 'r8_', word(37, 40), 'replicate.com/docs/reference/http'],
  ['groq-key', 'gsk_', word(48, 56), 'console.groq.com/docs/quickstart'],
  ['xai-key', 'xai-', word(60, 100), 'docs.x.ai'],
  ['perplexity-key', 'pplx-', word(40, 60), 'docs.perplexity.ai'],
  ['fireworks-key', 'fw_', word(22, 40), 'docs.fireworks.ai'],
  ['nvidia-key', 'nvapi-', url(50, 80), 'docs.api.nvidia.com'],
  ['tavily-key', 'tvly-', url(20, 60), 'docs.tavily.com'],
  ['cerebras-key', 'csk-', word(40, 64), 'inference-docs.cerebras.ai/quickstart'],
  ['together-key', 'tgp_v1_', url(43), 'docs.together.ai/docs/api-keys-authentication'],
  ['elevenlabs-key', 'sk_', hex(48), 'elevenlabs.io/docs/api-reference/authentication'],
  ['voyage-key', 'pa-', `${mixed}${url(40, 50)}`, 'docs.voyageai.com/docs/api-key-and-installation'],
  ['jina-key', 'jina_', `${mixed}${url(40, 80)}`, 'jina.ai/embeddings'],
  ['firecrawl-key', 'fc-', hex(32), 'docs.firecrawl.dev'],
  ['modal-token', 'ak- as-', `${mixed}${word(22)}`, 'modal.com/docs/reference/modal.config'],
  ['composio-key', 'ak_', `${mixed}${url(20)}`, 'docs.composio.dev'],
  ['e2b-key', 'e2b_', hex(40), 'e2b.dev/docs/api-key'],
  ['cursor-key', 'key_', hex(64), 'docs.cursor.com/en/account/teams/admin-api'],
  ['pinecone-key', 'pcsk_', url(50, 90), 'docs.pinecone.io/guides/production/security-overview'],
]

const business: readonly Row[] = [
  ['slack-token', 'xoxb- xoxp- xoxa- xoxr- xoxo- xoxs- xoxe- xoxc- xoxd- xoxe.xoxb- xoxe.xoxp-', '[A-Za-z0-9%-]{10,300}', 'api.slack.com/concepts/token-types'],
  ['slack-token', 'xapp-', '\\d-[A-Za-z0-9]{1,40}-\\d{1,20}-[a-zA-Z0-9]{1,100}', 'api.slack.com/concepts/token-types'],
  ['stripe-key', 'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_', word(10, 250), 'docs.stripe.com/keys'],
  ['webhook-secret', 'whsec_', '[A-Za-z0-9+/=]{24,80}', 'docs.stripe.com/webhooks'],
  ['square-token', 'sq0atp- sq0csp- EAAA', url(22, 80), 'developer.squareup.com/docs/build-basics/access-tokens'],
  ['paypal-token', 'access_token$production$ access_token$sandbox$', `[a-z0-9]{16}\\$${hex(32)}`, 'developer.paypal.com/api/rest/authentication'],
  ['plaid-token', 'access-sandbox- access-development- access-production-', uuid, 'plaid.com/docs/api/tokens'],
  ['adyen-key', 'AQE', '[a-z]hmf[A-Za-z0-9+/=_-]{50,300}', 'docs.adyen.com/development-resources/api-credentials'],
  ['flutterwave-key', 'FLWSECK- FLWSECK_TEST- FLWPUBK_TEST-', `${word(12, 40)}(?:-X)?`, 'developer.flutterwave.com/docs'],
  ['gocardless-token', 'live_', between('A-Za-z0-9_=-', 40, 40), 'developer.gocardless.com/api-reference'],
  ['lob-key', 'live_ test_', hex(35), 'docs.lob.com'],
  ['lob-key', 'live_pub_ test_pub_', hex(31), 'docs.lob.com'],
  ['shopify-token', 'shpat_ shpca_ shppa_ shpss_ shptka_', hex(32), 'shopify.dev/docs/api/usage/authentication'],
  ['easypost-key', 'EZAK EZTK', word(54), 'docs.easypost.com'],
  ['shippo-token', 'shippo_live_ shippo_test_', hex(40), 'docs.goshippo.com'],
  ['duffel-token', 'duffel_test_ duffel_live_', between('A-Za-z0-9_=-', 40, 50), 'duffel.com/docs/api/overview/authentication'],
  ['sendgrid-key', 'SG.', '[A-Za-z0-9_=.-]{40,80}', 'www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys'],
  ['mailgun-key', 'key- pubkey-', hex(32), 'documentation.mailgun.com'],
  ['brevo-key', 'xkeysib- xsmtpsib-', `${hex(64)}-${word(16)}`, 'developers.brevo.com'],
  ['resend-key', 're_', `${word(8)}_${word(20, 30)}`, 'resend.com/docs/api-reference/introduction'],
  ['twilio-key', 'SK AC', hex(32), 'www.twilio.com/docs/iam/api-keys'],
  ['facebook-token', 'EAAM EAAC EAAB EAAG EAAJ', word(60, 400), 'developers.facebook.com/docs/facebook-login/guides/access-tokens'],
  ['beamer-token', 'b_', between('a-z0-9=_-', 44, 44), 'developers.getbeamer.com'],
  ['dropbox-token', 'sl.', between('A-Za-z0-9_=-', 100, 400), 'developers.dropbox.com/oauth-guide'],
  ['mapbox-token', 'sk. pk.', `eyJ[A-Za-z0-9_-]{20,200}\\.${url(20, 30)}|[a-z0-9]{60}\\.[a-z0-9]{22}`, 'docs.mapbox.com/help/getting-started/access-tokens'],
  ['hubspot-token', 'pat-na1- pat-eu1-', uuid, 'developers.hubspot.com/docs/api/private-apps'],
  ['segment-token', 'sgp_', word(64), 'segment.com/docs/api/public-api'],
  ['adobe-secret', 'p8e-', url(32), 'developer.adobe.com/developer-console/docs'],
  ['contentful-token', 'CFPAT-', url(43), 'www.contentful.com/developers/docs/references/authentication'],
]

const observability: readonly Row[] = [
  ['sentry-token', 'sntrys_ sntryu_ sntrya_ sntryi_', '[A-Za-z0-9_+/=-]{40,400}', 'docs.sentry.io/account/auth-tokens'],
  ['newrelic-key', 'NRAK- NRJS- NRII- NRRA- NRSP-', '[A-Za-z0-9-]{19,42}', 'docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys'],
  ['grafana-token', 'glsa_ glc_', '[A-Za-z0-9_+/=-]{32,400}', 'grafana.com/docs/grafana/latest/administration/service-accounts'],
  ['grafana-key', 'eyJrIjoi', base64(70, 400), 'grafana.com/docs/grafana/latest/developers/http_api/authentication'],
  ['posthog-key', 'phx_', url(41, 49), 'posthog.com/docs/api'],
  ['honeycomb-key', 'hcaik_ hcxik_', word(50, 70), 'docs.honeycomb.io/configure/environments/manage-api-keys'],
]

/** Every format, by provider. A new one is a row. */
export const formats: readonly Format[] = [...clouds, ...code, ...models, ...business, ...observability].map(([tag, starts, rest, page]) => ({
  tag,
  starts: starts.split(' '),
  rest,
  page: `https://${page}`,
}))
