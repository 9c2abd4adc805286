/** A service whose credentials have no beginning of their own: known by its name in front, and by what they are made of. */
export interface Service {
  /** As they stand in names, lower case, without signs. */
  readonly names: readonly string[]
  /** The whole value. */
  readonly value: RegExp
  /** The provider's page about the credential. */
  readonly page: string
}

type Row = readonly [names: string, value: string, page: string]

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const rows: readonly Row[] = [
  ['adafruit', '[a-z0-9_-]{32}', 'io.adafruit.com/api/docs'],
  ['adobe', '[a-f0-9]{32}', 'developer.adobe.com/developer-console/docs'],
  ['airtable', '[a-z0-9]{17}', 'airtable.com/developers/web/api/authentication'],
  ['algolia', '[a-z0-9]{32}', 'www.algolia.com/doc/guides/security/api-keys'],
  ['alibaba', '[a-z0-9]{30}', 'www.alibabacloud.com/help/en/ram/user-guide/create-an-accesskey-pair'],
  ['asana', '[0-9]{16}|[a-z0-9]{32}', 'developers.asana.com/docs/oauth'],
  ['atlassian confluence jira', '[a-z0-9]{20}[a-f0-9]{4}', 'support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account'],
  ['bitbucket', '[a-z0-9]{32}|[a-z0-9=_-]{64}', 'support.atlassian.com/bitbucket-cloud/docs/access-tokens'],
  ['bittrex', '[a-z0-9]{32}', 'bittrex.github.io/api/v3'],
  ['meraki', '[0-9a-f]{40}', 'developer.cisco.com/meraki/api-v1/authorization'],
  ['cloudflare', '[a-z0-9_-]{40}|[a-f0-9]{37}', 'developers.cloudflare.com/fundamentals/api/get-started/create-token'],
  ['codecov', '[a-z0-9]{32}|[0-9a-f-]{36}', 'docs.codecov.com/docs/codecov-tokens'],
  ['cohere coapikey', '[a-z0-9]{40}', 'docs.cohere.com/reference/about'],
  ['coinbase', '[a-z0-9_-]{64}', 'docs.cdp.coinbase.com'],
  ['confluent', '[a-z0-9]{16}|[a-z0-9]{64}', 'docs.confluent.io/cloud/current/security/authenticate/workload-identities/service-accounts/api-keys'],
  ['contentful', '[a-z0-9=_-]{43}', 'www.contentful.com/developers/docs/references/authentication'],
  ['datadog ddapikey ddappkey', '[a-z0-9]{40}|[a-f0-9]{32}', 'docs.datadoghq.com/account_management/api-app-keys'],
  ['discord', '[a-f0-9]{64}|[0-9]{18}|[a-z0-9=_-]{32}', 'discord.com/developers/docs/topics/oauth2'],
  ['droneci', '[a-z0-9]{32}', 'docs.drone.io/cli/configure'],
  ['dropbox', '[a-z0-9]{15}|[a-z0-9]{11}AAAAAAAAAA[a-z0-9_=-]{43}|sl\\.[a-z0-9_=-]{135}', 'developers.dropbox.com/oauth-guide'],
  ['etsy', '[a-z0-9]{24}', 'developers.etsy.com/documentation/essentials/authentication'],
  ['facebook', '[a-f0-9]{32}', 'developers.facebook.com/docs/facebook-login/guides/access-tokens'],
  ['fastly', '[a-z0-9=_-]{32}', 'www.fastly.com/documentation/reference/api/auth-tokens'],
  ['finicity', '[a-f0-9]{32}|[a-z0-9]{20}', 'developer.mastercard.com/open-banking-us/documentation'],
  ['finnhub', '[a-z0-9]{20}', 'finnhub.io/docs/api/authentication'],
  ['flickr', '[a-z0-9]{32}', 'www.flickr.com/services/api/auth.oauth.html'],
  ['freshbooks', '[a-z0-9]{64}', 'www.freshbooks.com/api/authentication'],
  ['gitter', '[a-z0-9_-]{40}', 'developer.gitter.im/docs/authentication'],
  ['gocardless', 'live_[a-z0-9_=-]{40}', 'developer.gocardless.com/api-reference'],
  ['heroku snyk squarespace messagebird kucoin sendbird launchdarkly postmark', uuid, 'devcenter.heroku.com/articles/platform-api-quickstart'],
  ['hubspot', uuid, 'developers.hubspot.com/docs/api/private-apps'],
  ['intercom', '[a-z0-9=_-]{60}', 'developers.intercom.com/docs/build-an-integration/learn-more/authentication'],
  ['jfrog artifactory bintray xray', '[a-z0-9]{64}|[a-z0-9]{73}', 'jfrog.com/help/r/jfrog-platform-administration-documentation/access-tokens'],
  ['kraken', '[a-z0-9/=_+-]{80,90}', 'docs.kraken.com/api'],
  ['kucoin', '[a-f0-9]{24}', 'www.kucoin.com/docs'],
  ['launchdarkly', '[a-z0-9=_-]{40}', 'launchdarkly.com/docs/home/account/api'],
  ['linear', '[a-f0-9]{32}', 'linear.app/developers'],
  ['linkedin', '[a-z0-9]{14}|[a-z0-9]{16}', 'learn.microsoft.com/en-us/linkedin/shared/authentication/client-credentials-flow'],
  ['lob', '(?:live|test)_[a-f0-9]{35}|(?:live|test)_pub_[a-f0-9]{31}', 'docs.lob.com'],
  ['looker', '[a-z0-9]{20}|[a-z0-9]{24}', 'cloud.google.com/looker/docs/api-auth'],
  ['mailchimp mailchimpsdk.initialize', '[a-f0-9]{32}-us\\d\\d?', 'mailchimp.com/developer/marketing/guides/quick-start'],
  ['mailgun', '(?:pub)?key-[a-f0-9]{32}|[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}', 'documentation.mailgun.com'],
  ['mapbox', 'pk\\.[a-z0-9]{60}\\.[a-z0-9]{22}', 'docs.mapbox.com/help/getting-started/access-tokens'],
  ['mattermost', '[a-z0-9]{26}', 'developers.mattermost.com/integrate/reference/personal-access-token'],
  ['messagebird', '[a-z0-9]{25}', 'developers.messagebird.com/api'],
  ['mistral', '[a-z0-9]{32}', 'docs.mistral.ai/getting-started/quickstart'],
  ['netlify', '[a-z0-9=_-]{40,46}', 'docs.netlify.com/api/get-started'],
  ['newrelic', '[a-z0-9]{64}', 'docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys'],
  ['nytimes newyorktimes', '[a-z0-9=_-]{32}', 'developer.nytimes.com'],
  ['okta', '00[a-z0-9_=-]{40}', 'developer.okta.com/docs/guides/create-an-api-token'],
  ['plaid', '[a-z0-9]{24}|[a-z0-9]{30}', 'plaid.com/docs/api/tokens'],
  ['privateai', '[a-z0-9]{32}', 'docs.private-ai.com'],
  ['rapidapi', '[a-z0-9_-]{50}', 'docs.rapidapi.com/docs/keys'],
  ['sendbird', '[a-f0-9]{40}', 'sendbird.com/docs/chat/platform-api/v3/prepare-to-use-api'],
  ['sentry', '[a-f0-9]{64}', 'docs.sentry.io/account/auth-tokens'],
  ['sonar', '(?:sq[upa]_)?[a-z0-9=_-]{40}', 'docs.sonarsource.com/sonarqube-server/user-guide/managing-tokens'],
  ['sourcegraph', '[a-f0-9]{40}', 'sourcegraph.com/docs/cli/how-tos/creating_an_access_token'],
  ['sumo sumologic', 'su[a-z0-9]{12}|[a-z0-9]{64}', 'help.sumologic.com/docs/manage/security/access-keys'],
  ['telegram telegr', '[0-9]{5,16}:A[a-z0-9_-]{34}', 'core.telegram.org/bots/api'],
  ['travis', '[a-z0-9]{22}', 'developer.travis-ci.com/authentication'],
  ['twitch', '[a-z0-9]{30}', 'dev.twitch.tv/docs/authentication'],
  ['twitter', '[a-z0-9]{25}|[a-z0-9]{45}|[a-z0-9]{50}|[0-9]{15,25}-[a-z0-9]{20,40}|A{22}[a-z0-9%]{80,100}', 'developer.x.com/en/docs/authentication/overview'],
  ['vercel', '[a-z0-9]{24}', 'vercel.com/docs/rest-api'],
  ['yandex', 't1\\.[a-z0-9_-]+={0,2}\\.[a-z0-9_-]{86}={0,2}|AQVN[a-z0-9_-]{35,38}|YC[a-z0-9_-]{38}', 'yandex.cloud/en/docs/iam/concepts/authorization'],
  ['zendesk', '[a-z0-9]{40}', 'developer.zendesk.com/api-reference/introduction/security-and-auth'],
  ['contribsys', '[a-f0-9]{8}:[a-f0-9]{8}', 'github.com/sidekiq/sidekiq/wiki/Commercial-FAQ'],
]

/** Every service, by name. A new one is a row. */
export const services: readonly Service[] = rows.map(([names, value, page]) => ({
  names: names.split(' '),
  value: new RegExp(`^(?:${value})$`, 'i'),
  page: `https://${page}`,
}))

const byName = new Map<string, Service[]>()
for (const service of services) for (const name of service.names) byName.set(name, [...(byName.get(name) ?? []), service])
const anyName = new RegExp(
  [...byName.keys()]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace('.', '\\.'))
    .join('|'),
  'g',
)

/** The services named in a name, which is in lower case without signs. */
export function servicesIn(name: string): readonly Service[] {
  return [...name.matchAll(anyName)].flatMap(([word]) => byName.get(word) ?? [])
}
