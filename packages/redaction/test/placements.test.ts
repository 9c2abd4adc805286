import { createRedactor } from '@precis/redaction'
import { describe, expect, it } from 'vitest'

// Secrets are put together here, so that this file sets off nobody's alarm.
const redact = createRedactor()
const word = 'correcthorse'
const password = `Tr0ub4dor${'&'}3x`
const key = `4f8a${'9Kq2'}Zt71LmW0xR5${'vB3n'}`
const token = `gh${'p'}_${'a1B2'.repeat(9)}`
const base64 = Buffer.from(`deploy:${password}`).toString('base64')
const body = Array.from({ length: 8 }, (_, at) => `${'MIIEpAIBAAKCAQEAx7Qk9fJ2'.slice(at)}${'dGVzdGtleWJvZHk5Zk1r'.repeat(3)}`.slice(0, 64))

const placements: Readonly<Record<string, readonly [text: string, secret: string]>> = {
  'an aligned assignment': [`region         = "eu-1"\napi_key        = "${key}"\n`, key],
  'an aligned INI line': [`user            = deploy\npassword        = ${password}\n`, password],
  'a name in camel case': [`const stripeToken = '${key}'`, key],
  'a field in camel case': [`{ githubToken: "${key}", user: 1 }`, key],
  'curl -u': [`curl -sS -u deploy:${password} https://api.internal/v1`, password],
  'curl --user in quotes': [`curl --user "deploy:${password}" https://api.internal`, password],
  'docker auth': [`{"auths":{"registry.internal":{"auth":"${base64}"}}}`, base64],
  '.npmrc': [`//registry.internal/:_authToken=${key}`, key],
  '.npmrc, basic': [`//registry.internal/:_password=${base64}\n`, base64],
  '.netrc': [`machine api.internal login deploy password ${word}`, word],
  '.netrc on lines': [`machine api.internal\n  login deploy\n  password ${password}\n`, password],
  XML: [`<password>${word}</password>`, word],
  'XML with a name space': [`<ns:dbPassword enc="no">${password}</ns:dbPassword>`, password],
  'XML on lines': [`<apiKey>\n    ${key}\n</apiKey>`, key],
  'an attribute of XML': [`<add key="DbPassword" value="${password}" />`, password],
  'IDENTIFIED BY': [`CREATE USER app IDENTIFIED BY '${word}';`, word],
  'ALTER ROLE': [`ALTER ROLE app WITH PASSWORD '${word}';`, word],
  'a block of YAML': [`api_token: |\n  ${key}\nnext: 1\n`, key],
  'a folded block of YAML': [`password: >-\n  ${password}\n`, password],
  'JSON with escapes': [JSON.stringify({ body: JSON.stringify({ db_password: password }) }), password],
  'a quote in the password': [JSON.stringify({ password: 'ab"cd\\ef1' }), 'cd\\\\ef1'],
  'a word in YAML': [`database:\n  password: ${word}\n  host: db\n`, word],
  'a word in quotes': [`password: "${word}"`, word],
  'a word in .env': [`DB_PASSWORD=${word}\nPORT=1\n`, word],
  'a word exported': [`export PGPASSWORD=${word}\n`, word],
  'a URL with @ in the password': ['postgres://app:p4ss@w0rd@db.internal:5432/app', 'p4ss@w0rd'],
  'a URL with / in the password': ['redis://app:s3cr/etPart@cache.internal:6379', 's3cr/etPart'],
  'a long value': [`client_secret: "${'aB3dE5gH7jK9'.repeat(60)}"`, 'aB3dE5gH7jK9'],
  'a CSV of credentials': [`User name,Password,Access key ID,Secret access key\ndeploy,${password},AKI${'A'}IOSFODNN7EXAMPL2,${key}/x1\n`, password],
  'a key without its first line': [`${body.join('\n')}\n-----END RSA ${'PRIVATE'} KEY-----\n`, body[3] as string],
  'a key without its last line': [`-----BEGIN ${'PRIVATE'} KEY-----\n${body.join('\n')}\n`, body[5] as string],
  'a key in JSON': [
    JSON.stringify({ private_key: `-----BEGIN ${'PRIVATE'} KEY-----\n${body.join('\n')}\n-----END ${'PRIVATE'} KEY-----\n` }),
    body[2] as string,
  ],
  'a key with line numbers': [
    ['-----BEGIN RSA PRIV' + 'ATE KEY-----', ...body].map((line, at) => `${String(at + 1).padStart(6)}\t${line}`).join('\n'),
    body[4] as string,
  ],
  'a token next to _': [`backup_${token}_old`, token],
  'a token behind an escaped break': [JSON.stringify({ out: `a\n${token}` }), token],
  'a setter': [`client.setPassword("${password}")`, password],
  'a pair of arguments': [`System.setProperty("db.password", "${word}1")`, `${word}1`],
  'PHP define': [`define('DB_PASSWORD', '${password}');`, password],
  'Ruby hash': [`:secret_key_base => '${key}${key}'`, key],
  'Python with bytes': [`SECRET_KEY = b'${key}'`, key],
  'Go struct': [`Password: "${password}",`, password],
  'Rust type': [`let api_key: &str = "${key}";`, key],
  'TypeScript type': [`const apiKey: string = "${key}"`, key],
  'a default of JavaScript': [`const apiKey = process.env.API_KEY || '${key}'`, key],
  'a header in JSON': [`{"headers":{"Authorization":"Bearer ${key}"}}`, key],
  Basic: [`Authorization: Basic ${base64}`, base64],
  'X-Api-Key': [`-H 'X-Api-Key: ${key}'`, key],
  'a cookie': [`Cookie: theme=dark; sessionid=${key}`, key],
  'a query': [`GET /v1?user=1&access_token=${key}&x=1`, key],
  'a form': [`grant_type=password&username=kim&password=${password.replace('&', '%26')}`, password.replace('&', '%26')],
  'a connection string': [`Server=db;User Id=sa;Password=${password};Encrypt=yes`, password.slice(0, 9)],
  libpq: [`host=db user=app password=${password} sslmode=require`, password],
  'env of Kubernetes': [`- name: DB_PASSWORD\n  value: ${word}\n`, word],
  'env in JSON': [`{"name":"API_TOKEN","value":"${key}"}`, key],
  'a variable of Terraform': [`variable "db_password" {\n  type    = string\n  default = "${word}"\n}`, word],
  '.pgpass': [`db.internal:5432:app:deploy:${password}`, password],
  mysql: [`mysql -uroot -p${password} app`, password],
  sshpass: [`sshpass -p '${password}' ssh root@host`, password],
  'docker login': [`docker login -u deploy -p ${password} registry.internal`, password],
  '--password': [`mongorestore --username app --password ${password} --db app`, password],
  '--token=': [`vercel deploy --token=${key}`, key],
  helm: [`helm upgrade app --set db.password=${password}`, password],
  kubectl: [`kubectl create secret generic db --from-literal=password=${password}`, password],
  'aws configure': [`aws configure set aws_secret_access_key ${key}${key.slice(0, 16)}`, key],
  openssl: [`openssl rsa -in k.pem -passin pass:${password}`, password],
  'SQL insert': [`INSERT INTO users (email, password, age) VALUES ('kim@x.dev', '${password}', 3);`, password],
  markdown: [`| user | password |\n| --- | --- |\n| kim | ${password} |\n`, password],
  'a heading in words': [`API key: ${key}`, key],
  'Client Secret': [`Client Secret = ${key}`, key],
  'HTML input': [`<input type="password" name="p" value="${password}">`, password],
  'HTML entities': [`{&quot;password&quot;:&quot;${word}&quot;}`, word],
  'a percent-encoded state': [`?state=%7B%22token%22%3A%22${key}%22%7D`, key],
  colors: [`\u001b[1mpassword\u001b[0m: \u001b[32m${password}\u001b[0m`, password],
  'client-key-data': [`    client-key-data: ${body.join('')}`, body[1] as string],
  JWT: [`ey${'J'}hbGciOiJIUzI1NiJ9.ey${'J'}zdWIiOiIxMjM0In0.${key}`, key],
  'a diff': [`-password: old${password}\n+password: ${password}\n`, password],
  'a prompt': [`Enter the password: ${password}`, password],
  PowerShell: [`$env:API_TOKEN = "${key}"`, key],
  otpauth: ['otpauth://totp/App:kim?secret=JBSWY3DPEHPK3PXPJBSW&issuer=App', 'JBSWY3DPEHPK3PXPJBSW'],
  'Java properties': [`spring.datasource.password=${word}\n`, word],
  Clojure: [`{:password "${password}"}`, password],
  Swift: [`let apiSecret = "${key}"`, key],
  'a list of tokens': [`tokens: ["${key}", "x"]`, key],
  multipart: [`Content-Disposition: form-data; name="password"\r\n\r\n${password}\r\n--x`, password],
  prose: [`The password is ${password}, please keep it.`, password],
}

describe('a secret is found in', () => {
  it.each(Object.entries(placements))('%s', (_, [text, secret]) => {
    const hidden = redact(text)
    expect(hidden).not.toContain(secret)
    expect(redact(hidden)).toBe(hidden)
  })
})

describe('is left as it is:', () => {
  it.each([
    'password: string',
    'const password = getPassword(user)',
    'password: data.password,',
    'The password is required.',
    'label: "Password"',
    'placeholder="Enter your password"',
    'api_key = os.environ["API_KEY"]',
    'token: ${{ secrets.GITHUB_TOKEN }}',
    'primary_key: "user_profile_2024_index"',
    '"integrity": "sha512-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
    'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b',
    'http://localhost:4873/@scope/pkg',
    'https://user:password@host/',
    'import { token } from "./token.js"',
    'session 3f2b8c1e-9d4a-4c6b-8f0e-1a2b3c4d5e6f started',
    'AKIAIOSFODNN7EXAMPLE',
    'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'max_tokens: 4096',
    'key: "value"',
    'DB_PASSWORD=changeme',
    '2026-11-21 10:11:12 GET /v1/items 200 13ms',
    '--- PASS: TestToken (0.00s)',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text)
  })
})
