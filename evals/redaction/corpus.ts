// biome-ignore-all lint/style/noExcessiveLinesPerFile: one table of examples, read from top to bottom.
// Secrets of every kind that we claim to know, in the places where agents meet them, and texts that look like secrets and are none.
// Made at run time from a seed: a repository that holds secrets, even false ones, sets off other people's alarms.
import { createRandom } from '@precis/testkit'

export interface Example {
  readonly kind: string
  readonly text: string
  /** What must not be in the result; absent: the text must stay as it is. */
  readonly secret?: string
}

const random = createRandom(20_261_121)
const of = (letters: string, length: number): string => Array.from({ length }, () => letters[random.between(0, letters.length - 1)]).join('')
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const lower = upper.toLowerCase()
const digits = '0123456789'
const hex = '0123456789abcdef'
const word = upper + lower + digits
const url64 = `${word}-_`
const base64 = `${word}+/`
/** Letters and digits, always with some of each. */
const mixed = (length: number): string => `${of(word, length - 3)}${of(digits, 1)}${of(lower, 1)}${of(upper, 1)}`
const pem = (): string => Array.from({ length: 6 }, () => of(base64, 64)).join('\n')

function luhn(start: string, length: number): string {
  const body = start + of(digits, length - start.length - 1)
  let sum = 0
  for (let at = 0; at < body.length; at++) {
    const doubled = at % 2 === 0 ? Number(body[body.length - 1 - at]) * 2 : Number(body[body.length - 1 - at])
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return `${body}${(10 - (sum % 10)) % 10}`
}

/** Tokens that are known by their own form. */
const tokens: Readonly<Record<string, () => string>> = {
  'AWS access key': () => `AKI${'A'}${of(upper + digits, 16)}`,
  'AWS temporary key': () => `ASI${'A'}${of(upper + digits, 16)}`,
  'Google API key': () => `AIz${'a'}${of(url64, 35)}`,
  'Google OAuth secret': () => `GOCSP${'X'}-${of(url64, 28)}`,
  'DigitalOcean token': () => `dop_v${'1'}_${of(hex, 64)}`,
  'Vault token': () => `hvs${'.'}${mixed(28)}`,
  'Databricks token': () => `dap${'i'}${of(hex, 32)}`,
  'GitHub token': () => `gh${random.pick(['p', 'o', 's'])}_${mixed(36)}`,
  'GitHub fine-grained token': () => `github_${'pat'}_${mixed(22)}_${mixed(59)}`,
  'GitLab token': () => `glpa${'t'}-${mixed(20)}`,
  'npm token': () => `npm${'_'}${mixed(36)}`,
  'PyPI token': () => `pyp${'i'}-AgEIcHlwaS5vcmc${mixed(70)}`,
  'Docker token': () => `dckr_${'pat'}_${mixed(27)}`,
  'Postman key': () => `PMA${'K'}-${of(hex, 24)}-${of(hex, 34)}`,
  'Linear key': () => `lin_${'api'}_${mixed(40)}`,
  'Sentry token': () => `sntry${'s'}_${mixed(80)}`,
  'New Relic key': () => `NRA${'K'}-${of(upper + digits, 27)}`,
  'OpenAI project key': () => `sk-${'proj'}-${mixed(48)}`,
  'OpenAI older key': () => `sk${'-'}${mixed(48)}`,
  'Anthropic key': () => `sk-${'ant'}-api03-${mixed(93)}`,
  'Hugging Face token': () => `hf${'_'}${of(upper + lower, 34)}`,
  'Groq key': () => `gsk${'_'}${mixed(52)}`,
  'Slack bot token': () => `xox${'b'}-${of(digits, 12)}-${of(digits, 12)}-${mixed(24)}`,
  'Stripe live key': () => `sk_${'live'}_${mixed(24)}`,
  'Stripe webhook secret': () => `whse${'c'}_${mixed(32)}`,
  'Shopify token': () => `shpa${'t'}_${of(hex, 32)}`,
  'SendGrid key': () => `S${'G'}.${mixed(22)}.${mixed(43)}`,
  'Mailgun key': () => `ke${'y'}-${of(hex, 32)}`,
  'Twilio key': () => `S${'K'}${of(hex, 32)}`,
  'Cerebras key': () => `cs${'k'}-${of(lower + digits, 48)}`,
  'ElevenLabs key': () => `sk${'_'}${of(hex, 48)}`,
  'Gemini key': () => `AQ${'.'}Ab8RN6${mixed(44)}`,
  'Modal secret': () => `as${'-'}${mixed(22)}`,
  'Vercel token': () => `vc${'p'}_${mixed(56)}`,
  'Cloudflare token': () => `cfu${'t'}_${mixed(40)}${of(hex, 8)}`,
  'Neon key': () => `nap${'i'}_${mixed(64)}`,
  'fal key': () => `${of(hex, 8)}-${of(hex, 4)}-4${of(hex, 3)}-8${of(hex, 3)}-${of(hex, 12)}${':'}${of(hex, 32)}`,
  'Zhipu key': () => `${of(hex, 32)}${'.'}${mixed(16)}`,
  'Telegram token': () => `${random.between(100_000_000, 999_999_999)}${':'}A${of(url64, 34)}`,
  JWT: () => `ey${'J'}${mixed(34)}.ey${'J'}${mixed(80)}.${mixed(43)}`,
}

const settings: readonly ((secret: string) => string)[] = [
  (secret) => `The deploy failed: token ${secret} was refused by the registry.`,
  (secret) => `TOKEN_FOR_CI=${secret}\nNODE_ENV=production`,
  (secret) => `{"level":"error","msg":"denied","auth":{"value":"${secret}"},"code":403}`,
  (secret) => `curl -H 'X-Auth: ${secret}' https://api.internal/v1/items | jq .`,
  (secret) => `  const client = new Client({ auth: '${secret}' })`,
  (secret) => `{\\"nested\\": \\"${secret}\\"}`,
]

/** Secrets that are known by what stands in front of them. */
const placed: Readonly<Record<string, () => Example['secret'] extends infer _ ? { readonly text: string; readonly secret: string } : never>> = {
  'AWS secret key': () => with_(of(base64, 40), (secret) => `aws_secret_access_key = ${secret}`),
  'AWS secret in the environment': () => with_(of(base64, 40), (secret) => `export AWS_SECRET_ACCESS_KEY="${secret}"`),
  'Azure storage key': () =>
    with_(`${of(base64, 86)}==`, (secret) => `DefaultEndpointsProtocol=https;AccountName=logs;AccountKey=${secret};EndpointSuffix=core.windows.net`),
  'Azure shared signature': () => with_(`${mixed(40)}%3D`, (secret) => `https://logs.blob.core.windows.net/a?sv=2022-11-02&sig=${secret}&se=2026-01-01`),
  'private key': () => with_(pem(), (secret) => `-----BEGIN ${'RSA PRIVATE'} KEY-----\n${secret}\n-----END ${'RSA PRIVATE'} KEY-----`),
  'OpenSSH key': () => with_(pem(), (secret) => `-----BEGIN ${'OPENSSH PRIVATE'} KEY-----\n${secret}\n-----END ${'OPENSSH PRIVATE'} KEY-----`),
  'private key in JSON': () =>
    with_(pem().replaceAll('\n', '\\n'), (secret) => `"private_key": "-----BEGIN ${'PRIVATE'} KEY-----\\n${secret}\\n-----END ${'PRIVATE'} KEY-----\\n"`),
  'private key that was cut off': () => with_(pem(), (secret) => `-----BEGIN ${'EC PRIVATE'} KEY-----\n${secret}`),
  'Postgres address': () => with_(mixed(16), (secret) => `DATABASE_URL=postgres://app:${secret}@db.internal:5432/ledger`),
  'Redis address': () => with_(mixed(20), (secret) => `redis://:${secret}@cache.internal:6379/0`),
  'MongoDB address': () => with_(`${mixed(10)}!x`, (secret) => `mongodb+srv://svc:${secret}@cluster0.mongodb.net/?retryWrites=true`),
  'git remote': () => with_(mixed(24), (secret) => `origin  https://ci-bot:${secret}@git.internal/team/app.git (fetch)`),
  'bearer header': () => with_(mixed(40), (secret) => `Authorization: Bearer ${secret}`),
  'basic header': () => with_(`${mixed(30)}==`, (secret) => `> authorization: Basic ${secret}`),
  'header in code': () => with_(mixed(40), (secret) => `headers: { 'Authorization': 'Bearer ${secret}' }`),
  'header in JSON': () => with_(mixed(32), (secret) => `{"headers":{"authorization":"token ${secret}"}}`),
  'X-Api-Key': () => with_(mixed(32), (secret) => `X-Api-Key: ${secret}`),
  cookie: () => with_(mixed(40), (secret) => `Set-Cookie: sessionid=${secret}; HttpOnly; Path=/`),
  'password in the environment': () => with_(`${of(lower, 6)}${of(digits, 3)}!`, (secret) => `DB_PASSWORD=${secret}`),
  'password in YAML': () => with_(mixed(14), (secret) => `spring:\n  datasource:\n    password: ${secret}`),
  'password in JSON': () => with_(`${of(lower, 8)}#${of(digits, 2)}`, (secret) => `{"user":"root","password":"${secret}"}`),
  'password in escaped JSON': () => with_(mixed(12), (secret) => `"{\\"user\\":\\"root\\",\\"password\\":\\"${secret}\\"}"`),
  'password in code': () => with_(mixed(12), (secret) => `const dbPassword = '${secret}'`),
  'password of letters, quoted': () => with_(of(lower, 12), (secret) => `password: "${secret}"`),
  'password in an ADO string': () => with_(mixed(12), (secret) => `Server=db;Database=x;User Id=sa;Password=${secret};Encrypt=True`),
  'password on a command line': () => with_(mixed(12), (secret) => `mysql -u root --password=${secret} ledger < dump.sql`),
  'password in a form': () => with_(mixed(12), (secret) => `POST /login user=root&password=${secret}&remember=1`),
  'API key in code': () => with_(mixed(32), (secret) => `apiKey: "${secret}",`),
  'API key in a URL': () => with_(mixed(32), (secret) => `GET https://maps.internal/v1/geo?api_key=${secret}&q=x`),
  'client secret': () => with_(mixed(36), (secret) => `client_secret=${secret}`),
  'access token in JSON': () => with_(mixed(60), (secret) => `{"access_token":"${secret}","expires_in":3600}`),
  'refresh token in Python': () => with_(mixed(48), (secret) => `refresh_token = "${secret}"`),
  'secret key of Django': () => with_(mixed(50), (secret) => `SECRET_KEY = '${secret}'`),
  'encryption key in TOML': () => with_(of(hex, 64), (secret) => `encryption_key = "${secret}"`),
  'Slack webhook': () => with_(`T${of(upper + digits, 8)}/B${of(upper + digits, 10)}/${mixed(24)}`, (secret) => `https://hooks.slack.com/services/${secret}`),
  'Discord webhook': () => with_(`${of(digits, 18)}/${mixed(68)}`, (secret) => `https://discord.com/api/webhooks/${secret}`),
  'payment card': () => with_(luhn('4', 16), (secret) => `card ${secret} exp 09/29`),
  'payment card in fours': () => with_(luhn('5' + '3', 16).replace(/(\d{4})(?=\d)/g, '$1 '), (secret) => `The card number is ${secret}.`),
  'payment card with hyphens': () => with_(luhn('4', 16).replace(/(\d{4})(?=\d)/g, '$1-'), (secret) => `pan=${secret}`),
}

function with_(secret: string, text: (secret: string) => string): { readonly text: string; readonly secret: string } {
  return { text: text(secret), secret }
}

export const positives: readonly Example[] = [
  ...Object.entries(tokens).flatMap(([kind, make]) => settings.map((setting): Example => with__(kind, make(), setting))),
  ...Object.entries(placed).flatMap(([kind, make]) => Array.from({ length: 4 }, (): Example => ({ kind, ...make() }))),
]

function with__(kind: string, secret: string, setting: (secret: string) => string): Example {
  return { kind, text: setting(secret), secret }
}

/** What looks like a secret and is none, made anew each time. */
const lookalikes: Readonly<Record<string, () => string>> = {
  'git commit': () => `commit ${of(hex, 40)}\nAuthor: Kim <kim@ledger.dev>`,
  'short commits': () => `${of(hex, 7)}..${of(hex, 7)}  main -> main`,
  UUID: () => `session ${of(hex, 8)}-${of(hex, 4)}-4${of(hex, 3)}-a${of(hex, 3)}-${of(hex, 12)} started`,
  'SHA-256 of an image': () => `registry.internal/app@sha256:${of(hex, 64)}`,
  'integrity of a package': () => `"integrity": "sha512-${of(base64, 86)}==",`,
  'checksum line': () => `${of(hex, 64)}  dist/app.tar.gz`,
  'inlined image': () => `background: url(data:image/png;base64,${of(base64, 120)}==)`,
  'content hash of a file': () => `dist/assets/index-${of(word, 8)}.js   142.10 kB │ gzip: 45.21 kB`,
  'class names': () => `<div class="sk-card-container-large sk-button-primary-outline-${of(lower, 6)}">`,
  'trace id': () => `traceparent: 00-${of(hex, 32)}-${of(hex, 16)}-01`,
  'object id': () => `{"_id":{"$oid":"${of(hex, 24)}"},"total":12}`,
  'call id': () => `{"id":"call_${mixed(24)}","type":"function"}`,
  'message id': () => `msg_${mixed(24)} resp_${of(hex, 48)}`,
  'request id': () => `x-request-id: ${of(hex, 8)}-${of(hex, 4)}-${of(hex, 4)}-${of(hex, 4)}-${of(hex, 12)}`,
  ETag: () => `ETag: "${of(hex, 32)}"`,
  'timestamp in digits': () => `started at ${of('12', 1)}7${of(digits, 11)} (epoch ms), took 1${of(digits, 3)} ms`,
  'sixteen digits that are no card': () => `order ${notLuhn()} was shipped`,
  'long number': () => `rows: ${of('123456789', 1)}${of(digits, 19)}`,
  floats: () => `0.${of(digits, 16)}, 1.${of(digits, 15)}`,
  'version and build': () => `v${random.between(1, 9)}.${random.between(0, 40)}.${random.between(0, 99)}+build.${of(digits, 12)}`,
  'IP addresses': () => `10.${random.between(0, 255)}.${random.between(0, 255)}.7:${random.between(1000, 9999)} -> 192.168.0.${random.between(1, 254)}`,
  'MAC address': () => Array.from({ length: 6 }, () => of(hex, 2)).join(':'),
  'hex dump': () => `00000010  ${Array.from({ length: 16 }, () => of(hex, 2)).join(' ')}  |${of(lower, 16)}|`,
  'minified code': () =>
    `function ${of(lower, 1)}(${of(lower, 1)},t){return ${of(lower, 1)}?t+${of(digits, 3)}:e[t]}var ${of(upper, 2)}=${of(lower, 2)}(${of(digits, 2)});`,
  'path with numbers': () => `/var/lib/app/${of(digits, 8)}/${of(lower, 12)}_${of(digits, 6)}.log`,
  'branch name': () => `feature/PRE-${random.between(100, 999)}-rotate-api-key-and-token-${of(lower, 6)}`,
  'regular expression': () => `const pattern = /^[A-Za-z0-9_-]{${random.between(20, 40)},${random.between(50, 90)}}$/`,
  'public key': () => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${of(base64, 43)} kim@laptop`,
  certificate: () => `-----BEGIN CERTIFICATE-----\n${Array.from({ length: 4 }, () => of(base64, 64)).join('\n')}\n-----END CERTIFICATE-----`,
}

function notLuhn(): string {
  const number = luhn('4', 16)
  return `${number.slice(0, -1)}${(Number(number.at(-1)) + 1) % 10}`
}

/** Lines of code, configuration and prose in which the words stand and no secret does. */
const innocent: readonly string[] = [
  'const password = process.env.DB_PASSWORD',
  'password: ${{ secrets.DB_PASSWORD }}',
  'password: string',
  'password?: string | undefined',
  'function checkPassword(password: string, hash: string): boolean {',
  'if (password.length < 12) throw new Error("password too short")',
  'password = getpass.getpass()',
  'password = os.environ["PGPASSWORD"]',
  'PASSWORD=$(cat /run/secrets/db)',
  'PASSWORD=${PASSWORD:?required}',
  'password: "<your password>"',
  'password=your-password-here',
  'password: changeme',
  "password: ''",
  'password: "********"',
  'passwordHash: await bcrypt.hash(password, 12)',
  'The password must have at least 12 characters.',
  'Enter password: ',
  'label: "Password"',
  '<input type="password" name="password" placeholder="Password" />',
  "t('login.password.label')",
  'user.password = form.password.value',
  'expect(user.password).toBeUndefined()',
  'password_field = forms.CharField(widget=forms.PasswordInput)',
  'reset_password_path(token: @token)',
  'apiKey: process.env.OPENAI_API_KEY,',
  'api_key = os.getenv("ANTHROPIC_API_KEY")',
  'apiKey: string',
  'api_key: Optional[str] = None',
  'API_KEY=<your api key>',
  'const apiKey = await getSecret("payments/api-key")',
  'x-api-key: ${API_KEY}',
  'X-Api-Key: {{apiKey}}',
  'Authorization: Bearer $TOKEN',
  'Authorization: Bearer <token>',
  'Authorization: Bearer YOUR_ACCESS_TOKEN',
  "headers.set('Authorization', `Bearer ${token}`)",
  'authorization: { enabled: true, provider: "oidc" }',
  'The Authorization header carries a bearer token.',
  'token: Token = next(tokens)',
  'const token = tokens[index]',
  'tokens: { input: 1200, output: 350 }',
  'token_count = len(tokenizer.encode(text))',
  'max_tokens: 4096',
  '"usage":{"prompt_tokens":1823,"completion_tokens":211,"total_tokens":2034}',
  'nextPageToken: undefined',
  'csrf_token: "{{ csrf_token }}"',
  'csrfToken = req.csrfToken()',
  'cancellationToken: CancellationToken.None',
  'token expired at 2026-01-01T00:00:00Z',
  'secretName: payments-tls',
  'secret: payments/stripe',
  'secretKeyRef: { name: db, key: password }',
  'kind: Secret',
  'client_secret: { type: string, description: "OAuth client secret" }',
  'private_key_path: /etc/ssl/private/server.key',
  'accessKey: keyof typeof keys',
  'secretAccessKey: credentials.secretAccessKey,',
  'aws_secret_access_key = AWS_SECRET',
  'credentials: "include"',
  'credentials: same-origin',
  'git config credential.helper store',
  'primary_key = "customer_id"',
  'foreignKey: "account_id"',
  'partition_key: orderId',
  'key: "ArrowDown"',
  'keyboard.press("Shift+Tab")',
  'cacheKey: `user:${id}`',
  'publicKey: new Uint8Array(32)',
  'const sortKey = (row) => row.createdAt',
  'postgres://localhost:5432/ledger',
  'postgres://user@localhost/ledger',
  'postgresql://${USER}:${PASSWORD}@${HOST}/db',
  'https://example.com:8443/path?x=1',
  'http://127.0.0.1:3000/@vite/client',
  'git@github.com:team/app.git',
  'npm install @scope/package@1.2.3',
  'https://user-images.githubusercontent.com/123/abc.png',
  'redis://cache:6379',
  'amqp://guest@rabbit:5672/%2f',
  'see https://docs.internal/a:b@c',
  'session=active; status=ok',
  'auth=none',
  'sid=42',
  'docker run -p 8080:8080 -p 5432:5432 app',
  'ssh -p 2222 deploy@host.internal',
  'mkdir -p /srv/app/releases/20261121',
  'cp -p file1 file2',
  'ps -p 4711 -o pid,cmd',
  'pass = 12, fail = 3',
  '12 passed, 3 failed',
  'pass: bool = True',
  'tests/test_pass.py::test_pass PASSED',
  'bypass=true',
  'compass: north',
  'sk-learn and sk-image are libraries',
  'import sklearn; from sklearn.linear_model import Ridge',
  'sk-SK locale: Slovak',
  'task-force-alpha-bravo-charlie-delta-echo',
  'eyJ is how base64 of {" begins',
  'eyJhbGciOiJIUzI1NiJ9 is only a header',
  'AKIA is the prefix of AWS access keys',
  'AIzaSyExample is documented as a placeholder',
  'ghp_ tokens are personal, ghs_ tokens belong to apps',
  'the hf_ prefix marks Hugging Face tokens',
  'npm_config_audit_level=moderate-and-above',
  'npm_lifecycle_event=test',
  'xoxb- is the prefix of bot tokens',
  'sk_live_ keys move money, sk_test_ keys do not',
  'SG is Singapore. HK is Hong Kong.',
  'key-value store, key-based lookup',
  '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYI\n-----END PUBLIC KEY-----',
  'basic authentication is disabled',
  'a bearer of bad news',
  'Basic: the BASIC programming language was designed in 1964',
  'Bearer authentication scheme',
  'tel: extension 4711',
  'ISBN 978-3-16-148410-0',
  '2026-11-21 14:05:33,123 INFO 12 34 56 78',
  'range 4000-4999, 5100-5599',
  '4111 rows in 1111 groups of 1111, 1111 left',
  'phone number 555 is not assigned',
  'part no. 5500-0000-0004',
  'coordinates 48.8566140, 2.3522219',
  'memory: 1073741824 bytes',
  'port 5432, pid 12345, uid 1000',
  'Total: 1,234,567,890.12 EUR',
  'sha1sum -c SUMS',
  'md5: d41d8cd98f00b204e9800998ecf8427e',
  'nonce="r@nd0m" is set by the server',
  'aws_region = eu-central-1',
  'aws s3 ls s3://bucket/secret-files/',
  'sig verified: good signature from release bot',
  'signature: (a: number, b: number) => number',
  'grant select on secrets to reader',
  'SELECT token, COUNT(*) FROM sessions GROUP BY token',
  'DROP INDEX idx_api_key_hash',
  'CREATE TABLE api_keys (id uuid primary key, hashed_secret bytea)',
  'kubectl get secret db -o yaml',
  'vault kv get secret/payments',
  'op read op://vault/item/password',
  'gh secret set DEPLOY_TOKEN < token.txt',
  'terraform output -raw db_password',
  'ansible_become_password: "{{ vault_become_password }}"',
  'PGPASSFILE=~/.pgpass',
  'passphrase: !vault |',
  'credential: none',
  'auth_token=null',
  'access_token: undefined,',
  'id_token: z.string()',
  'refreshToken!: string',
  'session_token = secrets.token_hex(32)',
  'apiKey = config.get("api.key")',
  'encryptionKey: Buffer.from(key, "base64")',
  'master_key: self.master_key',
  'license_key = input("License key: ")',
]

export const negatives: readonly Example[] = [
  ...Object.entries(lookalikes).flatMap(([kind, make]) => Array.from({ length: 6 }, (): Example => ({ kind, text: make() }))),
  ...innocent.map((text): Example => ({ kind: 'innocent line', text })),
]
